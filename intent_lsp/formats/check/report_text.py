"""The report of a check as lines of text, for people at a terminal and for logs.

A change is one commit, or all that is not committed yet.

Invariant: findings of a change that differ only in their place in the file are written on one line.
"""

from collections.abc import Iterable, Iterator

from intent_lsp.core.check.report import (
    CheckedChange,
    CheckedPart,
    CheckFinding,
    CheckReport,
    FindingLevel,
    IntentSource,
    LineRun,
)
from intent_lsp.core.text import counted

SHORT_COMMIT = 12
_RUNS_SHOWN = 8

_PARTS = {
    CheckedPart.WORK_TREE: "work tree",
    CheckedPart.INDEX: "index",
    CheckedPart.RANGE: "commits",
}
_SOURCES = {
    IntentSource.OPTION: "named by --intent",
    IntentSource.TRAILER: "named by its trailer",
    IntentSource.RECORDS: "named by its records",
    IntentSource.BRANCH: "named by the branch",
    IntentSource.NONE: "",
}


def report_lines(report: CheckReport) -> Iterator[str]:
    """Yield the lines of a report, without line ends. Control characters are not escaped.

    The report's remarks are left out.
    """
    ledger = [each for each in report.findings if each.of_ledger]
    for change in report.changes:
        yield change_line(change, report.part)
        yield from (f"  {line}" for line in _finding_lines(report.of(change)))
    if ledger:
        yield "ledger"
        yield from (f"  {line}" for line in _finding_lines(ledger))
    yield verdict_line(report)


def change_line(change: CheckedChange, part: CheckedPart) -> str:
    """Return one line about a change: what it is, `intents_of` and `coverage_of` it.

    If the change was not judged, the line has the reason instead of intents and numbers. `part` is
    what was checked. It names a change that is not a commit, such as `work tree`.
    """
    name = _PARTS[part] if change.commit is None else f"commit {change.commit[:SHORT_COMMIT]}"
    if change.subject:
        name += f" {change.subject}"
    if change.skipped:
        return f"{name}: not judged: {change.skipped}"
    return f"{name}: {intents_of(change)}; {coverage_of(change)}"


def intents_of(change: CheckedChange) -> str:
    """Return a change's intents and what names them, such as `INT-001 named by its trailer`.

    Return `no intent` if the change has none.
    """
    if not change.intents:
        return "no intent"
    return f"{', '.join(change.intents)} {_SOURCES[change.source]}".rstrip()


def coverage_of(change: CheckedChange) -> str:
    """Return how much of a change was judged, such as `3 files, 10 of 12 hunks recorded`.

    Return `nothing to judge` if the change has no hunks.
    """
    if not change.hunks:
        return "nothing to judge"
    hunks, files = counted(change.hunks, "hunk"), counted(change.files, "file")
    return f"{files}, {change.recorded:,} of {hunks} recorded"


def verdict_line(report: CheckReport) -> str:
    """Return the last line: whether the check passes, and the numbers of findings and records."""
    counts = [
        counted(report.count(level), level.value) for level in FindingLevel if report.count(level)
    ]
    found = ", ".join(counts) or "nothing found"
    records = counted(report.records, "record")
    outcome = "passed" if report.ok else "failed"
    return f"{outcome}: {found}; ledger of {records}"


def shown_runs(runs: Iterable[LineRun | None]) -> str:
    """Return runs of lines as `:3-9,20`, each once, or "" if there are none.

    None in `runs` stands for a whole file, and is left out. At most eight runs are shown, and the
    others counted.
    """
    told = [
        f"{run.first}" if run.first == run.last else f"{run.first}-{run.last}"
        for run in dict.fromkeys(runs)
        if run is not None
    ]
    more = f" (and {len(told) - _RUNS_SHOWN} more)" if len(told) > _RUNS_SHOWN else ""
    return f":{','.join(told[:_RUNS_SHOWN])}{more}" if told else ""


def _finding_lines(findings: Iterable[CheckFinding]) -> Iterator[str]:
    alike: dict[tuple[object, ...], list[CheckFinding]] = {}
    for each in findings:
        key = (each.level, each.code, each.path, each.message, each.undone)
        alike.setdefault(key, []).append(each)
    for same in alike.values():
        first = same[0]
        runs = shown_runs(each.lines for each in same)
        place = f"{first.shown_path}{runs}: " if first.path is not None else ""
        yield f"{first.level.value} {first.code} {place}{first.message}{further(first)}"


def further(finding: CheckFinding) -> str:
    """Return the sentences to append to a finding's message, or "" if there are none.

    They name the owners of the file, and say that a later commit undid the change.
    """
    owners = ", ".join(finding.owners)
    owned = f" Owned by {owners}." if owners else ""
    undone = " A later commit undid the change, so this is only a note." if finding.undone else ""
    return owned + undone
