"""The findings of a check as workflow commands of GitHub, which annotate the lines of a change.

Invariant: a finding is one line, whatever its message and its file's name contain.
"""

from collections.abc import Iterator
from typing import Final

from intent_lsp.core.check.report import CheckFinding, CheckReport, FindingLevel
from intent_lsp.formats.check.report_text import SHORT_COMMIT, further, verdict_line

_COMMANDS: Final = {
    FindingLevel.ERROR: "error",
    FindingLevel.WARNING: "warning",
    FindingLevel.NOTE: "notice",
}
_IN_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def annotation_lines(report: CheckReport) -> Iterator[str]:
    """Yield a workflow command for each finding, errors before warnings before notes.

    The last line is the verdict, as text. The report's remarks are left out. GitHub shows ten
    errors and ten warnings of a step, and the rest in the log alone.
    """
    yield from map(_annotation, report.by_level)
    yield verdict_line(report)


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
