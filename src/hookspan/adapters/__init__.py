"""One folder a framework: its hook points translated into facts, and nothing else.

An adapter never imports opentelemetry, never decides, never changes a run.
"""
