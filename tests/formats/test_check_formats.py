"""The report of a check in each of its formats, with names and messages that could be markup."""

import json
import os
from typing import Any

import pytest

from intent_lsp.core.check.report import (
    CheckedChange,
    CheckedPart,
    CheckFinding,
    CheckReport,
    FindingLevel,
    IntentSource,
    LineRun,
)
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.check.code_host import annotation_lines, check_markdown
from intent_lsp.formats.check.report_json import check_json, check_sarif, file_reference
from intent_lsp.formats.check.report_text import report_lines, shown_runs
from intent_lsp.store.packaged_files import sections
from tests.support.sarif_schema import sarif_errors

COMMIT = "1234567890abcdef1234567890abcdef12345678"
REFUSAL = "Scope Violation: INT-001 is not in scope."
REFUSED = f"{REFUSAL} Owned by INT-002."
UNDONE = "A later commit undid the change, so this is only a note."
CHANGE = CheckedChange(
    commit=COMMIT,
    subject="Log in",
    intents=("INT-001",),
    source=IntentSource.TRAILER,
    files=1,
    hunks=2,
    recorded=1,
)
ODD_NAMES = [
    "a b.py",
    "ä:b,c%.py",
    "new\nline.py",
    "::error::x.py",
    "|`<b>x</b>`.py",
    "C:/x.py",
    os.fsdecode(b"b\xff.py"),
    "\u202eevil.py",
]


def finding(path: str | None = "src/a.py", **fields: Any) -> CheckFinding:
    plain: dict[str, Any] = {
        "code": "SCOPE_VIOLATION",
        "level": FindingLevel.ERROR,
        "message": REFUSAL,
        "path": None if path is None else WorkspacePath(path),
        "shown_path": path or "",
        "lines": LineRun(3, 9),
        "head_lines": LineRun(4, 10),
        "commit": COMMIT,
        "intents": ("INT-001",),
        "owners": ("INT-002",),
        "fingerprint": "f" * 32,
    }
    return CheckFinding(**(plain | fields))


def report(*findings: CheckFinding, **fields: Any) -> CheckReport:
    plain: dict[str, Any] = {
        "part": CheckedPart.RANGE,
        "base": "b" * 40,
        "head": COMMIT,
        "changes": (CHANGE,),
        "findings": findings,
        "records": 7,
    }
    return CheckReport(**(plain | fields))


NOTE = finding(level=FindingLevel.NOTE, undone=True)
UNRECORDED = finding(
    code="UNRECORDED_CHANGE",
    level=FindingLevel.WARNING,
    message="No record explains this change.",
    owners=(),
)
LEDGER = finding(
    ".orchestration/agent_trace.jsonl",
    code="BAD_HASH",
    message="the hash does not match",
    commit=None,
    owners=(),
    of_ledger=True,
)


def test_text_tells_each_change_its_findings_and_the_verdict() -> None:
    assert list(report_lines(report(finding(), UNRECORDED, NOTE, LEDGER))) == [
        "commit 1234567890ab Log in: INT-001 named by its trailer; 1 file, 1 of 2 hunks recorded",
        f"  error SCOPE_VIOLATION src/a.py:3-9: {REFUSED}",
        "  warning UNRECORDED_CHANGE src/a.py:3-9: No record explains this change.",
        f"  note SCOPE_VIOLATION src/a.py:3-9: {REFUSED} {UNDONE}",
        "ledger",
        "  error BAD_HASH .orchestration/agent_trace.jsonl:3-9: the hash does not match",
        "failed: 2 errors, 1 warning, 1 note; ledger of 7 records",
    ]
    assert list(report_lines(report(changes=()))) == ["passed: nothing found; ledger of 7 records"]


def test_text_joins_what_is_alike_in_one_file() -> None:
    runs = [LineRun(n, n + n % 2) for n in range(1, 25, 2)]
    lines = list(report_lines(report(*(finding(lines=run) for run in runs))))
    assert lines[1].startswith(
        "  error SCOPE_VIOLATION src/a.py:1-2,3-4,5-6,7-8,9-10,11-12,13-14,15-16 (and 4 more): "
    )
    assert len(lines) == 3
    assert shown_runs([None]) == ""
    assert shown_runs([LineRun(2, 2), LineRun(2, 2), LineRun(5, 7)]) == ":2,5-7"


def test_text_tells_why_a_change_was_not_judged() -> None:
    early = CheckedChange(commit=None, subject="", skipped="there was no intents file")
    empty = CheckedChange(commit=None, subject="")
    shown = report(part=CheckedPart.INDEX, changes=(early, empty))
    assert list(report_lines(shown))[:2] == [
        "index: not judged: there was no intents file",
        "index: no intent; nothing to judge",
    ]


def test_json_has_every_field() -> None:
    value = json.loads(json.dumps(check_json(report(finding(), remarks=("r",)))))
    assert (value["ok"], value["part"], value["records"]) == (False, "range", 7)
    assert value["counts"] == {"error": 1, "warning": 0, "note": 0}
    assert value["remarks"] == ["r"]
    assert value["changes"] == [
        {
            "commit": COMMIT,
            "subject": "Log in",
            "intentIds": ["INT-001"],
            "namedBy": "trailer",
            "agent": None,
            "files": 1,
            "hunks": 2,
            "recorded": 1,
            "notJudged": None,
        }
    ]
    assert value["findings"] == [
        {
            "code": "SCOPE_VIOLATION",
            "level": "error",
            "message": REFUSAL,
            "path": "src/a.py",
            "startLine": 3,
            "endLine": 9,
            "headStartLine": 4,
            "headEndLine": 10,
            "commit": COMMIT,
            "intentIds": ["INT-001"],
            "owners": ["INT-002"],
            "undone": False,
            "fingerprint": "f" * 32,
        }
    ]


