"""The gate, row by row: its codes, messages and details (requirements section 6)."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.gate import judge_save
from intent_lsp.core.gate.request import (
    EDITOR_SAVE,
    Allowed,
    Decision,
    Denied,
    FileFact,
    GateRequest,
    Unread,
)
from intent_lsp.core.gate.words import open_owners
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.scope.scope import compile_scope
from tests.support.scope_index import index_of

A, B = hash_content(b"a"), hash_content(b"b")

AUTH = Intent(
    id=IntentId("INT-001"),
    name="Auth",
    status=Status.IN_PROGRESS,
    owned_scope=("src/auth/**", "!src/auth/gen/**"),
    aliases=("INT-000",),
)
DOCS = Intent(id=IntentId("INT-002"), name="Docs", owned_scope=("docs/**",))
DONE = Intent(
    id=IntentId("INT-003"), name="Done", status=Status.COMPLETED, owned_scope=("docs/**", "old/**")
)
STUCK = Intent(
    id=IntentId("INT-004"), name="Stuck", status=Status.BLOCKED, owned_scope=("docs/**",)
)
INTENTS = Intents((AUTH, DOCS, DONE, STUCK))
AVAILABLE = [
    {"id": "INT-001", "name": "Auth", "status": "IN_PROGRESS"},
    {"id": "INT-002", "name": "Docs", "status": "PLANNED"},
    {"id": "INT-004", "name": "Stuck", "status": "BLOCKED"},
]


def _file(path: str, **facts: Any) -> FileFact:
    return FileFact(path=WorkspacePath(path), **facts)


def _question(
    *paths: str, active: str | None = "INT-001", intents: Intents = INTENTS
) -> GateRequest:
    intent = None if active is None else intents.get(active)
    return GateRequest(
        governed=True,
        files=tuple(map(_file, paths)),
        active_intent=active,
        intents=intents,
        scope=compile_scope(intent.owned_scope if intent else ()),
        owners=index_of([(each.id, each.owned_scope) for each in intents]).owners,
    )


def _denied(decision: Decision) -> Denied:
    assert isinstance(decision, Denied)
    assert decision.verdict is ScopeValidation.FAIL
    return decision


INSIDE = _question("src/auth/a.py")
IGNORED: Mapping[IntentId, tuple[str, ...]] = {AUTH.id: ("INT-0*", "INT-001")}


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        pytest.param(
            replace(_question("src/db.py", active=None), governed=False),
            Allowed(ScopeValidation.EXEMPT),
            id="row 1: governance is off",
        ),
        pytest.param(INSIDE, Allowed(ScopeValidation.PASS), id="in scope"),
        pytest.param(
            _question("src/auth/a.py", active="INT-000"),
            Allowed(ScopeValidation.PASS),
            id="an earlier id is the intent that has it now",
        ),
        pytest.param(_question(), Allowed(ScopeValidation.PASS), id="no file known"),
        pytest.param(
            _question("docs/a.md", active="INT-004"),
            Allowed(
                ScopeValidation.PASS, ("Intent INT-004 is BLOCKED, but may still be worked on.",)
            ),
            id="BLOCKED warns",
        ),
        pytest.param(
            replace(INSIDE, files=(_file("src/auth/a.py", expected=A, current=A),)),
            Allowed(ScopeValidation.PASS),
            id="read as it is",
        ),
        pytest.param(
            replace(INSIDE, files=(_file("src/auth/a.py", expected=None, current=None),)),
            Allowed(ScopeValidation.PASS),
            id="read as absent, and absent",
        ),
        pytest.param(
            replace(INSIDE, files=(_file("src/auth/a.py", current=A),)),
            Allowed(ScopeValidation.PASS),
            id="never read is not stale",
        ),
        pytest.param(
            replace(INSIDE, ignored={DOCS.id: ("INT-002",)}),
            Allowed(ScopeValidation.PASS),
            id="another intent is ignored",
        ),
    ],
)
def test_an_edit_may_happen(question: GateRequest, decision: Allowed) -> None:
    assert judge_save(question) == decision


@pytest.mark.parametrize(
    ("question", "code", "message", "details"),
    [
        pytest.param(
            replace(INSIDE, files=(_file("src/auth/a.py", outside=True),)),
            GateCode.OUTSIDE_WORKSPACE,
            "PreToolUse denied editor/save: attempted to mutate paths outside the workspace"
            " boundary. Paths: src/auth/a.py",
            {"paths": ["src/auth/a.py"]},
            id="row 7",
        ),
        pytest.param(
            replace(
                INSIDE,
                tool_name="write",
                files=tuple(_file(f"f{n}", outside=True) for n in range(11)),
            ),
            GateCode.OUTSIDE_WORKSPACE,
            "PreToolUse denied write: attempted to mutate paths outside the workspace boundary."
            " Paths: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, …",
            {"paths": [f"f{n}" for n in range(11)]},
            id="row 7, many",
        ),
        pytest.param(
            _question("src/auth/a.py", active=None),
            GateCode.NO_ACTIVE_INTENT,
            "You must cite a valid active Intent ID. Select one with intent.select.",
            {"available_intents": AVAILABLE},
            id="row 8",
        ),
        pytest.param(
            _question("src/auth/a.py", active="INT-009"),
            GateCode.INTENT_NOT_FOUND,
            "You must cite a valid active Intent ID. Intent INT-009 is not in"
            " .orchestration/active_intents.yaml. Available: INT-001, INT-002, INT-004."
            " Select one with intent.select.",
            {"intent_id": "INT-009", "available_intents": AVAILABLE},
            id="row 9",
        ),
        pytest.param(
            _question("src/auth/a.py", active="INT-009", intents=Intents()),
            GateCode.INTENT_NOT_FOUND,
            "You must cite a valid active Intent ID. Intent INT-009 is not in"
            " .orchestration/active_intents.yaml. Available: (none)."
            " Select one with intent.select.",
            {"intent_id": "INT-009", "available_intents": []},
            id="row 9, none",
        ),
        pytest.param(
            _question("src/auth/a.py", active="INT-003"),
            GateCode.INTENT_CLOSED,
            "You must cite a valid active Intent ID. Intent INT-003 is COMPLETED."
            " Select one with intent.select.",
            {"intent_id": "INT-003", "status": "COMPLETED"},
            id="row 10",
        ),
        pytest.param(
            replace(INSIDE, ignored=IGNORED),
            GateCode.INTENT_IGNORED,
            "Intent INT-001 is excluded by .intentignore and cannot mutate code in this session.",
            {"intent_id": "INT-001", "matched_patterns": ["INT-0*", "INT-001"]},
            id="row 11",
        ),
        pytest.param(
            _question("docs/a.md"),
            GateCode.SCOPE_VIOLATION,
            "Scope Violation: INT-001 is not authorized to edit docs/a.md."
            " Request scope expansion.",
            {
                "intent_id": "INT-001",
                "paths": ["docs/a.md"],
                "owned_scope": ["src/auth/**", "!src/auth/gen/**"],
                "owning_intents": {"docs/a.md": ["INT-002", "INT-004"]},
            },
            id="row 12",
        ),
        pytest.param(
            _question("src/auth/a.py", "old/b.md", "src/auth/gen/c.py", active="INT-000"),
            GateCode.SCOPE_VIOLATION,
            "Scope Violation: INT-001 is not authorized to edit old/b.md (and 1 more)."
            " Request scope expansion.",
            {
                "intent_id": "INT-001",
                "paths": ["old/b.md", "src/auth/gen/c.py"],
                "owned_scope": ["src/auth/**", "!src/auth/gen/**"],
                "owning_intents": {"old/b.md": [], "src/auth/gen/c.py": []},
            },
            id="row 12, many",
        ),
        pytest.param(
            _question(
                "a", active="S", intents=Intents((Intent(id=IntentId("S"), specification="REQ-7"),))
            ),
            GateCode.SCOPE_VIOLATION,
            "Scope Violation: REQ-7 is not authorized to edit a. Request scope expansion.",
            {"intent_id": "S", "paths": ["a"], "owned_scope": [], "owning_intents": {"a": []}},
            id="row 12, a specification and an empty scope",
        ),
        pytest.param(
            replace(INSIDE, files=(_file("src/auth/a.py", expected=A, current=B),)),
            GateCode.STALE_FILE,
            "Stale File: src/auth/a.py changed since it was read. Re-read before writing.",
            {"files": [{"path": "src/auth/a.py", "expected_hash": A, "current_hash": B}]},
            id="row 13",
        ),
        pytest.param(
            replace(
                INSIDE,
                files=(
                    _file("src/auth/a.py", expected=A, current=A),
                    _file("src/auth/b.py", expected=A, current=None),
                    _file("src/auth/c.py", expected=None, current=B),
                ),
            ),
            GateCode.STALE_FILE,
            "Stale File: src/auth/b.py (and 1 more) changed since it was read."
            " Re-read before writing.",
            {
                "files": [
                    {"path": "src/auth/b.py", "expected_hash": A, "current_hash": "MISSING"},
                    {"path": "src/auth/c.py", "expected_hash": None, "current_hash": B},
                ]
            },
            id="row 13, gone and come",
        ),
    ],
)
def test_a_row_refuses(
    question: GateRequest, code: GateCode, message: str, details: Mapping[str, object]
) -> None:
    denied = _denied(judge_save(question))
    assert denied.code is code
    assert denied.message == message
    assert denied.details == details


def test_an_ignored_intent_is_not_offered_for_selection() -> None:
    for active in (None, "INT-009"):
        denied = _denied(judge_save(replace(_question(active=active), ignored=IGNORED)))
        offered = denied.details["available_intents"]
        assert isinstance(offered, list)
        names = [each["id"] for each in offered]
        assert AUTH.id not in names
        assert DOCS.id in names
        assert AUTH.id not in denied.message


def test_the_first_row_that_fails_decides() -> None:
    """Everything is wrong at once, and is mended row by row."""
    file = _file("src/db.py", outside=True, expected=A, current=B)
    done = replace(AUTH, status=Status.ABANDONED)
    question = replace(
        _question(active=None, intents=Intents((done,))), files=(file,), ignored=IGNORED
    )
    mended = [question]
    for mend in (
        {"files": (replace(file, outside=False),)},
        {"active_intent": "INT-009"},
        {"active_intent": "INT-001"},
        {"intents": INTENTS},
        {"ignored": {}},
        {"scope": compile_scope(["**"])},
        {"files": (replace(file, outside=False, expected=B),)},
    ):
        mended.append(replace(mended[-1], **mend))
    *refused, allowed = map(judge_save, mended)
    assert [_denied(decision).code for decision in refused] == [
        GateCode.OUTSIDE_WORKSPACE,
        GateCode.NO_ACTIVE_INTENT,
        GateCode.INTENT_NOT_FOUND,
        GateCode.INTENT_CLOSED,
        GateCode.INTENT_IGNORED,
        GateCode.SCOPE_VIOLATION,
        GateCode.STALE_FILE,
    ]
    assert allowed == Allowed(ScopeValidation.PASS)


def test_a_refusal_names_the_files_that_failed() -> None:
    assert _denied(judge_save(_question("src/auth/a.py", "docs/a.md"))).paths == ("docs/a.md",)
    assert _denied(judge_save(_question("a", "b", active=None))).paths == ("a", "b")


def test_fifty_intents_are_listed_and_ten_are_named() -> None:
    intents = Intents(tuple(Intent(id=IntentId(f"I{n}")) for n in range(60)))
    denied = _denied(judge_save(_question("a", active="X", intents=intents)))
    assert "Available: I0, I1, I2, I3, I4, I5, I6, I7, I8, I9, …. Select" in denied.message
    listed = denied.details["available_intents"]
    assert isinstance(listed, list)
    assert [entry["id"] for entry in listed] == [f"I{n}" for n in range(50)]


def test_only_open_intents_own_a_path_and_each_once() -> None:
    twice = replace(DOCS, owned_scope=("docs/**", "docs/*.md"))
    intents = Intents((DONE, twice, STUCK))
    owners = index_of([(each.id, each.owned_scope) for each in intents]).owners
    assert open_owners(intents, owners, WorkspacePath("docs/a.md")) == ("INT-002", "INT-004")


NAMES = st.one_of(st.sampled_from(["a", "src/a", "INT-1", "INT-2", ""]), st.text(max_size=5))
HASHES = st.sampled_from([None, A, B])
FACTS = st.builds(
    FileFact,
    path=NAMES.map(WorkspacePath),
    outside=st.booleans(),
    expected=st.one_of(HASHES, st.just(Unread.NEVER)),
    current=HASHES,
)
ANY_INTENT = st.builds(
    Intent,
    id=NAMES.map(IntentId),
    name=st.text(max_size=3),
    status=st.sampled_from(Status),
    owned_scope=st.lists(st.sampled_from(["**", "src/**", "!a", "[", "{a,"]), max_size=3).map(
        tuple
    ),
    aliases=st.lists(NAMES, max_size=2).map(tuple),
    specification=NAMES,
)


@st.composite
def _questions(draw: st.DrawFn) -> GateRequest:
    intents = Intents(
        tuple(draw(st.lists(ANY_INTENT, max_size=4, unique_by=lambda intent: intent.id)))
    )
    return GateRequest(
        tool_name=draw(st.one_of(st.just(EDITOR_SAVE), st.text(max_size=5))),
        governed=draw(st.sampled_from([True, True, True, False])),
        files=tuple(draw(st.lists(FACTS, max_size=4))),
        active_intent=draw(st.one_of(st.none(), NAMES)),
        intents=intents,
        ignored=draw(st.dictionaries(NAMES.map(IntentId), st.just(("x",)), max_size=1)),
        scope=compile_scope(draw(st.sampled_from([(), ("**",), ("src/**",)]))),
        owners=index_of([(each.id, each.owned_scope) for each in intents]).owners,
    )


@given(_questions())
def test_every_question_has_an_answer(question: GateRequest) -> None:
    decision = judge_save(question)
    match decision:
        case Allowed():
            assert (decision.verdict is ScopeValidation.EXEMPT) is not question.governed
        case Denied():
            assert question.governed
            assert decision.message
            assert set(decision.paths) <= {fact.path for fact in question.files}
    assert judge_save(question) == decision
