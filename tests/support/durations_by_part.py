"""The durations of the tests by part of the gate, printed at the end of a run.

Seconds are those of the tests themselves, added up over all processes. A test that takes longer
than `LONG` says why in its docstring, or is listed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

LONG = 20.0
"""Seconds after which a test has to say why it takes so long."""

_EXPLAINED = "explained"
"""The property of a report whose test has a docstring."""

_PARTS = (
    ("tests/test_tidy.py", "lint and types"),
    ("tests/test_benchmarks.py", "benchmarks, quick"),
    ("tests/editors/", "editors"),
    ("tests/agents/", "agent hosts"),
)
"""The parts that are files, by the beginning of their tests' ids."""


@dataclass(slots=True)
class _Part:
    seconds: float = 0.0
    tests: int = 0


def note_explanations(items: Iterable[pytest.Item]) -> None:
    """Mark the reports of tests with a docstring: the process that prints them has no tests."""
    for item in items:
        function = getattr(item, "function", None)
        if function is not None and function.__doc__:
            item.user_properties.append((_EXPLAINED, True))


def write(reporter: pytest.TerminalReporter) -> None:
    """Print the parts, and the long tests that do not say why."""
    reports = [
        report
        for reports in reporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    ]
    parts: dict[str, _Part] = {}
    taken: dict[str, float] = {}
    for report in reports:
        part = parts.setdefault(_part(report), _Part())
        part.seconds += report.duration
        part.tests += report.when == "call"
        taken[report.nodeid] = taken.get(report.nodeid, 0.0) + report.duration
    reporter.section("time by part", sep="=")
    for name, part in sorted(parts.items(), key=lambda each: -each[1].seconds):
        reporter.write_line(f"{part.seconds:8.1f}s {part.tests:6} tests  {name}")
    explained = {report.nodeid for report in reports if (_EXPLAINED, True) in _properties(report)}
    for test, seconds in _longest(taken):
        if test not in explained:
            reporter.write_line(f"{seconds:8.1f}s without a docstring that says why: {test}")


def _part(report: pytest.TestReport) -> str:
    for start, name in _PARTS:
        if report.nodeid.startswith(start):
            return name
    return "end to end" if "e2e" in report.keywords else "unit"


def _properties(report: pytest.TestReport) -> list[tuple[str, object]]:
    return [(name, value) for name, value in report.user_properties]


def _longest(taken: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(((test, s) for test, s in taken.items() if s > LONG), key=lambda each: -each[1])
