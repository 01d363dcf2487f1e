"""PromQL over the numbers that the audit collector makes (`collector/config/audit.yaml`), as the boards ask for them."""

from __future__ import annotations

from hookspan.spans import names as n

HERE = 'job=~"$service"'


def label(name: str) -> str:
    """A telemetry name as a label."""
    return name.replace(".", "_")


RECORD, AGENT, TOOL, MODEL, FRAMEWORK = (label(name) for name in (n.RECORD, n.AGENT_NAME, n.TOOL_NAME, n.REQUEST_MODEL, n.FRAMEWORK))
TOOL_OUTCOME, RUN_OUTCOME, STOP_REASON = (label(name) for name in (n.TOOL_OUTCOME, n.RUN_OUTCOME, n.STOP_REASON))
VERDICT, SOURCE, TOKEN_TYPE = (label(name) for name in (n.DECISION_VERDICT, n.DECISION_SOURCE, n.TOKEN_TYPE))
HANDOFF_FROM, HANDOFF_TO, HANDOFF_MECHANISM = (label(name) for name in (n.HANDOFF_FROM, n.HANDOFF_TO, n.HANDOFF_MECHANISM))
HOOK_EVENT, HOOK_NAME, HOOK_OUTCOME, HOOK_SOURCE = (label(name) for name in (n.HOOK_EVENT, n.HOOK_NAME, n.HOOK_OUTCOME, n.HOOK_SOURCE))
LOST_REASON = label(n.LOST_REASON)
OF_AGENT = f'{HERE},{AGENT}=~"$agent"'


def series(metric: str, *matchers: str, of_agent: bool = True) -> str:
    return f"{metric}{{{','.join([OF_AGENT if of_agent else HERE, *matchers])}}}"


def total(metric: str, *matchers: str, by: tuple[str, ...] = (), of_agent: bool = True) -> str:
    """How many in the time that is shown. Without `by` it is 0 where there is none, so that a panel says so."""
    grouped = f" by ({', '.join(by)})" if by else ""
    summed = f"sum{grouped} (increase({series(metric, *matchers, of_agent=of_agent)}[$__range]))"
    return f"{summed} > 0" if by else f"{summed} or vector(0)"


def each(metric: str, *matchers: str, by: tuple[str, ...], of_agent: bool = True) -> str:
    """How many in each step of the time that is shown."""
    return f"sum by ({', '.join(by)}) (increase({series(metric, *matchers, of_agent=of_agent)}[$__interval]))"


def quantile(share: float, *matchers: str, by: tuple[str, ...] = (), over: str = "$__range", of_agent: bool = True) -> str:
    """The duration in seconds below which `share` of the records lie, read from the histogram's buckets."""
    grouped = ", ".join(("le", *by))
    return f"histogram_quantile({share}, sum by ({grouped}) (increase({series('hookspan_duration_seconds_bucket', *matchers, of_agent=of_agent)}[{over}])))"


def mean(*matchers: str, by: tuple[str, ...] = (), of_agent: bool = True) -> str:
    """The mean duration in seconds."""
    grouped = f" by ({', '.join(by)})" if by else ""
    part = {
        kind: f"sum{grouped} (increase({series(f'hookspan_duration_seconds_{kind}', *matchers, of_agent=of_agent)}[$__range]))"
        for kind in ("sum", "count")
    }
    return f"{part['sum']} / ({part['count']} > 0)"
