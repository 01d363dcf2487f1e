"""The one fold: each kind of fact changes the open records in one way, whichever framework it came from."""
