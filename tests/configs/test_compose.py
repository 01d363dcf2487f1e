"""compose.yaml, read: every image pinned, every file there, nothing open to the network. `tests/stack` has the loader read it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.configs.configs import CONFIG, ROOT, read

COMPOSE: Any = yaml.safe_load((ROOT / "collector" / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
MANIFEST: Any = yaml.safe_load((ROOT / "collector" / "build" / "collector.yaml").read_text())
every_service = pytest.mark.parametrize("name", SERVICES)


@every_service
def test_the_image_is_pinned_to_one_version(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9/.-]+:v?\d+\.\d+\.\d+", SERVICES[name]["image"])


def test_the_collector_s_image_is_of_the_release_that_is_built_here() -> None:
    assert SERVICES["collector"]["image"].endswith(f":{MANIFEST['dist']['version']}")
    modules = [
        part["gomod"].split() for kind in ("receivers", "processors", "connectors", "exporters", "extensions") for part in MANIFEST[kind]
    ]
    assert {version for _, version in modules} == {f"v{MANIFEST['dist']['version']}"}


@every_service
def test_ports_are_open_to_this_machine_alone(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", ()))


@every_service
def test_every_mounted_file_and_volume_is_there(name: str) -> None:
    for mount in SERVICES[name]["volumes"]:
        source, target, *_ = mount.split(":")
        if source.startswith("."):
            assert (ROOT / "collector" / source).exists(), mount
        else:
            assert source in COMPOSE["volumes"]
        assert target.startswith("/")


@every_service
def test_every_configuration_that_is_named_is_mounted(name: str) -> None:
    service = SERVICES[name]
    mounts = {target: source for source, target, *_ in (mount.split(":") for mount in service["volumes"])}
    for argument in service.get("command", ()):
        for path in re.findall(r"config(?:\.file)?=(/\S+)", argument):
            folder, _, file = path.rpartition("/")
            source = mounts.get(path) or f"{mounts[folder]}/{file}"
            assert (ROOT / "collector" / source).is_file()


@pytest.mark.parametrize(("service", "names"), [("collector", ["audit.yaml", "to-tempo.yaml"]), ("jaeger", ["jaeger.yaml"])])
def test_every_address_that_is_set_is_read_and_none_stays_on_the_container_s_loopback(service: str, names: list[str]) -> None:
    read_here = set(re.findall(r"\$\{env:(\w+)", "".join((CONFIG / name).read_text() for name in names)))
    listening = dict(
        re.findall(r"\$\{env:(\w+):-(127\.0\.0\.1:\d+|/var/lib\S*?)\}", "".join((CONFIG / name).read_text() for name in names))
    )
    given = SERVICES[service]["environment"]
    assert given.keys() - {"GOMEMLIMIT", "GOGC"} <= read_here
    assert {name for name, value in listening.items() if value.startswith("127.")} - {"COLLECTOR_DELTAS"} <= given.keys()


def test_prometheus_reads_the_same_in_compose_as_without() -> None:
    here: Any = read("prometheus.yml")
    there: Any = yaml.safe_load((ROOT / "collector" / "compose" / "prometheus.yml").read_text())
    for job in here["scrape_configs"]:
        for one in job["static_configs"]:
            one["targets"] = [target.replace("127.0.0.1", "collector") for target in one["targets"]]
    assert here == there


def test_grafana_finds_its_sources_and_boards() -> None:
    sources: Any = yaml.safe_load((ROOT / "dashboards/provisioning/datasources/hookspan.yaml").read_text())
    assert {source["type"] for source in sources["datasources"]} == {"prometheus", "tempo", "jaeger"}
    for source in sources["datasources"]:
        host = re.match(r"http://(\w+):", source["url"])
        assert host
        assert host[1] in SERVICES
    boards: Any = yaml.safe_load((ROOT / "dashboards/provisioning/dashboards/hookspan.yaml").read_text())
    path = boards["providers"][0]["options"]["path"]
    assert f"../dashboards/boards:{path}:ro" in SERVICES["grafana"]["volumes"]
    home = SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert (ROOT / "dashboards" / "boards" / home.removeprefix(f"{path}/")).is_file()
