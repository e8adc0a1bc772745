"""The gate for agents' calls: every row, every order of neighbours, approval.

Specified in requirements section 6.
"""

from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.gate import CHECKS, judge_call, rejected, unavailable
from intent_lsp.core.gate.request import (
    Allowed,
    Ask,
    Decision,
    Denied,
    DeniedPath,
    FileFact,
    Unread,
)
from intent_lsp.core.intents import Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import PeopleAsked
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.scope.scope import compile_scope
from tests.support.gate_questions import (
    AUTH,
    CALL,
    DOCS,
    FINE,
    NUMBERS,
    PLACE,
    SPEC,
    A,
    B,
    broken,
    code_of,
)

AVAILABLE = [
    {"id": "INT-001", "name": "Auth", "status": "IN_PROGRESS"},
    {"id": "INT-002", "name": "Docs", "status": "PLANNED"},
]


def _refused(decision: Decision) -> Denied:
    assert isinstance(decision, Denied)
    return decision


MESSAGES = {
    3: "PreToolUse denied Write: intent checkout required for this turn. Call"
    " select_active_intent (intent/select) before mutating tools.",
    4: "PreToolUse denied Write: .orchestration directory contract violation (.orchestration/x does"
    " not belong there). Restore required control-plane files and remove unexpected entries.",
    5: "PreToolUse denied Write: blocked by sidecar policy v3.",
    6: "PreToolUse denied Write: sidecar policy v3 denies mutation for path(s): src/auth/a.py.",
    7: "PreToolUse denied Write: attempted to mutate paths outside the workspace boundary. Paths:"
    " src/auth/a.py",
    8: "You must cite a valid active Intent ID. Call select_active_intent (intent/select) first.",
    9: "You must cite a valid active Intent ID. Intent INT-009 is not in"
    " .orchestration/active_intents.yaml. Available: INT-001, INT-002.",
    10: "You must cite a valid active Intent ID. Intent INT-001 is ABANDONED.",
    11: "Intent INT-001 is excluded by .intentignore and cannot mutate code in this session.",
    12: "Scope Violation: INT-001 is not authorized to edit src/auth/a.py. Request scope"
    " expansion.",
    13: "Stale File: src/auth/a.py changed since it was read. Re-read before writing.",
    14: "Unread File: src/auth/a.py exists and was not read in this turn. Read it before writing.",
    15: "Creating new specs/NNN-* files requires mutation_class INTENT_EVOLUTION.",
}
DETAILS: Mapping[int, Mapping[str, object]] = {
    3: {"available_intents": AVAILABLE},
    4: {"violations": [{"path": ".orchestration/x", "problem": "does not belong there"}]},
    5: {"tool_name": "Write", "policy_version": 3},
    6: {"paths": [{"path": PLACE, "path_glob": "src/**", "reason": "frozen"}]},
    7: {"paths": [PLACE]},
    8: {"available_intents": AVAILABLE},
    9: {"intent_id": "INT-009", "available_intents": AVAILABLE},
    10: {"intent_id": "INT-001", "status": "ABANDONED"},
    11: {"intent_id": "INT-001", "matched_patterns": ["INT-0*"]},
    12: {
        "intent_id": "INT-001",
        "paths": [PLACE],
        "owned_scope": ["src/auth/**"],
        "owning_intents": {PLACE: ["INT-001"]},
    },
    13: {"files": [{"path": PLACE, "expected_hash": A, "current_hash": B}]},
    14: {"paths": [PLACE]},
    15: {"paths": [SPEC], "mutation_class": None},
}


def test_every_row_of_the_table_is_broken_here() -> None:
    assert [row.number for row in CHECKS] == NUMBERS == list(MESSAGES) == list(DETAILS)


def test_a_call_that_breaks_no_row_may_happen() -> None:
    assert judge_call(FINE, CALL) == Allowed(ScopeValidation.PASS)


@pytest.mark.parametrize("number", NUMBERS)
def test_each_row_refuses_in_its_own_words(number: int) -> None:
    denied = _refused(judge_call(*broken(number)))
    assert denied.code is code_of(number)
    assert denied.message == MESSAGES[number]
    assert denied.details == DETAILS[number]


# Rows 8 to 10 shut each other out: what is not there is neither unknown nor closed.
@pytest.mark.parametrize(
    ("first", "second"), [pair for pair in pairwise(NUMBERS) if pair not in {(8, 9), (9, 10)}]
)
def test_of_two_broken_rows_the_first_refuses(first: int, second: int) -> None:
    assert _refused(judge_call(*broken(first, second))).code is code_of(first)
    assert _refused(judge_call(*broken(second))).code is code_of(second)


