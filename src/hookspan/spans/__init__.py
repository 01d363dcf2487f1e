"""Facts folded into records, and records made into spans. The only code that knows OpenTelemetry's tracing API."""
