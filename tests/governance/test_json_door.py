"""A door of JSON payloads in a few lines: parse the payload, ask governance, encode the answer."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.findings import Position
from intent_lsp.core.gate.request import ASKABLE, ApprovalAnswer
from intent_lsp.formats.params.calls import (
    ApplyParams,
    ExplainParams,
    ReadParams,
    RecordParams,
    ToolCallParams,
)
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import CommonParams, SelectParams
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.approvals import (
    EXPAND,
    REJECT,
    ApprovalQuestion,
    ApprovalSteps,
    answer_of,
    settled,
)
from intent_lsp.governance.calls.call_answers import applied_json, call_json, outcome_json
from intent_lsp.governance.calls.calls import unknown_ticket
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal, selection_json
from intent_lsp.governance.plan.planning import Granted, Wish
from tests.governance.editor import INTENTS
from tests.support import architecture
from tests.support.repository import Repository

LOGIN, GUIDE, TEXT = "src/auth/login.py", "docs/guide.md", "one\ntwo\n"

Json = dict[str, Any]


class JsonDoor:
    """Answers a named payload with a JSON object. Each method is a parse, a question, an answer."""

    def __init__(self, governance: Governance) -> None:
        self._governance = governance

    def answer(self, name: str, payload: object, *more: str) -> Json:
        try:
            told: Json = getattr(self, name)(payload, *more)
        except WrongParamsError as wrong:
            told = {"error": str(wrong), "field": wrong.field, "cure": wrong.cure}
        return dict(msgspec.json.decode(msgspec.json.encode(told)))

    def select(self, payload: object) -> Json:
        params = read_params(payload, SelectParams)
        session = self._governance.sessions.open_agent(*asker(params))
        done = self._governance.checkout.select(session, params.intent_id, unsaved_file=False)
        return refusal(done) if isinstance(done, CheckoutRefusal) else selection_json(done)

    def read(self, payload: object) -> Json:
        params = read_params(payload, ReadParams)
        path = self._governance.path_named(params)
        return {"path": path, "hash": self._governance.calls.read_now(*asker(params), path)}

    def validate(self, payload: object) -> Json:
        params = read_params(payload, ToolCallParams)
        decision = self._governance.calls.admit(*asker(params), params.call())
        return call_json(decision, self._governance.root)

    def validate_or_ask(self, payload: object, chosen: str) -> Json:
        """Validate a call; a person chooses a title if the gate says to ask one."""
        params = read_params(payload, ToolCallParams)
        admit = partial(self._governance.calls.admit, *asker(params), params.call())

        async def judge(word: ApprovalAnswer) -> CallDecision:
            return admit(word)

        async def ask(question: ApprovalQuestion) -> ApprovalAnswer:
            assert chosen in question.titles, question
            return answer_of(chosen, "a person")

        async def grant(wish: Wish, _: ApprovalAnswer) -> Granted | CheckoutRefusal:
            session = self._governance.sessions.of_agent(*asker(params))
            return self._governance.planning.grant(wish, session, by="a person", unsaved_file=False)

        steps = ApprovalSteps(judge=judge, ask=ask, grant=grant, warn=pytest.fail)
        decision = asyncio.run(settled(asker(params)[0], admit(ASKABLE), steps))
        return call_json(decision, self._governance.root)

    def explain(self, payload: object) -> Json:
        params = read_params(payload, ExplainParams)
        _, decision = self._governance.calls.explain(*asker(params), params.call())
        return call_json(decision, self._governance.root)

    def record(self, payload: object) -> Json:
        params = read_params(payload, RecordParams)
        outcome = self._governance.calls.record(params.ticket, error=params.failure())
        if outcome is None:
            return refusal(unknown_ticket(params.ticket))
        return outcome_json(outcome, self._governance.violations.of(outcome), self._governance.root)

    def apply(self, payload: object) -> Json:
        params = read_params(payload, ApplyParams)
        changes = params.changes(lambda _lines, at: Position(at.line, at.character))
        applied = self._governance.calls.apply(*asker(params), params.call(), changes)
        return applied_json(applied, self._governance.root)


def asker(params: CommonParams) -> tuple[str, str]:
    return params.session_id or "", params.agent_id or ""


def refusal(refused: CheckoutRefusal) -> Json:
    return {"error": refused.message, "code": refused.code.value, **refused.data}


@pytest.fixture
def root(repository: Repository) -> Repository:
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write(LOGIN, TEXT)
    repository.write(GUIDE, TEXT)
    repository.commit()
    return repository


@pytest.fixture
def door(root: Repository) -> Iterator[JsonDoor]:
    with Governance(root.root) as governance:
        yield JsonDoor(governance)


def builder(**fields: object) -> Json:
    return {"sessionId": "builder", **fields}


def writes(path: str, **fields: object) -> Json:
    return builder(toolName="Write", path=path, **fields)


def selected(door: JsonDoor) -> JsonDoor:
    assert door.answer("select", builder(intentId="INT-001"))["intent"]["id"] == "INT-001"
    return door


def code(decision: Json) -> object:
    assert not decision["allowed"]
    return decision["error"]["code"]


def test_this_door_needs_no_other_door() -> None:
    module = architecture.parse("tests.json_door", Path(__file__).read_text(encoding="utf-8"))
    names = [name for _, name in architecture.imports(module)]
    assert "intent_lsp.governance.governance.Governance" in names
    assert [name for name in names if name.startswith("intent_lsp.doors")] == []


def test_a_call_in_scope_is_allowed_made_and_recorded(door: JsonDoor, root: Repository) -> None:
    selected(door)
    before, after = hash_content(TEXT.encode()), hash_content(b"one\nTWO\n")
    read = door.answer("read", builder(path=LOGIN))
    assert read == {"path": LOGIN, "hash": before}
    decision = door.answer("validate", writes(LOGIN, read_hash=before))
    assert (decision["allowed"], decision["scopeValidation"]) == (True, "PASS")
    uri = (root.root / LOGIN).as_uri()
    assert decision["files"] == [{"path": LOGIN, "uri": uri, "preHash": before}]
    root.write(LOGIN, "one\nTWO\n")
    done = door.answer("record", {"ticket": decision["ticket"], "success": True})
    assert done["files"] == [{"path": LOGIN, "uri": uri, "preHash": before, "postHash": after}]
    assert done["recordId"] is not None
    assert done["violations"] == []


def test_a_call_out_of_scope_is_refused(door: JsonDoor) -> None:
    selected(door)
    decision = door.answer("validate", writes(GUIDE))
    assert code(decision) == "SCOPE_VIOLATION"
    assert decision["error"]["details"]["owning_intents"] == {GUIDE: ["INT-002"]}
    assert decision["ticket"] is None
    assert code(door.answer("explain", builder(path=GUIDE))) == "SCOPE_VIOLATION"


def test_a_file_that_changed_since_it_was_read_is_stale(door: JsonDoor, root: Repository) -> None:
    selected(door).answer("read", builder(path=LOGIN))
    root.write(LOGIN, "theirs\n")
    assert code(door.answer("validate", writes(LOGIN))) == "STALE_FILE"
    old = hash_content(TEXT.encode())
    assert code(door.answer("validate", writes(LOGIN, readHash=old))) == "STALE_FILE"


def test_a_whole_text_is_written_if_it_may_be(door: JsonDoor, root: Repository) -> None:
    selected(door)
    place = {"line": 1, "character": 0}
    edit = {"range": {"start": place, "end": place}, "newText": "and a half\n"}
    change = {"changes": {(root.root / LOGIN).as_uri(): [edit]}}
    told = door.answer("apply", builder(toolName="Edit", edit=change))
    assert (told["allowed"], told["applied"]) == (True, True)
    assert (root.root / LOGIN).read_text() == "one\nand a half\ntwo\n"
    assert code(door.answer("apply", writes(GUIDE, newText="x\n"))) == "SCOPE_VIOLATION"
    assert (root.root / GUIDE).read_text() == TEXT


def test_a_subagent_works_for_an_intent_of_its_own(door: JsonDoor) -> None:
    selected(door)
    shared = door.answer("validate", writes(LOGIN, agentId="writer"))
    assert (shared["allowed"], shared["intentId"]) == (True, "INT-001")
    door.answer("select", builder(agentId="writer", intentId="INT-002"))
    own = door.answer("validate", writes(GUIDE, agentId="writer"))
    assert (own["allowed"], own["intentId"]) == (True, "INT-002")
    assert code(door.answer("validate", writes("src/auth/x.py", agentId="writer"))) == (
        "SCOPE_VIOLATION"
    )
    assert code(door.answer("validate", writes("docs/other.md"))) == "SCOPE_VIOLATION"


@pytest.mark.parametrize(
    ("name", "payload", "field", "problem"),
    [
        ("validate", {"toolName": 7}, "toolName", "Expected `str`, got `int`"),
        ("validate", {"path": LOGIN}, "", "Object missing required field `toolName`"),
        ("validate", {"toolName": "Write", "uri": "http://x/a"}, "uri", "is not a file: URI"),
        ("validate", writes(LOGIN, readHash="x"), "readHash", "is not a SHA-256 hash"),
        ("validate", builder(toolName="W", readHash=None), "readHash", "is for exactly one path"),
        ("validate", ["x"], "", "expected an object, got list"),
        ("read", builder(), "path", "a path or a uri is needed"),
        ("read", builder(path="../x"), "path", "is not a relative path to a file inside"),
        ("read", builder(uri="file:///etc/passwd"), "uri", "is not below"),
        ("apply", writes(LOGIN), "newText", "is missing; give newText or edit"),
        ("apply", builder(toolName="W", edit={}), "edit", "the edit changes nothing"),
    ],
)
def test_wrong_params_are_answered_with_the_field_and_a_cure(
    door: JsonDoor, name: str, payload: object, field: str, problem: str
) -> None:
    told = door.answer(name, payload)
    assert told["field"] == field
    assert told["error"].startswith(f"params.{field}: " if field else "params: ")
    assert problem in told["error"]
    assert told["cure"] == "correct that field and send the request again"


def test_what_is_unknown_is_refused_with_a_code(door: JsonDoor) -> None:
    told = door.answer("record", {"ticket": "none", "success": True})
    assert (told["code"], told["ticket"]) == ("TICKET_UNKNOWN", "none")
    assert door.answer("select", builder(intentId="INT-9"))["code"] == "INTENT_NOT_FOUND"


def test_a_person_is_asked_through_what_the_door_gives(door: JsonDoor, root: Repository) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", "sidecar:\n  hitl: out_of_scope\n")
    selected(door)
    rejected = door.answer("validate_or_ask", writes(GUIDE), REJECT)
    assert code(rejected) == "HITL_REJECTED"
    assert door.answer("validate_or_ask", writes(GUIDE), EXPAND)["allowed"]
    assert door.answer("validate", writes(GUIDE))["allowed"]
    assert "docs/guide.md" in (root.root / ".orchestration/active_intents.yaml").read_text()