@given(st.sets(st.sampled_from([number for number in NUMBERS if number not in {8, 9}]), min_size=1))
def test_of_any_broken_rows_the_first_refuses(numbers: set[int]) -> None:
    assert _refused(judge_call(*broken(*numbers))).code is code_of(min(numbers))


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_refused_where_governance_is_off(number: int) -> None:
    question, call = broken(number)
    off = replace(question, governed=False)
    assert judge_call(off, call) == Allowed(ScopeValidation.EXEMPT)


def test_what_changes_nothing_is_exempt_unless_its_tool_is_blocked() -> None:
    question, call = broken(*(number for number in NUMBERS if number != 5))
    reading = replace(call, mutating=False)
    assert judge_call(question, reading) == Allowed(ScopeValidation.EXEMPT)
    blocked = _refused(judge_call(question, replace(reading, blocked=True)))
    assert blocked.code is GateCode.TOOL_BLOCKED


@pytest.mark.parametrize(
    ("active", "checked_out", "cited", "code"),
    [
        ("INT-001", "INT-001", "INT-001", None),
        ("INT-001", "INT-001", "INT-002", GateCode.CHECKOUT_REQUIRED),
        ("INT-001", None, "INT-001", GateCode.CHECKOUT_REQUIRED),
        (None, None, None, GateCode.CHECKOUT_REQUIRED),
        ("INT-009", "INT-001", "INT-009", GateCode.INTENT_NOT_FOUND),
        ("INT-009", None, "INT-009", GateCode.CHECKOUT_REQUIRED),
    ],
)
def test_a_cited_intent_is_the_one_checked_out(
    active: str | None, checked_out: str | None, cited: str | None, code: GateCode | None
) -> None:
    call = replace(CALL, checked_out=checked_out, cited=cited)
    decision = judge_call(replace(FINE, active_intent=active), call)
    assert (decision.code if isinstance(decision, Denied) else None) is code
    if isinstance(decision, Denied) and decision.code is GateCode.CHECKOUT_REQUIRED:
        assert decision.message.startswith("You must cite") is (active is None)
        assert decision.details.get("requested_intent") == cited


def test_without_a_checkout_required_the_cited_intent_is_judged_by_itself() -> None:
    free = replace(CALL, require_checkout=False, checked_out=None, cited="INT-002")
    docs = replace(FINE, active_intent="INT-002", scope=compile_scope(DOCS.owned_scope))
    assert _refused(judge_call(docs, free)).code is GateCode.SCOPE_VIOLATION


def test_an_earlier_id_cites_the_intent_that_has_it_now() -> None:
    intents = Intents((replace(AUTH, aliases=("OLD-1",)), DOCS))
    question = replace(FINE, intents=intents, active_intent="OLD-1")
    assert judge_call(question, replace(CALL, cited="OLD-1")) == Allowed(ScopeValidation.PASS)


def test_a_file_that_another_session_claims_is_being_written() -> None:
    claimed = replace(FINE.files[0], claimed_by="other", expected=Unread.NEVER)
    denied = _refused(judge_call(replace(FINE, files=(claimed,)), CALL))
    assert denied.message == (
        "Stale File: src/auth/a.py is being written by another session. Re-read before writing."
    )
    assert denied.details == {
        "files": [{"path": PLACE, "expected_hash": None, "current_hash": A, "claimed_by": "other"}]
    }


def test_every_path_that_fails_is_named() -> None:
    others = tuple(FileFact(path=WorkspacePath(f"docs/{n}.md"), current=A) for n in range(12))
    question = replace(FINE, files=FINE.files + others)
    scope = _refused(judge_call(question, CALL))
    assert "edit docs/0.md (and 11 more). Request" in scope.message
    assert scope.paths == tuple(fact.path for fact in others)
    unread = _refused(
        judge_call(replace(question, scope=compile_scope(["**"])), replace(CALL, require_read=True))
    )
    assert unread.details == {"paths": [fact.path for fact in others]}
    denied = tuple(DeniedPath(fact.path, glob, "") for fact in others for glob in ("a", "b"))
    path = _refused(judge_call(question, replace(CALL, denied_paths=denied)))
    assert path.message.endswith("docs/8.md, docs/9.md, ….")
    assert len(path.paths) == 12


def test_a_new_file_needs_no_reading() -> None:
    new = replace(FINE.files[0], current=None, expected=None, read_this_turn=False)
    decision = judge_call(replace(FINE, files=(new,)), replace(CALL, require_read=True))
    assert decision == Allowed(ScopeValidation.PASS)


