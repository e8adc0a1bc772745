"""The report of a check for a code host: Markdown of a summary, and annotations of lines.

The Markdown is for the summary of a job or a comment on a merge request. An annotation is a line
that GitHub reads as a workflow command.

Invariant: in Markdown, no name and no message is markup.
Invariant: an annotation is one line, whatever its message and its file's name contain.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.check.report import CheckedChange, CheckFinding, CheckReport, FindingLevel
from intent_lsp.core.text import counted
from intent_lsp.formats.check.report_text import (
    SHORT_COMMIT,
    coverage_of,
    further,
    intents_of,
    shown_runs,
    verdict_line,
)
from intent_lsp.formats.markdown.escape import in_code, in_prose

SUMMARY_OPENING: Final = "## Intents: "
"""What every summary begins with."""

_LISTED: Final = 100
"""The most findings, and the most changes, that are listed."""

_COMMANDS: Final = {
    FindingLevel.ERROR: "error",
    FindingLevel.WARNING: "warning",
    FindingLevel.NOTE: "notice",
}
_IN_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def check_markdown(report: CheckReport) -> str:
    """Return the report as Markdown. At most 100 findings and 100 changes are listed."""
    return "\n".join(_lines(report)) + "\n"


def annotation_lines(report: CheckReport) -> Iterator[str]:
    """Yield a workflow command for each finding, errors before warnings before notes.

    The last line is the verdict, as text. The report's remarks are left out. GitHub shows at most
    ten errors and ten warnings of a step as annotations, and all of them in the log.
    """
    yield from map(_annotation, report.by_level)
    yield verdict_line(report)


def _lines(report: CheckReport) -> Iterator[str]:
    yield f"{SUMMARY_OPENING}{'passed' if report.ok else 'failed'}"
    yield ""
    yield f"{in_prose(verdict_line(report))}."
    if report.findings:
        yield ""
        yield from _findings(report)
    if report.changes:
        yield ""
        yield from _changes(report.changes)
    for remark in report.remarks:
        yield ""
        yield f"Note: {in_prose(remark)}."


def _findings(report: CheckReport) -> Iterator[str]:
    yield "| level | code | place | what |"
    yield "| --- | --- | --- | --- |"
    for finding in report.by_level[:_LISTED]:
        what = in_prose(finding.message + further(finding))
        yield f"| {finding.level.value} | {finding.code} | {_place(finding)} | {what} |"
    yield from _left_out(len(report.findings), "finding")


def _changes(changes: Sequence[CheckedChange]) -> Iterator[str]:
    yield "| change | intent | judged |"
    yield "| --- | --- | --- |"
    for change in changes[:_LISTED]:
        judged = f"not judged: {change.skipped}" if change.skipped else coverage_of(change)
        intents = "" if change.skipped else intents_of(change)
        yield f"| {_change(change)} | {in_prose(intents)} | {in_prose(judged)} |"
    yield from _left_out(len(changes), "change")


def _left_out(count: int, noun: str) -> Iterator[str]:
    if count > _LISTED:
        yield ""
        yield f"And {counted(count - _LISTED, f'more {noun}')}."


def _place(finding: CheckFinding) -> str:
    if finding.path is None:
        return ""
    place = f"`{in_code(finding.shown_path + shown_runs([finding.lines]))}`"
    commit = "" if finding.commit is None else f" in {finding.commit[:SHORT_COMMIT]}"
    return place + commit


def _change(change: CheckedChange) -> str:
    if change.commit is None:
        return "uncommitted"
    return f"{change.commit[:SHORT_COMMIT]} {in_prose(change.subject)}".rstrip()


def _annotation(finding: CheckFinding) -> str:
    told = {"title": finding.code}
    if finding.path is not None:
        told["file"] = finding.shown_path
    if finding.head_lines is not None:
        told["line"] = str(finding.head_lines.first)
        told["endLine"] = str(finding.head_lines.last)
    properties = ",".join(f"{name}={value.translate(_IN_PROPERTY)}" for name, value in told.items())
    commit = "" if finding.commit is None else f" (commit {finding.commit[:SHORT_COMMIT]})"
    message = (finding.message + further(finding) + commit).translate(_IN_DATA)
    return f"::{_COMMANDS[finding.level]} {properties}::{message}"
