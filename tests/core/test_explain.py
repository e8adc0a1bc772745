"""The gate explained: its facts, and the laws that tie its rows to the decision.

Specified in requirements section 6.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.control_plane import Drift
from intent_lsp.core.gate.explain import ExplainedRow, RowOutcome, explain_call, explain_save
from intent_lsp.core.gate.gate import judge_call, judge_save
from intent_lsp.core.gate.request import (
    EDITOR_SAVE,
    Allowed,
    Ask,
    CallFacts,
    Decision,
    Denied,
    DeniedPath,
    FileFact,
    GateRequest,
    Unread,
)
from intent_lsp.core.gate.words import FACT_AT_MOST, shown
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import PeopleAsked
from intent_lsp.core.records import MutationClass
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
from tests.support.hostile_text import texts
from tests.support.scope_index import index_of

PASS, FAIL, SKIPPED = RowOutcome.PASS, RowOutcome.FAIL, RowOutcome.SKIPPED
SAVE = replace(FINE, tool_name=EDITOR_SAVE)
READ = "sha256:ca978112ca1b…"
CHANGED = "sha256:3e23e8160039…"
NOWHERE = "The call does not name the files that it would change, so it passes this check."

FINE_FACTS = {
    1: "Governance is on, so edits of this workspace are judged.",
    2: "This call of Write can change files, so it is judged.",
    3: "The intent INT-001 was checked out in this turn, and the call cites no other.",
    4: "Every entry of .orchestration/ belongs there, or the policy does not refuse"
    " calls because of one that does not (contract: ignore or warn).",
    5: "The team's policy v3 does not block the tool Write (blocked_tools).",
    6: (
        "These are no control files, and the policy (deny_mutations) does not deny them:"
        " src/auth/a.py."
    ),
    7: "Every path stays inside the workspace: src/auth/a.py.",
    8: "The edit is judged under the intent INT-001.",
    9: "The intent INT-001 is in .orchestration/active_intents.yaml.",
    10: "The intent INT-001 has the status IN_PROGRESS, so files may be edited for it.",
    11: "No pattern in .intentignore matches the id INT-001.",
    12: "The intent INT-001 owns src/auth/a.py (by the glob src/auth/**).",
    13: "No file has changed since it was read, and no other session claims one: src/auth/a.py"
    f" (read: {READ}, now: {READ}).",
    14: "The policy does not require that files are read before a change (require_read: false).",
    15: "No new numbered specification would be created.",
    16: "No person has to approve this (hitl: never).",
}
BROKEN_FACTS = {
    3: "No intent was checked out in this turn (require_checkout: true).",
    4: "These files or directories of .orchestration/ are wrong, so the policy refuses calls:"
    " .orchestration/x does not belong there.",
    5: "The team's policy v3 blocks the tool Write (blocked_tools).",
    6: "Agents may not change these control files or files that the policy denies: src/auth/a.py"
    " (by the glob src/**).",
    7: "These paths lead out of the workspace: src/auth/a.py.",
    8: "No intent is active; these can be selected: INT-001, INT-002.",
    9: "The intent INT-009 is not in .orchestration/active_intents.yaml; these can be selected:"
    " INT-001, INT-002.",
    10: "The intent INT-001 has the status ABANDONED, so no file may be edited for it.",
    11: "The id INT-001 matches these patterns in .intentignore: INT-0*.",
    12: "The intent INT-001 does not own src/auth/a.py (no open intent owns it); its globs are:"
    " docs/**.",
    13: "These files changed since they were read, or another session claims them: src/auth/a.py"
    f" (read: {READ}, now: {CHANGED}).",
    14: "These files exist and were not read in this turn (require_read: true): src/auth/a.py.",
    15: "New numbered specifications need the class INTENT_EVOLUTION, but the call declares"
    " none: specs/001-login/spec.md.",
}


def _facts(rows: Sequence[ExplainedRow]) -> dict[int, str]:
    return {row.number: row.fact for row in rows}


def _ended(rows: Sequence[ExplainedRow], outcome: RowOutcome) -> list[int]:
    return [row.number for row in rows if row.outcome is outcome]


def _row(number: int, question: GateRequest, call: CallFacts | None = None) -> ExplainedRow:
    rows = explain_save(question) if call is None else explain_call(question, call)
    return rows[number - 1]


def _owned_by(*intents: Intent, under: Intent, files: Sequence[str]) -> GateRequest:
    return replace(
        FINE,
        files=tuple(FileFact(path=WorkspacePath(path)) for path in files),
        active_intent=under.id,
        intents=Intents(intents),
        scope=compile_scope(under.owned_scope),
        owners=index_of([(each.id, each.owned_scope) for each in intents]).owners,
    )


def test_a_call_that_may_happen_is_explained_by_sixteen_facts() -> None:
    rows = explain_call(FINE, CALL)
    assert _facts(rows) == FINE_FACTS
    assert _ended(rows, PASS) == list(range(1, 17))
    codes = [None, None, *map(code_of, NUMBERS), GateCode.HITL_REJECTED]
    assert [row.code for row in rows] == codes


def test_outcomes_are_spelled_as_the_wire_spells_them() -> None:
    assert [outcome.value for outcome in RowOutcome] == ["pass", "fail", "skipped"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_row_that_fails_says_what_it_saw(number: int) -> None:
    row = _row(number, *broken(number))
    assert (row.outcome, row.fact) == (FAIL, BROKEN_FACTS[number])


def test_rows_after_the_first_that_fails_are_asked_all_the_same() -> None:
    rows = explain_call(*broken(*(number for number in NUMBERS if number not in {8, 9})))
    assert _ended(rows, FAIL) == [3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15]
    assert _ended(rows, SKIPPED) == []


def test_a_file_that_needs_no_owner_is_not_called_owned() -> None:
    cache, old = WorkspacePath("src/auth/a.pyc"), WorkspacePath("docs/b.md")
    free = (FileFact(path=cache, generated=True), FileFact(path=old, puts_back=True))
    question = replace(FINE, files=(*FINE.files, *free), scope=compile_scope(["src/**/*.py"]))
    row = _row(12, question, CALL)
    assert row.outcome is PASS
    assert row.fact == (
        "No file is out of the scope of the intent INT-001: src/auth/a.py (by the glob"
        " src/**/*.py), src/auth/a.pyc (needs no owner: tools leave such files behind), docs/b.md"
        " (needs no owner: the edit restores its content from before a violation)."
    )


def test_a_save_is_not_asked_what_agents_are() -> None:
    rows = explain_save(SAVE)
    assert _ended(rows, PASS) == [1, 2, *range(7, 14)]
    assert _facts(rows)[2] == "A save changes its file, so it is judged."
    asked_of_agents = "Not checked for a person's save; this check is for agents' calls only."
    assert {row.fact for row in rows if row.outcome is SKIPPED} == {asked_of_agents}


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_asked_where_governance_is_off(number: int) -> None:
    question, call = broken(number)
    off = replace(question, governed=False)
    for rows in (explain_call(off, call), explain_save(off)):
        assert _ended(rows, SKIPPED) == list(range(1, 17))
        assert rows[0].fact == "Governance is off, so no edit of this workspace is judged."
        assert {row.fact for row in rows[1:]} == {"Not checked, since governance is off."}


@pytest.mark.parametrize(("blocked", "outcome"), [(False, PASS), (True, FAIL)])
def test_of_a_call_that_changes_nothing_only_the_tool_is_asked(
    blocked: bool,  # noqa: FBT001 -- a parameter of the table
    outcome: RowOutcome,
) -> None:
    question, call = broken(*NUMBERS)
    rows = explain_call(question, replace(call, mutating=False, blocked=blocked, bootstrap=True))
    assert _ended(rows, SKIPPED) == [2, 3, 4, *range(6, 17)]
    assert rows[4].outcome is outcome
    assert (
        rows[1].fact
        == "This call of Write changes no file, so only row 5 (blocked tools) is checked."
    )
    assert {row.fact for row in rows[5:]} == {"Not checked, since the call changes no file."}


@pytest.mark.parametrize(
    ("number", "skipped", "why"),
    [
        (8, [9, 10, 11, 12], "Cannot be checked, since no intent is active."),
        (
            9,
            [10, 11, 12],
            "Cannot be checked, since the intent INT-009 is not in the intents file.",
        ),
    ],
)
def test_without_an_intent_nothing_is_asked_about_it(
    number: int, skipped: list[int], why: str
) -> None:
    question, call = broken(number)
    rows = explain_call(question, call)
    assert _ended(rows, FAIL) == [number]
    assert _ended(rows, SKIPPED) == skipped
    assert {row.fact for row in rows if row.outcome is SKIPPED} == {why}
    assert set(skipped) <= set(_ended(explain_save(question), SKIPPED))


def test_the_first_intent_is_held_to_what_can_be_there() -> None:
    question, call = broken(3, 6)
    first = replace(call, bootstrap=True)
    rows = explain_call(replace(question, active_intent=None, intents=Intents()), first)
    assert _ended(rows, SKIPPED) == [3, 6, 8, 9, 10, 11, 12]
    assert (
        rows[2].fact
        == "Not checked, since there is no intent yet and this call writes the first one."
    )
    assert _ended(rows, FAIL) == [16]
    assert rows[15].fact == (
        "A person has to approve this, and would be asked: the call would write the first intent"
        " (hitl: never)."
    )


CITES_OTHER = replace(CALL, cited="INT-002")
UNREAD_FILE = replace(FINE.files[0], expected=Unread.NEVER, read_this_turn=False)
RENAMED = Intents((replace(AUTH, aliases=("OLD-1",)), DOCS))
STUCK = Intents((replace(AUTH, status=Status.BLOCKED),))
READS = replace(CALL, require_read=True)
EVOLUTION = replace(CALL, new_specs=(SPEC,), declared_class=MutationClass.INTENT_EVOLUTION)
BUG_FIX = replace(CALL, new_specs=(SPEC,), declared_class=MutationClass.BUG_FIX)


@pytest.mark.parametrize(
    ("number", "question", "call", "outcome", "fact"),
    [
        pytest.param(
            3,
            {},
            replace(CALL, require_checkout=False, checked_out=None),
            PASS,
            "The policy does not require a checkout in every turn (require_checkout: false).",
            id="no checkout is required",
        ),
        pytest.param(
            3,
            {},
            replace(CALL, cited="INT-001"),
            PASS,
            "The intent INT-001 was checked out in this turn, and the call cites INT-001.",
            id="the checked-out intent is cited",
        ),
        pytest.param(
            3,
            {},
            CITES_OTHER,
            FAIL,
            "The intent INT-001 was checked out in this turn, but the call cites INT-002.",
            id="another intent is cited",
        ),
        pytest.param(
            9,
            {"active_intent": "OLD-1", "intents": RENAMED},
            CALL,
            PASS,
            "The intent INT-001 is in .orchestration/active_intents.yaml; OLD-1 is an earlier id of"
            " it.",
            id="an earlier id",
        ),
        pytest.param(
            8,
            {"active_intent": None, "intents": Intents()},
            CALL,
            FAIL,
            "No intent is active; these can be selected: (none).",
            id="no intent is open",
        ),
        pytest.param(
            10,
            {"intents": STUCK},
            CALL,
            PASS,
            "The intent INT-001 has the status BLOCKED, so edits for it get a warning.",
            id="a blocked intent warns",
        ),
        pytest.param(
            13,
            {"files": (replace(UNREAD_FILE, claimed_by="s-2"),)},
            CALL,
            FAIL,
            "These files changed since they were read, or another session claims them:"
            f" src/auth/a.py (read: never, now: {READ}; session s-2 has claimed the file).",
            id="a claim",
        ),
        pytest.param(
            13,
            {"files": (replace(UNREAD_FILE, claimed_by="s-2"),)},
            None,
            PASS,
            f"No file has changed since it was read: src/auth/a.py (read: never, now: {READ}).",
            id="claims hold nobody's save up",
        ),
        pytest.param(
            13,
            {"files": (replace(FINE.files[0], current=None),)},
            None,
            FAIL,
            "These files changed since they were read: src/auth/a.py"
            f" (read: {READ}, now: no file).",
            id="a file that went",
        ),
        pytest.param(
            13,
            {"files": (FINE.files[0], FileFact(path=SPEC, expected=None, current=B))},
            CALL,
            FAIL,
            "These files changed since they were read, or another session claims them:"
            f" specs/001-login/spec.md (read: no file, now: {CHANGED}).",
            id="a file that came",
        ),
        pytest.param(
            14,
            {},
            READS,
            PASS,
            "Each of these is new or was read in this turn (require_read: true): src/auth/a.py.",
            id="what was read",
        ),
        pytest.param(
            15,
            {},
            EVOLUTION,
            PASS,
            "New numbered specifications need the class INTENT_EVOLUTION, which the call declares:"
            " specs/001-login/spec.md.",
            id="a declared evolution",
        ),
        pytest.param(
            15,
            {},
            BUG_FIX,
            FAIL,
            "New numbered specifications need the class INTENT_EVOLUTION, but the call"
            " declares BUG_FIX: specs/001-login/spec.md.",
            id="another class is declared",
        ),
    ],
)
def test_a_fact_names_the_values(
    number: int,
    question: dict[str, Any],
    call: CallFacts | None,
    outcome: RowOutcome,
    fact: str,
) -> None:
    row = _row(number, replace(FINE, **question), call)
    assert (row.outcome, row.fact) == (outcome, fact)


def test_a_call_of_which_no_path_is_known_says_so() -> None:
    facts = _facts(explain_call(replace(FINE, files=()), READS))
    assert {number for number, fact in facts.items() if fact == NOWHERE} == {6, 7, 12, 13, 14}


def test_who_owns_what_the_active_intent_does_not_is_told() -> None:
    auth = replace(AUTH, owned_scope=("src/**", "!src/gen/**"))
    done = Intent(id=IntentId("INT-003"), status=Status.COMPLETED, owned_scope=("**",))
    more = Intent(id=IntentId("INT-004"), owned_scope=("docs/*.md",))
    files = ("src/a.py", "src/gen/b.py", "docs/c.md", "d")
    question = _owned_by(done, auth, DOCS, more, under=auth, files=files)
    told = (
        "he intent INT-001 does not own src/gen/b.py (an exclusion of the intent matches it;"
        " no open intent owns it), docs/c.md (INT-002 owns it by the glob docs/** (and 1 more)), d"
        " (no open intent owns it); its globs are: src/**, !src/gen/**."
    )
    assert _row(12, question).fact == f"T{told}"
    approved = _row(12, question, replace(CALL, approval=ApprovalChoice.ONCE))
    assert approved.outcome is PASS
    assert approved.fact == f"A person has approved this (once), although t{told}"


def test_ten_paths_are_named_and_no_more() -> None:
    files = [f"docs/{number}.md" for number in range(12)]
    question = _owned_by(AUTH, DOCS, under=DOCS, files=files)
    call = replace(CALL, denied_paths=tuple(DeniedPath(f.path, "*", "") for f in question.files))
    for number in (6, 7, 12, 13):
        fact = _row(number, question, call).fact
        assert "docs/9.md" in fact
        assert "docs/10.md" not in fact
        assert ", …" in fact
    assert "docs/9.md" in _row(12, _owned_by(AUTH, DOCS, under=AUTH, files=files[2:])).fact


@pytest.mark.parametrize("hitl", PeopleAsked)
@pytest.mark.parametrize("approval", [None, *ApprovalChoice])
@pytest.mark.parametrize("number", [None, 12, 13])
def test_the_last_row_says_whether_a_person_is_asked(
    hitl: PeopleAsked, approval: ApprovalChoice | None, number: int | None
) -> None:
    question, call = broken(*([] if number is None else [number]))
    row = _row(16, question, replace(call, hitl=hitl, approval=approval))
    asked = "A person has to approve this, and would be asked: "
    if approval is not None:
        expected = PASS, f"A person has approved this call ({approval.value}; hitl: {hitl.value})."
    elif number is None and hitl is PeopleAsked.ALWAYS:
        why = "the policy requires approval of every call that can change files"
        expected = FAIL, f"{asked}{why} (hitl: always)."
    elif number == 12 and hitl is PeopleAsked.OUT_OF_SCOPE:
        expected = (
            FAIL,
            (
                f"{asked}a file is out of the intent's scope, and nothing else refuses the call"
                " (hitl: out_of_scope)."
            ),
        )
    elif number is None:
        expected = PASS, f"No person has to approve this (hitl: {hitl.value})."
    else:
        told = f"No person is asked, since another check refuses the call (hitl: {hitl.value})."
        expected = PASS, told
    assert (row.outcome, row.fact) == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("src/a b.py", "src/a b.py"),
        ("naïve/日本.py", "naïve/日本.py"),
        ("", "''"),
        ("a\nb", r"'a\nb'"),
        ("a\u202eb", r"'a\u202eb'"),
        ("a\udcffb", r"'a\udcffb'"),
        ("x" * 80, "x" * 80),
        ("a" * 60 + "b" * 60, "a" * 39 + "…" + "b" * 40),
        pytest.param("\n" * 90, "'" + r"\n" * 19 + "…n" + r"\n" * 19 + "'", id="long and odd"),
    ],
)
def test_a_name_is_shown_on_one_short_line(name: str, told: str) -> None:
    assert shown(name) == told


# What the decision and the rows say of each other, whatever is broken.

CALLS = st.fixed_dictionaries(
    {},
    optional={
        "hitl": st.sampled_from(PeopleAsked),
        "approval": st.sampled_from([None, *ApprovalChoice]),
        "bootstrap": st.booleans(),
        "mutating": st.booleans(),
        "require_checkout": st.booleans(),
        "cited": st.sampled_from([None, "INT-001", "INT-002", "INT-009"]),
    },
)
BREAKS = st.sets(st.sampled_from(NUMBERS))


def _agrees(rows: Sequence[ExplainedRow], decision: Decision) -> None:
    assert [row.number for row in rows] == list(range(1, 17))
    failing = _ended(rows, FAIL)
    refusing = [row.code for row in rows if row.outcome is FAIL and row.number < 16]
    match decision:
        case Allowed():
            assert failing == []
        case Denied(code=code):
            assert refusing[0] is code
            assert 16 not in failing
        case Ask(why):
            assert failing in ([12, 16], [16])
            assert refusing == ([why.code] if why.code is GateCode.SCOPE_VIOLATION else [])


@given(numbers=BREAKS, facts=CALLS, governed=st.booleans())
def test_the_first_row_of_a_call_that_fails_is_the_refusal(
    numbers: set[int],
    facts: dict[str, Any],
    governed: bool,  # noqa: FBT001 -- drawn
) -> None:
    question, call = broken(*numbers)
    question, call = replace(question, governed=governed), replace(call, **facts)
    _agrees(explain_call(question, call), judge_call(question, call))


@given(numbers=BREAKS, governed=st.booleans())
def test_the_first_row_of_a_save_that_fails_is_the_refusal(
    numbers: set[int],
    governed: bool,  # noqa: FBT001 -- drawn
) -> None:
    question = replace(broken(*numbers)[0], governed=governed)
    _agrees(explain_save(question), judge_save(question))


def test_each_single_row_that_is_broken_agrees_with_every_way_to_ask() -> None:
    for number in NUMBERS:
        question, call = broken(number)
        _agrees(explain_save(question), judge_save(question))
        for hitl, approval in product(PeopleAsked, (None, *ApprovalChoice)):
            asking = replace(call, hitl=hitl, approval=approval)
            _agrees(explain_call(question, asking), judge_call(question, asking))


# Foreign words in every place that has any.

WORDS = st.one_of(
    st.sampled_from(["a", "src/a", "INT-1", ""]), texts(), st.text().map("x/".__add__)
)
LONG = st.builds(str.__mul__, WORDS, st.sampled_from([1, 1, 1, 40]))
PATHS = LONG.map(WorkspacePath)
SOME_HASH = st.one_of(st.sampled_from([None, A, B]), LONG.map(ContentHash))
FILES = st.builds(
    FileFact,
    path=PATHS,
    outside=st.booleans(),
    expected=st.one_of(SOME_HASH, st.just(Unread.NEVER)),
    current=SOME_HASH,
    read_this_turn=st.booleans(),
    claimed_by=st.none() | LONG,
)
SOME_INTENTS = st.lists(
    st.builds(
        Intent,
        id=LONG.map(IntentId),
        status=st.sampled_from(Status),
        owned_scope=st.lists(st.sampled_from(["**", "a", "!a", "[", "{a,"]) | LONG, max_size=3).map(
            tuple
        ),
        aliases=st.lists(WORDS, max_size=1).map(tuple),
    ),
    max_size=3,
    unique_by=lambda intent: intent.id,
).map(lambda intents: Intents(tuple(intents)))
SOME_CALL = st.builds(
    CallFacts,
    mutating=st.sampled_from([True, True, True, False]),
    blocked=st.booleans(),
    cited=st.none() | LONG,
    checked_out=st.none() | LONG,
    require_checkout=st.booleans(),
    drift=st.lists(st.builds(Drift, PATHS, LONG), max_size=12).map(tuple),
    denied_paths=st.lists(st.builds(DeniedPath, PATHS, LONG, LONG), max_size=12).map(tuple),
    require_read=st.booleans(),
    new_specs=st.lists(PATHS, max_size=12).map(tuple),
    declared_class=st.sampled_from([None, *MutationClass]),
    hitl=st.sampled_from(PeopleAsked),
    approval=st.sampled_from([None, *ApprovalChoice]),
    bootstrap=st.sampled_from([False, False, True]),
)


@st.composite
def _questions(draw: st.DrawFn) -> GateRequest:
    intents = draw(SOME_INTENTS)
    active = draw(st.one_of(st.none(), LONG, st.sampled_from(["", *(i.id for i in intents)])))
    intent = None if active is None else intents.get(active)
    patterns = intent.owned_scope if intent else ()
    ignored = draw(st.lists(LONG, max_size=2).map(tuple))
    return GateRequest(
        tool_name=draw(LONG),
        governed=draw(st.sampled_from([True, True, True, False])),
        files=tuple(draw(st.lists(FILES, max_size=12))),
        active_intent=active,
        intents=intents,
        ignored={each.id: ignored for each in intents},
        scope=compile_scope(patterns),
        owners=index_of([(each.id, each.owned_scope) for each in intents]).owners,
    )


@given(question=_questions(), call=SOME_CALL)
def test_whatever_is_foreign_a_fact_is_one_short_line_that_agrees(
    question: GateRequest, call: CallFacts
) -> None:
    of_call, of_save = explain_call(question, call), explain_save(question)
    _agrees(of_call, judge_call(question, call))
    _agrees(of_save, judge_save(question))
    for row in (*of_call, *of_save):
        assert row.fact.isprintable()
        assert 0 < len(row.fact) <= FACT_AT_MOST


def test_a_fact_that_would_be_too_long_ends_in_a_mark() -> None:
    long = tuple(DeniedPath(WorkspacePath(f"{n}" * 200), "*" * 200, "") for n in range(9))
    fact = _row(6, FINE, replace(CALL, denied_paths=long)).fact
    assert len(fact) == FACT_AT_MOST == 599
    assert fact.endswith("…")
    assert "files that the policy denies: " + "0" * 39 + "…" + "0" * 40 + " (by the glob" in fact
    assert PLACE not in fact
