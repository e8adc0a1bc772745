"""The report of a check as JSON values (protocol section 5.3)."""

from typing import Any

from intent_lsp.core.check.report import (
    CheckedChange,
    CheckFinding,
    CheckReport,
    FindingLevel,
)


def check_json(report: CheckReport) -> dict[str, Any]:
    """Return the report as an object. Lines count from 1; absent values are null."""
    return {
        "ok": report.ok,
        "part": report.part.value,
        "base": report.base,
        "head": report.head,
        "records": report.records,
        "counts": {level.value: report.count(level) for level in FindingLevel},
        "changes": [_change(each) for each in report.changes],
        "findings": [_finding(each) for each in report.findings],
        "remarks": list(report.remarks),
    }


def _change(change: CheckedChange) -> dict[str, Any]:
    return {
        "commit": change.commit,
        "subject": change.subject,
        "intentIds": list(change.intents),
        "namedBy": change.source.value,
        "agent": change.agent or None,
        "files": change.files,
        "hunks": change.hunks,
        "recorded": change.recorded,
        "notJudged": change.skipped or None,
    }


def _finding(finding: CheckFinding) -> dict[str, Any]:
    lines, head = finding.lines, finding.head_lines
    return {
        "code": finding.code,
        "level": finding.level.value,
        "message": finding.message,
        "path": finding.path,
        "startLine": None if lines is None else lines.first,
        "endLine": None if lines is None else lines.last,
        "headStartLine": None if head is None else head.first,
        "headEndLine": None if head is None else head.last,
        "commit": finding.commit,
        "intentIds": list(finding.intents),
        "owners": list(finding.owners),
        "undone": finding.undone,
        "fingerprint": finding.fingerprint,
    }
