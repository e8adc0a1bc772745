"""Explains the gate's decision: every row of its table, with its facts and its outcome.

Specified in requirements section 6.

Invariant: outcomes come from the gate's own checks. The first of rows 3 to 15 that fails has the
code of the refusal, and no row fails if the gate allows.
Invariant: a row is evaluated even after another has failed. One that cannot be evaluated says why.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate import check_facts
from intent_lsp.core.gate.gate import CHECKS, SCOPE_ROW, Check, judge_call, passed_over
from intent_lsp.core.gate.request import Ask, CallFacts, Denied, GateRequest
from intent_lsp.core.gate.words import fact_of, shown


class RowOutcome(StrEnum):
    """The outcome of one row of the gate.

    SKIPPED: the row was not evaluated. If governance is off, all rows are SKIPPED. Rows 1 and 2
    never FAIL; row 2 is also SKIPPED if nothing would change.
    """

    PASS = "pass"  # noqa: S105 -- an outcome
    FAIL = "fail"
    SKIPPED = "skipped"


class ExplainedRow(Struct, frozen=True, kw_only=True):
    """One row of the gate in `explain`. `code` is None for rows 1 and 2, which deny nothing.

    `fact` is one line of fewer than 600 characters, with at most ten names in a list.
    """

    number: int
    code: GateCode | None
    fact: str
    outcome: RowOutcome

    @property
    def label(self) -> str:
        """What the row requires, worded as a statement that is true when the row passes."""
        return _LABELS[self.number]


_TOOL_ROW: Final = 5
_PERSON_ROW: Final = 16
_NEEDS_ACTIVE: Final = frozenset((9, 10, 11, SCOPE_ROW))
_OF_PATHS: Final = frozenset((6, 7, SCOPE_ROW, 13))
_NEEDS_KNOWN: Final = _NEEDS_ACTIVE - {9}

_OFF: Final = "Not checked, since governance is off."
_AGENTS: Final = "Not checked for a person's save; this check is for agents' calls only."
_READS: Final = "Not checked, since the call changes no file."
_FIRST: Final = "Not checked, since there is no intent yet and this call writes the first one."
_LOOKS: Final = "This check is skipped, since by its text the command changes no governed file."

_NO_INTENT: Final = "Cannot be checked, since no intent is active."
_UNKNOWN_INTENT: Final = "Cannot be checked, since the intent {intent} is not in the intents file."

_ROWS: Final[Mapping[int, tuple[str, Callable[[GateRequest, Denied | None], str]]]] = {
    3: ("The intent was checked out in this turn", check_facts.checkout),
    4: ("The control files are in order", check_facts.contract),
    5: ("The tool is allowed", check_facts.tool),
    6: ("The file is not denied to agents", check_facts.denied_paths),
    7: ("Inside the workspace", check_facts.inside),
    8: ("An intent is selected", check_facts.active_intent),
    9: ("The intent is known", check_facts.known_intent),
    10: ("The intent is open", check_facts.status),
    11: ("The intent is not ignored", check_facts.ignored),
    12: ("In the intent's scope", check_facts.scope),
    13: ("The file is as it was read", check_facts.stale),
    14: ("The agent has read the file", check_facts.reading),
    15: ("A new numbered specification is declared as INTENT_EVOLUTION", check_facts.specification),
}
"""For rows 3 to 15, by number: the label, and the function that describes the row's facts."""

_LABELS: Final[Mapping[int, str]] = {
    1: "Governance is on",
    2: "The edit changes a file",
    **{number: label for number, (label, _) in _ROWS.items()},
    16: "Approved, or needs no approval",
}


def explain_save(question: GateRequest) -> tuple[ExplainedRow, ...]:
    """Return rows 1 to 16 of the gate, in order, as they judge a person's save.

    Rows for agents' calls only (3-6 and 14-16) are SKIPPED.
    """
    return _explained(replace(question, call=None))


def explain_call(question: GateRequest, call: CallFacts) -> tuple[ExplainedRow, ...]:
    """Return rows 1 to 16 of the gate, in order, as they judge an agent's call.

    Row 16 (a person's approval) fails if the decision is Ask. An approval satisfies rows 12 (scope)
    and 16, and no other row.
    """
    return _explained(replace(question, call=call))


def _explained(question: GateRequest) -> tuple[ExplainedRow, ...]:
    return (
        _governance(question),
        _change(question),
        *(_refusing(question, row) for row in CHECKS),
        _person(question),
    )


def _governance(question: GateRequest) -> ExplainedRow:
    outcome = RowOutcome.PASS if question.governed else RowOutcome.SKIPPED
    return _row(1, None, check_facts.governance(question), outcome)


def _change(question: GateRequest) -> ExplainedRow:
    if not question.governed:
        return _row(2, None, _OFF, RowOutcome.SKIPPED)
    changing = question.call is None or question.call.mutating
    outcome = RowOutcome.PASS if changing else RowOutcome.SKIPPED
    return _row(2, None, check_facts.change(question), outcome)


def _refusing(question: GateRequest, row: Check) -> ExplainedRow:
    """Return one of the rows 3 to 15: the result of the gate's own check, or why it is not made."""
    why_not = _why_not_asked(question, row.number, agents_only=row.agents_only)
    if why_not is not None:
        return _row(row.number, row.code, why_not, RowOutcome.SKIPPED)
    denied, call = row.check(question), question.call
    approved = row.number == SCOPE_ROW and call is not None and call.approval is not None
    outcome = RowOutcome.PASS if denied is None or approved else RowOutcome.FAIL
    unnamed = denied is None and not question.files and row.number in _OF_PATHS
    fact = check_facts.NO_PATH if unnamed else _ROWS[row.number][1](question, denied)
    return _row(row.number, row.code, fact, outcome)


def _person(question: GateRequest) -> ExplainedRow:
    code, call = GateCode.HITL_REJECTED, question.call
    why_not = _why_not_asked(question, _PERSON_ROW, agents_only=True)
    if call is None or why_not is not None:
        return _row(_PERSON_ROW, code, why_not or _AGENTS, RowOutcome.SKIPPED)
    decision = judge_call(question, call)
    outcome = RowOutcome.FAIL if isinstance(decision, Ask) else RowOutcome.PASS
    return _row(_PERSON_ROW, code, check_facts.person(question, decision), outcome)


def _why_not_asked(question: GateRequest, number: int, *, agents_only: bool) -> str | None:
    """Return why the row `number` (3 to 16) is not evaluated, or None if it is evaluated.

    `agents_only`: the row is for agents' calls only.
    """
    if not question.governed:
        return _OFF
    call = question.call
    if call is None:
        return _AGENTS if agents_only else _without_intent(question, number)
    if not call.mutating:
        # A blocked tool is denied even if it changes no file.
        return None if number == _TOOL_ROW else _READS
    if question.only_looks and number == _PERSON_ROW:
        return _LOOKS
    if number in passed_over(question):
        return _LOOKS if question.only_looks else _FIRST
    return _without_intent(question, number)


def _without_intent(question: GateRequest, number: int) -> str | None:
    active = question.active_intent
    if active is None:
        return _NO_INTENT if number in _NEEDS_ACTIVE else None
    if number in _NEEDS_KNOWN and question.intents.get(active) is None:
        return _UNKNOWN_INTENT.format(intent=shown(active))
    return None


def _row(number: int, code: GateCode | None, fact: str, outcome: RowOutcome) -> ExplainedRow:
    return ExplainedRow(number=number, code=code, fact=fact_of(fact), outcome=outcome)
