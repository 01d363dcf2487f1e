"""The project that the assistant mends: its fault is real, and so is the repair."""

from __future__ import annotations

from pathlib import Path

from hookspan.demo import workspace


def test_the_tests_fail_until_the_fault_is_mended(tmp_path: Path) -> None:
    workspace.create(tmp_path)
    before = workspace.run_tests(tmp_path)
    cart = tmp_path / "shop" / "cart.py"
    cart.write_text(cart.read_text().replace(workspace.FAULT, workspace.REPAIR))
    after = workspace.run_tests(tmp_path)

    assert before == (
        False,
        (
            "FAIL: test_discount_is_taken_off (tests.test_cart.CartTest.test_discount_is_taken_off)\n"
            "AssertionError: 125.0 != 75.0\nFAILED (failures=1)"
        ),
    )
    assert after == (True, "OK")


def test_running_them_leaves_nothing_behind(tmp_path: Path) -> None:
    workspace.create(tmp_path)
    workspace.run_tests(tmp_path)

    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == set(workspace.FILES)
