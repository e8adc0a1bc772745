"""The shapes on the wire: params strictly read, answers spelled (protocol section 2)."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import EMPTY_HASH
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.findings import Severity
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.ledger.chain import Head
from intent_lsp.core.ledger.verification import LedgerProblem, Verification
from intent_lsp.doors.lsp.wire.answers import draft_wire, status_wire, trace_wire
from intent_lsp.formats.intents.intent_json import context_json, intent_json
from intent_lsp.formats.ledger.jsonl import to_wire
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import (
    CommonParams,
    DraftParams,
    PathParams,
    PlaceParams,
    SelectParams,
    TraceParams,
    VerifyParams,
    WirePosition,
    WireRange,
)
from intent_lsp.formats.result_json import verification_json
from intent_lsp.governance.calls.call_answers import judgement_json
from tests.governance.editor import INTENTS, Editor

SHAPES: tuple[type[msgspec.Struct], ...] = (
    CommonParams,
    SelectParams,
    PathParams,
    TraceParams,
    VerifyParams,
    DraftParams,
    PlaceParams,
)


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    (tmp_path / ".orchestration").mkdir()
    (tmp_path / ".orchestration/active_intents.yaml").write_text(INTENTS)
    opened = Editor.open(tmp_path)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "given_",
    [
        {"intentId": "INT-001", "sessionId": "s", "agentId": "a", "workspaceUri": "file:///w"},
        {"intent_id": "INT-001", "session_id": "s", "agent_id": "a", "workspace_uri": "file:///w"},
    ],
)
def test_params_are_read_in_either_spelling(given_: object) -> None:
    assert read_params(given_, SelectParams) == SelectParams(
        intent_id="INT-001", session_id="s", agent_id="a", workspace_uri="file:///w"
    )


def test_a_file_path_is_a_path() -> None:
    assert read_params({"file_path": "a.py"}, PathParams) == PathParams(path="a.py")


def test_absent_params_are_empty_and_unknown_ones_pass() -> None:
    assert (
        read_params(None, CommonParams)
        == read_params({"new": 1, "": 2}, CommonParams)
        == CommonParams()
    )


def test_places_and_moments_are_read() -> None:
    told = {"start": {"line": 1, "character": 2}, "end": {"line": 3, "character": 4}}
    assert read_params({"uri": "file:///a", "range": told, "version": 7}, PlaceParams) == (
        PlaceParams(
            uri="file:///a", range=WireRange(WirePosition(1, 2), WirePosition(3, 4)), version=7
        )
    )
    since = read_params({"since": "2026-02-16T13:00:00.5+01:00"}, TraceParams).since
    assert since == datetime(2026, 2, 16, 12, 0, 0, 500_000, tzinfo=UTC)
    assert read_params({"workDoneToken": 7}, VerifyParams).work_done_token == 7


@pytest.mark.parametrize(
    ("told", "shape", "named"),
    [
        (["x"], CommonParams, "params"),
        ("x", CommonParams, "params"),
        ({}, SelectParams, "intentId"),
        ({"intentId": 7}, SelectParams, "params.intentId"),
        ({"intent_id": None}, SelectParams, "params.intentId"),
        ({"intentId": ""}, SelectParams, "params.intentId"),
        ({"intentId": "x" * 257}, SelectParams, "params.intentId"),
        ({"sessionId": "x" * 257}, CommonParams, "params.sessionId"),
        ({"agentId": []}, CommonParams, "params.agentId"),
        ({"workspaceUri": {}}, CommonParams, "params.workspaceUri"),
        ({"path": 7}, PathParams, "params.path"),
        ({"uri": True}, PathParams, "params.uri"),
        ({"limit": 0}, TraceParams, "params.limit"),
        ({"limit": 1001}, TraceParams, "params.limit"),
        ({"limit": "20"}, TraceParams, "params.limit"),
        ({"limit": True}, TraceParams, "params.limit"),
        ({"cursor": 7}, TraceParams, "params.cursor"),
        ({"since": "yesterday"}, TraceParams, "params.since"),
        ({"since": "2026-02-30T12:00:00Z"}, TraceParams, "params.since"),
        ({"since": "2026-02-16T12:00:00"}, TraceParams, "params.since"),
        ({"workDoneToken": 1.5}, VerifyParams, "params.workDoneToken"),
        ({}, DraftParams, "id"),
        ({"uri": "a", "version": "1"}, PlaceParams, "params.version"),
        ({"uri": "a", "range": {"start": {"line": "1"}}}, PlaceParams, "params.range.start.line"),
        ({"uri": "a", "range": {"start": 1}}, PlaceParams, "params.range.start"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    told: object, shape: type[msgspec.Struct], named: str
) -> None:
    with pytest.raises(WrongParamsError) as problem:
        read_params(told, shape)
    said = str(problem.value)
    assert said.startswith("params")
    assert named in said
    assert "$" not in said


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(["intentId", "intent_id", "path", "uri", "limit", "since", "id", "range"])


@given(st.one_of(JSON, st.dictionaries(KEYS, JSON)), st.sampled_from(SHAPES))
def test_any_params_are_read_or_refused(told: object, shape: type[msgspec.Struct]) -> None:
    read: object
    try:
        read = read_params(told, shape)
    except WrongParamsError as problem:
        read = problem
    assert isinstance(read, (shape, WrongParamsError))


def test_an_intent_is_spelled_in_camel_case() -> None:
    intent = Intent(id=IntentId("I"), name="One", owned_scope=("a",), created_at="2026-01-01")
    assert intent_json(intent, ("INTENT_IGNORED",)) == {
        "id": "I",
        "name": "One",
        "status": "PLANNED",
        "ownedScope": ["a"],
        "constraints": [],
        "acceptanceCriteria": [],
        "relatedFiles": [],
        "recentHistory": [],
        "specification": "I",
        "createdAt": "2026-01-01",
        "flags": ["INTENT_IGNORED"],
    }


def test_a_status_is_spelled_with_its_heads(editor: Editor) -> None:
    record = editor.save("a.py", "x\n").record
    assert record is not None
    told = status_wire(editor.governance.status(editor.session.id))
    assert json.loads(json.dumps(told)) == {
        "root": str(editor.root),
        "enabled": True,
        "fileState": "ok",
        "sessionId": editor.session.id,
        "activeIntentId": None,
        "stage": "checkout_required",
        "turn": 1,
        "enforcement": "warn",
        "records": 1,
        "heads": [record.integrity.record_hash],
        "failures": 0,
        "blindHosts": [],
        "version": told["version"],
    }
    (editor.root / ".orchestration/active_intents.yaml").unlink()
    told = status_wire(editor.governance.status(editor.session.id))
    assert told["reason"] == ".orchestration/active_intents.yaml is missing"


def test_a_decision_carries_the_refusal_verbatim(editor: Editor) -> None:
    editor.select("INT-001")
    before = editor.will_save("a.py", "x\n")
    told = judgement_json(before.judgement, "file:///a.py")
    message = "Scope Violation: INT-001 is not authorized to edit a.py. Request scope expansion."
    assert json.loads(json.dumps(told)) == {
        "allowed": False,
        "scopeValidation": "FAIL",
        "intentId": "INT-001",
        "mutationClass": None,
        "files": [{"path": "a.py", "uri": "file:///a.py", "preHash": None}],
        "ticket": None,
        "warnings": [],
        "reason": message,
        "error": {
            "type": "HOOK_PRE_TOOL_DENIED",
            "code": "SCOPE_VIOLATION",
            "message": message,
            "details": {
                "intent_id": "INT-001",
                "paths": ["a.py"],
                "owned_scope": ["src/auth/**"],
                "owning_intents": {"a.py": []},
            },
        },
    }


def test_a_decision_that_allows_carries_its_warnings(editor: Editor) -> None:
    editor.select("INT-004")
    told = judgement_json(editor.will_save("lib/a.py", "x\n").judgement, "file:///a")
    assert (told["allowed"], told["scopeValidation"]) == (True, "PASS")
    assert told["warnings"] == ["Intent INT-004 is BLOCKED, but may still be worked on."]
    assert "reason" not in told
    unseen = judgement_json(editor.will_save(".git/x", "x\n").judgement, "file:///a")
    assert (unseen["allowed"], unseen["scopeValidation"], unseen["warnings"]) == (
        True,
        "EXEMPT",
        [],
    )


def test_a_context_and_a_trace_are_spelled(editor: Editor) -> None:
    editor.select("INT-002")
    record = editor.save("docs/guide.md", "x\n").record
    assert record is not None
    told = context_json(editor.select("INT-002").context)
    assert told["intent"]["constraints"] == ["British spelling"]
    assert [file["path"] for file in told["relatedFiles"]] == ["docs/guide.md"]
    assert told["recentRecords"] == [to_wire(record)]
    assert set(told) == {
        "intent",
        "architecturalConstraints",
        "relatedFiles",
        "recentRecords",
        "truncated",
    }
    assert trace_wire(record) == {
        "recordId": record.id,
        "paths": ["docs/guide.md"],
        "intentId": "INT-002",
        "scopeValidation": "PASS",
    }


def test_a_verification_is_spelled_with_its_heads() -> None:
    problem = LedgerProblem(
        code=LedgerCode.BAD_HASH, severity=Severity.ERROR, file="x", line=3, message="No."
    )
    found = Verification(
        ok=False,
        records=2,
        segments=1,
        heads=(Head(EMPTY_HASH, 2, "s"),),
        problems=(problem,),
        proved="p",
        conditional="c",
    )
    assert json.loads(json.dumps(verification_json(found))) == {
        "ok": False,
        "records": 2,
        "segments": 1,
        "heads": [EMPTY_HASH],
        "problems": [
            {"code": "BAD_HASH", "severity": "error", "file": "x", "line": 3, "message": "No."}
        ],
        "anchors": [],
        "proved": "p",
        "conditional": "c",
    }


def test_a_draft_is_listed_without_its_text(editor: Editor) -> None:
    editor.policy("  enforcement: block\n")
    draft = editor.will_save("a.py", "x\n").draft
    assert draft is not None
    assert draft_wire(draft) == {
        "id": draft.id,
        "path": "a.py",
        "createdAt": draft.created_at,
        "code": "NO_ACTIVE_INTENT",
        "intentId": None,
    }
