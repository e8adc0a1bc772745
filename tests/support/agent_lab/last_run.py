"""The table of the last run of the journeys with real agent hosts, in `docs/agent-hosts.md`."""

import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.agent_lab.host import Host
from tests.support.agent_lab.recordings import DATA

PAGE = Path(__file__).parents[3] / "docs" / "agent-hosts.md"
_TESTS = Path(__file__).parents[2] / "agents" / "test_journeys.py"
_TABLE = re.compile(r"^\| host \| version \| last run .*?(?=^[^|]|\Z)", re.MULTILINE | re.DOTALL)
_HEAD = """\
| host | version | last run | journeys | seconds of a journey | hooks fire for MCP tools |
| --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOutcome:
    """The journeys of one host: how many passed, how many it cannot make, and their seconds."""

    passed: int
    skipped: int
    seconds: float


def outcomes(
    reports: Iterable[pytest.TestReport],
    failed: Iterable[pytest.TestReport],
    hosts: Iterable[str],
) -> Mapping[str, HostOutcome]:
    """Return the outcomes of the hosts that were taken through every journey without a failure.

    `reports` are those of journeys that passed or are not possible. The name of the host stands in
    the id of each test.
    """
    found, missed = list(reports), list(failed)
    hosts = [host for host in hosts if not any(_is_of(report, host) for report in missed)]
    of_hosts = {host: [report for report in found if _is_of(report, host)] for host in hosts}
    return {host: _outcome(of) for host, of in of_hosts.items() if _names(of) == journeys()}


def write(page: str, found: Mapping[str, HostOutcome], hosts: Mapping[str, Host]) -> str:
    """Return the page with a new row for each host that has run; other rows stay."""
    old = _TABLE.search(page)
    assert old is not None
    rows = {row.split("|")[1].strip(): row for row in old[0].splitlines()[2:]}
    today = datetime.now(UTC).date().isoformat()
    for name, outcome in found.items():
        rows[name] = _row(hosts[name], outcome, today)
    table = _HEAD + "".join(f"{row}\n" for row in rows.values())
    return page[: old.start()] + table + page[old.end() :]


def journeys() -> set[str]:
    return set(
        re.findall(
            r"^(?:async )?def (test_\w+)\(", _TESTS.read_text(encoding="utf-8"), re.MULTILINE
        )
    )


def _names(reports: Iterable[pytest.TestReport]) -> set[str]:
    return {report.nodeid.rpartition("::")[2].partition("[")[0] for report in reports}


def _is_of(report: pytest.TestReport, host: str) -> bool:
    return re.search(rf"\[(?:\d+-)?{host}(?:-\d+)?\]$", report.nodeid) is not None


def _outcome(reports: list[pytest.TestReport]) -> HostOutcome:
    passed = [report for report in reports if report.passed and report.when == "call"]
    return HostOutcome(
        passed=len(passed),
        skipped=sum(report.skipped for report in reports),
        seconds=statistics.median(report.duration for report in passed) if passed else 0.0,
    )


def _row(host: Host, outcome: HostOutcome, day: str) -> str:
    journeys = f"{outcome.passed} passed"
    if outcome.skipped:
        journeys += f", {outcome.skipped} not possible"
    fires = "yes" if any((DATA / host.name).glob("mcp.*.json")) else "not seen"
    cells = [host.name, host.version, day, journeys, f"{outcome.seconds:.0f}", fires]
    return f"| {' | '.join(cells)} |"
