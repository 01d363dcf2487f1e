"""What a figure depends on: the machine, the versions, the load."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = (
    "langchain",
    "langchain-core",
    "langgraph",
    "opentelemetry-sdk",
    "opentelemetry-exporter-otlp-proto-http",
    "openinference-instrumentation-langchain",
    "opentelemetry-instrumentation-langchain",
    "opentelemetry-instrumentation-genai-langchain",
    "hookspan",
)
ROOT = Path(__file__).resolve().parent.parent


def described() -> dict[str, object]:
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "kernel": platform.release(),
        "virtual": "hypervisor" in _read("/proc/cpuinfo"),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "checkout": _git("rev-parse", "--short", "HEAD"),
        "uncommitted_in_src": sorted(_git("status", "--porcelain", "--", "src").splitlines()),
    }


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes."""
    return [round(one, 2) for one in os.getloadavg()]


def _cpu() -> str:
    lines = [line for line in _read("/proc/cpuinfo").splitlines() if line.startswith("model name")]
    return lines[0].split(":", 1)[1].strip() if lines else platform.processor()


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
