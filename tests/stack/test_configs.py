"""The shipped configurations before the programs that read them: accepted as they are, and not accepted with a fault in them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.configs.configs import COMBINATIONS, CONFIG, ROOT

pytestmark = pytest.mark.stack


def ran(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    line = [str(part) for part in command]
    return subprocess.run(line, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("names", COMBINATIONS, ids=" + ".join)
def test_the_collector_takes_every_combination_that_is_shipped(names: tuple[str, ...], programs: Path) -> None:
    files = [part for name in names for part in ("--config", CONFIG / name)]
    done = ran(programs / "collector", "validate", *files)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_collector_finds_a_fault(programs: Path, tmp_path: Path) -> None:
    faulty = tmp_path / "audit.yaml"
    faulty.write_text((CONFIG / "audit.yaml").read_text().replace("num_consumers: 1 ", "num_consumer: 1 "))
    done = ran(programs / "collector", "validate", "--config", faulty)
    assert done.returncode != 0
    assert "num_consumer" in done.stderr


def test_prometheus_takes_its_configuration_with_the_rules(programs: Path) -> None:
    done = ran(programs / "promtool", "check", "config", CONFIG / "prometheus.yml")
    assert done.returncode == 0, done.stderr
    assert "11 rules" in done.stdout


def test_each_alert_fires_where_it_should_and_not_beside_it(programs: Path) -> None:
    done = ran(programs / "promtool", "test", "rules", ROOT / "tests" / "configs" / "alerts_test.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('outcome="timeout"}[15m])) >= 1', 'outcome="timeout"}[15m])) >= 2'),
        (">= 10", ">= 8"),
        ("> 900", "> 90000"),
        ("for: 2m", "for: 30m"),
    ],
)
def test_a_changed_limit_is_noticed(right: str, wrong: str, programs: Path, tmp_path: Path) -> None:
    rules = (CONFIG / "alerts.yaml").read_text()
    assert right in rules
    (tmp_path / "alerts.yaml").write_text(rules.replace(right, wrong))
    tests = (ROOT / "tests" / "configs" / "alerts_test.yaml").read_text()
    (tmp_path / "alerts_test.yaml").write_text(tests.replace("../../collector/config/alerts.yaml", "alerts.yaml"))
    assert ran(programs / "promtool", "test", "rules", tmp_path / "alerts_test.yaml").returncode != 0


def test_every_alert_has_a_test() -> None:
    rules = (CONFIG / "alerts.yaml").read_text()
    names = [line.split("alert: ")[1] for line in rules.splitlines() if "- alert: " in line]
    tests = (ROOT / "tests" / "configs" / "alerts_test.yaml").read_text()
    assert [name for name in names if f"alertname: {name}" not in tests] == []


def test_the_specification_s_loader_reads_the_compose_file(programs: Path) -> None:
    done = ran(programs / "compose", ROOT / "collector" / "compose.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert set(json.loads(done.stdout)["services"]) == {"volumes", "collector", "jaeger", "tempo", "prometheus", "grafana"}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("restart: unless-stopped", "restrat: unless-stopped"), ("queue:/queue", "cue:/queue"), ("volumes: {condition", "volums: {condition")],
)
def test_the_loader_finds_a_fault(right: str, wrong: str, programs: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "collector" / "compose.yaml", tmp_path)
    text = (tmp_path / "compose.yaml").read_text()
    assert right in text
    (tmp_path / "compose.yaml").write_text(text.replace(right, wrong))
    assert ran(programs / "compose", tmp_path / "compose.yaml").returncode == 1