def test_annotations_name_the_lines_of_the_head() -> None:
    lines = list(annotation_lines(report(UNRECORDED, NOTE, finding(), finding(None))))
    where, commit = "file=src/a.py,line=4,endLine=10", "(commit 1234567890ab)"
    undone = f"{REFUSED} {UNDONE}"
    assert lines == [
        f"::error title=SCOPE_VIOLATION,{where}::{REFUSED} {commit}",
        f"::error title=SCOPE_VIOLATION,line=4,endLine=10::{REFUSED} {commit}",
        f"::warning title=UNRECORDED_CHANGE,{where}::No record explains this change. {commit}",
        f"::notice title=SCOPE_VIOLATION,{where}::{undone} {commit}",
        "failed: 2 errors, 1 warning, 1 note; ledger of 7 records",
    ]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_annotation_is_one_line_whatever_the_name(name: str) -> None:
    line, _ = annotation_lines(report(finding(name, message=f"{name}\r\n100%")))
    assert line.startswith("::error title=SCOPE_VIOLATION,file=")
    assert not set("\r\n") & set(line)
    properties, _, message = line.removeprefix("::error ").partition("::")
    assert len(properties.split(",")) == 4
    assert ":" not in properties
    assert "%0D%0A100%25" in message


@pytest.mark.parametrize("name", [*ODD_NAMES, "src/a.py", None])
def test_a_sarif_log_obeys_the_specification(name: str | None) -> None:
    gone = finding(name, head_lines=None)
    found = report(finding(name), UNRECORDED, gone, NOTE, LEDGER, remarks=("a remark",))
    log = check_sarif(found, version="0.1.0", sections=sections())
    assert sarif_errors(json.loads(json.dumps(log).encode("utf-8"))) == []


def test_the_check_of_sarif_logs_sees_errors() -> None:
    log = check_sarif(report(finding(), NOTE), version="0.1.0", sections={})
    run = log["runs"][0]
    run["results"][0]["level"] = "fatal"
    run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] = "C:/a b"
    run["results"][1]["ruleIndex"] = 7
    run["results"][1]["partialFingerprint"] = {}
    del run["tool"]["driver"]["name"]
    assert len(sarif_errors(log)) == 7


def test_a_sarif_log_explains_its_codes() -> None:
    log = check_sarif(report(finding(), LEDGER), version="0.1.0", sections=sections())
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["BAD_HASH", "SCOPE_VIOLATION"]
    for rule in rules:
        assert rule["help"]["text"].startswith("Way out: ")
        assert "](" not in json.dumps(rule)
    assert rules[1]["name"] == "ScopeViolation"
    assert rules[1]["shortDescription"]["text"] == (
        "The active intent's owned scope does not match the file."
    )
    results = log["runs"][0]["results"]
    assert results[0]["partialFingerprints"] == {"intentHunk/v1": "f" * 32}


def test_a_file_is_named_relative_to_the_top_level() -> None:
    assert file_reference("src/a b.py") == "src/a%20b.py"
    assert file_reference("C:/x.py") == "C%3A/x.py"
    assert file_reference(os.fsdecode(b"b\xff.py")) == "b%FF.py"
    assert file_reference("ä#?.py") == "%C3%A4%23%3F.py"


def test_markdown_lists_findings_and_changes() -> None:
    page = check_markdown(report(UNRECORDED, finding(), remarks=("nothing else",)))
    place = "`src/a.py:3-9` in 1234567890ab"
    assert page.splitlines() == [
        "## Intents: failed",
        "",
        "failed: 1 error, 1 warning; ledger of 7 records.",
        "",
        "| level | code | place | what |",
        "| --- | --- | --- | --- |",
        f"| error | SCOPE_VIOLATION | {place} | {REFUSED} |",
        f"| warning | UNRECORDED_CHANGE | {place} | No record explains this change. |",
        "",
        "| change | intent | judged |",
        "| --- | --- | --- |",
        "| 1234567890ab Log in | INT-001 named by its trailer | 1 file, 1 of 2 hunks recorded |",
        "",
        "Note: nothing else.",
    ]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_markdown_has_one_row_for_a_finding_whatever_the_name(name: str) -> None:
    page = check_markdown(report(finding(name, message=f"{name} | <b> `x`"), changes=()))
    rows = [line for line in page.splitlines() if line.startswith("| error")]
    assert len(rows) == 1
    assert rows[0].count(" | ") == 3
    assert "<b>" not in page
    page.encode("utf-8")


def test_markdown_leaves_out_what_nobody_would_read() -> None:
    many = report(*(finding(f"src/{n}.py") for n in range(150)), changes=(CHANGE,) * 101)
    page = check_markdown(many)
    assert "And 50 more findings." in page
    assert "And 1 more change." in page
