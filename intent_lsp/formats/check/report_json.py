"""The report of a check as JSON: as our own object, and as a log for code scanning services.

The object is specified in protocol section 5.3, the log is one of SARIF 2.1.0.

Invariant: places in the log are relative to git's top level (`%SRCROOT%`), and percent-encoded.
Invariant: a result of the log keeps its partial fingerprint while its lines move.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_from_bytes

from intent_lsp.core.check.report import CheckedChange, CheckFinding, CheckReport, FindingLevel
from intent_lsp.core.text import escape_unseen, whole
from intent_lsp.formats.check.report_text import further

SARIF_VERSION: Final = "2.1.0"
SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT: Final = "intentHunk/v1"

_TOOL: Final = "intent-lsp"
_SOURCE_ROOT: Final = "%SRCROOT%"
_WAY_OUT: Final = "**Way out:**"
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
"""A link of Markdown. The pages that `codes.md` links to are not beside the log."""


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


def check_sarif(
    report: CheckReport, *, version: str, sections: Mapping[str, str]
) -> dict[str, Any]:
    """Return the report as a SARIF log. `sections` are the texts of `codes.md`, by code.

    `version` is the version of intent-lsp. Only codes of the report's findings become rules.
    """
    codes = sorted({each.code for each in report.findings})
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": _TOOL,
                "semanticVersion": version,
                "rules": [_rule(code, sections.get(code, "")) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _SOURCE_ROOT: {"description": {"text": "The top level of the git work tree."}}
        },
        "results": [_result(each, codes) for each in report.findings],
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": 0 if report.ok else 1,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": _shown(each)}} for each in report.remarks
                ],
            }
        ],
    }
    return {"$schema": SARIF_SCHEMA, "version": SARIF_VERSION, "runs": [run]}


def _rule(code: str, section: str) -> dict[str, Any]:
    """Return the description of a code as a SARIF rule, from its section in `codes.md`.

    If `section` is "", the rule has only an id and a name.
    """
    name = "".join(word.capitalize() for word in code.split("_"))
    rule: dict[str, Any] = {"id": code, "name": name}
    section = _LINK.sub(r"\1", section)
    about, _, way_out = section.partition(_WAY_OUT)
    paragraphs = about.strip().split("\n\n")
    if paragraphs[0]:
        sentence, dot, _ = paragraphs[0].partition(". ")
        rule["shortDescription"] = {"text": sentence + dot.rstrip()}
        rule["fullDescription"] = {"text": paragraphs[0]}
        way_out = way_out.strip()
        rule["help"] = {"text": f"Way out: {way_out}", "markdown": section}
    return rule


def _result(finding: CheckFinding, codes: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": finding.level.value,
        "message": {"text": _shown(finding.message + further(finding))},
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {
            "intentIds": list(finding.intents),
            "owners": list(finding.owners),
            "commit": finding.commit,
            "undone": finding.undone,
        },
    }
    if finding.path is not None:
        result["locations"] = [_location(finding)]
    return result


def _location(finding: CheckFinding) -> dict[str, Any]:
    place: dict[str, Any] = {
        "artifactLocation": {"uri": file_reference(finding.shown_path), "uriBaseId": _SOURCE_ROOT}
    }
    lines = finding.head_lines
    if lines is not None:
        place["region"] = {"startLine": lines.first, "endLine": lines.last}
    return {"physicalLocation": place}


def file_reference(path: str) -> str:
    """Return a path as a percent-encoded URI reference.

    Colons are encoded too, so that no reader takes the start of a path for a scheme.
    """
    encoded = quote_from_bytes(path.encode("utf-8", "surrogateescape"), safe="/")
    return encoded.replace(":", "%3A")


def _shown(text: str) -> str:
    return whole(escape_unseen(text))
