"""What happened, in the domain's words: standard library only, no I/O, no OpenTelemetry, no framework."""
