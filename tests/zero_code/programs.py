"""Programs as users write them; none but those that switch on in code know of hookspan."""

from __future__ import annotations

APP = """
import os
from langgraph.graph import START, StateGraph


def work(state):
    return {"n": state["n"] + 1}


graph = StateGraph(dict).add_node("work", work).add_edge(START, "work").compile(name=os.environ.get("NAME", "app"))
if __name__ == "__main__":
    print(graph.invoke({"n": 0}))
"""

# an agent whose node starts Python programs, as a shell tool or a hook command does
STARTS = """
import json, os, subprocess, sys
from langgraph.graph import START, StateGraph


def work(state):
    for name, command, traced in json.loads(sys.argv[1]):
        env = {**os.environ, "NAME": name}
        if traced:
            from opentelemetry import propagate
            carrier = {}
            propagate.inject(carrier)
            env["TRACEPARENT"] = carrier["traceparent"]
        subprocess.run(command, shell=True, env=env, check=True)
    return {"n": 1}


StateGraph(dict).add_node("work", work).add_edge(START, "work").compile(name="agent").invoke({"n": 0})
"""

WORKERS = """
import multiprocessing, os, sys, time
from app import graph


def run(name):
    graph.with_config().invoke({"n": 0}, {"run_name": name})
    return os.getpid()


if __name__ == "__main__":
    graph.invoke({"n": 0})
    time.sleep(0.5)  # the first request is on its way
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        print(len(pool.map(run, ["one", "two"], chunksize=1)))
        pool.close()
        pool.join()
"""

FORKS = """
import os, sys
from app import graph

graph.invoke({"n": 0})
for _ in range(2):
    if os.fork() == 0:
        graph.invoke({"n": 0})
        sys.exit(0)
print([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(2)])
"""

# prints what hookspan left in the process
CODE = """
import threading, sys
import hookspan
hookspan.instrument()
from app import graph
import langgraph.pregel.main as pregel
hookspan.instrument()
print(graph.invoke({"n": 0}))
print(hasattr(pregel.get_callback_manager_for_config, "__wrapped__"), threading.active_count(), "hookspan.export.pipeline" in sys.modules)
"""

OWN_PROVIDER = """
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from app import graph
import hookspan

kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
for _ in range(2):
    hookspan.instrument(tracer_provider=provider)
with hookspan.acting_as("ada"):
    graph.invoke({"n": 0})
for span in kept.get_finished_spans():
    print(span.name, span.attributes.get("user.id"))
"""

TAKEN_BACK = """
import sys
from app import graph
import langchain.agents.factory
from langchain_core.tracers import context
import hookspan


def attributes():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("langgraph", "langchain", "langchain_core"):
            owners = [module, *(value for value in vars(module).values() if isinstance(value, type))]
            for owner in owners:
                found.update({(name, owner.__name__, key): value for key, value in vars(owner).items()})
    return found


def differing(one, other):
    changed = [key for key in one if key in other and one[key] is not other[key]]
    return sorted(":".join(key) for key in changed if not isinstance(one[key], int | dict))  # counters and caches of theirs


graph.invoke({"n": 0})
before, hooks = attributes(), list(context._configure_hooks)
hookspan.instrument()
during = attributes()
graph.invoke({"n": 0})
hookspan.uninstrument()
hookspan.uninstrument()
after = attributes()
print(len(differing(before, during)) > 5, differing(before, after), context._configure_hooks == hooks)
graph.invoke({"n": 0})
hookspan.instrument()
graph.invoke({"n": 0})
"""

LAUNCHER = """
import subprocess, sys
import app
subprocess.run([sys.executable, "app.py"], check=True)
"""

MISSING = """
import langgraph.pregel.main as pregel
del pregel.get_callback_manager_for_config
import hookspan
hookspan.instrument()
print(hasattr(pregel.get_async_callback_manager_for_config, "__wrapped__"))
"""
