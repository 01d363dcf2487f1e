"""The small project that the assistant works on: real files, a real test, a real fault in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

FILES: Mapping[str, str] = {
    "README.md": "# shop\n\n`tests/` must pass before anything goes online.\n",
    "shop/__init__.py": "",
    "shop/cart.py": '''"""What is in the cart, and what it costs."""


def total(prices, discount=0.0):
    """The sum of the prices less the discount, a share between 0 and 1."""
    return sum(prices) * (1 + discount)
''',
    "shop/invoice.py": """from shop.cart import total


def invoice(customer, prices, discount):
    return f"{customer}: {total(prices, discount):.2f}"
""",
    "tests/__init__.py": "",
    "tests/test_cart.py": """import unittest

from shop.cart import total


class CartTest(unittest.TestCase):
    def test_discount_is_taken_off(self):
        self.assertEqual(total([60.0, 40.0], discount=0.25), 75.0)
""",
}

FAULT = "(1 + discount)"
REPAIR = "(1 - discount)"

_TEST_TIMEOUT_S = 20


def create(project: Path) -> None:
    for name, text in FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run_tests(project: Path) -> tuple[bool, str]:
    """Whether the project's tests pass, and what they say: without times, so that every run of the demo says the same."""
    # -I -S -B: nothing of the user's Python (paths, .pth files, variables) takes part, and no __pycache__ is left behind.
    command = [sys.executable, "-I", "-S", "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=_TEST_TIMEOUT_S, check=False)  # noqa: S603 -- our own interpreter, fixed arguments
    told = [line for line in done.stderr.splitlines() if line.startswith(("FAIL:", "AssertionError", "FAILED", "OK"))]
    return done.returncode == 0, "\n".join(told)
