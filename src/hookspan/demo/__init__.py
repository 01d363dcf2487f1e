"""`hookspan demo`: a real coding assistant on a scripted model, recorded and shown."""
