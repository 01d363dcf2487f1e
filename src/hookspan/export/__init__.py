"""Out of the process: settings, the zero-code switches, provider choice, OTLP."""