@pytest.mark.parametrize("declared", [None, *MutationClass])
def test_a_numbered_specification_is_a_declared_evolution(declared: MutationClass | None) -> None:
    decision = judge_call(FINE, replace(CALL, new_specs=(SPEC,), declared_class=declared))
    if declared is MutationClass.INTENT_EVOLUTION:
        assert decision == Allowed(ScopeValidation.PASS)
    else:
        told = None if declared is None else declared.value
        assert _refused(decision).details == {"paths": [SPEC], "mutation_class": told}


@pytest.mark.parametrize("hitl", PeopleAsked)
@pytest.mark.parametrize("approval", [None, *ApprovalChoice])
@pytest.mark.parametrize("number", [None, *NUMBERS])
def test_a_person_is_asked_last_and_lets_scope_alone_pass(
    hitl: PeopleAsked, approval: ApprovalChoice | None, number: int | None
) -> None:
    question, call = broken(*([] if number is None else [number]))
    decision = judge_call(question, replace(call, hitl=hitl, approval=approval))
    scope = number == 12
    if number is not None and not scope:
        assert _refused(decision).code is code_of(number)
    elif approval is not None:
        assert decision == Allowed(ScopeValidation.PASS)
    elif scope and hitl is PeopleAsked.OUT_OF_SCOPE:
        assert isinstance(decision, Ask)
        assert decision.why.code is GateCode.SCOPE_VIOLATION
    elif scope:
        assert _refused(decision).code is GateCode.SCOPE_VIOLATION
    elif hitl is PeopleAsked.ALWAYS:
        assert isinstance(decision, Ask)
        assert decision.why.code is GateCode.HITL_REJECTED
    else:
        assert decision == Allowed(ScopeValidation.PASS)


@pytest.mark.parametrize("later", [13, 14, 15])
@pytest.mark.parametrize("approval", [None, ApprovalChoice.ONCE])
def test_who_fails_more_than_scope_is_not_worth_a_question(
    later: int, approval: ApprovalChoice | None
) -> None:
    question, call = broken(12, later)
    asking = replace(call, hitl=PeopleAsked.OUT_OF_SCOPE, approval=approval)
    expected = GateCode.SCOPE_VIOLATION if approval is None else code_of(later)
    assert _refused(judge_call(question, asking)).code is expected


def test_the_first_intents_file_is_written_on_a_persons_word() -> None:
    question, call = broken(3, 6, 10, 11, 12)
    first = replace(call, bootstrap=True)
    empty = replace(question, active_intent=None, intents=Intents())
    assert isinstance(judge_call(empty, first), Ask)
    approved = replace(first, approval=ApprovalChoice.ONCE)
    assert judge_call(empty, approved) == Allowed(ScopeValidation.PASS)
    for number in (4, 5, 7, 13, 14, 15):
        question, call = broken(3, number)
        asked = judge_call(replace(question, active_intent=None), replace(call, bootstrap=True))
        assert _refused(asked).code is code_of(number)


def test_what_cannot_be_known_is_said() -> None:
    unknown = replace(CALL, unknown_paths=("`$F` gets its value only when the command runs",))
    nowhere = judge_call(replace(FINE, files=()), unknown)
    assert nowhere == Allowed(ScopeValidation.EXEMPT, unknown.unknown_paths)
    assert judge_call(FINE, unknown) == Allowed(ScopeValidation.PASS, unknown.unknown_paths)


def test_a_blocked_intent_warns() -> None:
    stuck = Intents((replace(AUTH, status=Status.BLOCKED),))
    decision = judge_call(replace(FINE, intents=stuck), CALL)
    assert decision == Allowed(
        ScopeValidation.PASS, ("Intent INT-001 is BLOCKED, but may still be worked on.",)
    )


def test_what_no_row_says_has_words_of_its_own() -> None:
    no = rejected(FINE, "the client cannot ask")
    assert (no.code, no.message) == (
        GateCode.HITL_REJECTED,
        "Mutation rejected by authorization gate.",
    )
    assert no.details == {
        "tool_name": "Write",
        "intent_id": "INT-001",
        "feedback": "the client cannot ask",
    }
    off = unavailable("the disk is gone", FINE.paths)
    assert off.message == (
        "Governance Unavailable: the disk is gone. fail_open is false; mend it or ask the team."
    )
    assert (off.code, off.details) == (
        GateCode.GOVERNANCE_UNAVAILABLE,
        {"cause": "the disk is gone"},
    )
