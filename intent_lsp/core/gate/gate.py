"""The gate: judges whether an edit is allowed under the active intent (requirements section 6).

Invariant: judging is total and pure. The rows run in the table's order and the first that fails
decides, except that a person may approve what row 12 (scope) refuses.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate import checks
from intent_lsp.core.gate.request import (
    Allowed,
    Ask,
    CallFacts,
    Decision,
    Denied,
    GateRequest,
    SaveDecision,
)
from intent_lsp.core.gate.words import warnings_of
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import PeopleAsked
from intent_lsp.core.records import ScopeValidation


class Check(Struct, frozen=True):
    """One row of the gate: its number, the code of its refusals, and its check.

    `check` returns a refusal of the request, or None if the request passes. `agents_only`: the row
    does not apply to a person's save.
    """

    number: int
    code: GateCode
    check: Callable[[GateRequest], Denied | None]
    agents_only: bool = False


SCOPE_ROW: Final = 12

CHECKS: Final = (
    Check(3, GateCode.CHECKOUT_REQUIRED, checks.checkout_required, agents_only=True),
    Check(4, GateCode.CONTRACT_DRIFT, checks.contract_drift, agents_only=True),
    Check(5, GateCode.TOOL_BLOCKED, checks.tool_blocked, agents_only=True),
    Check(6, GateCode.PATH_DENIED, checks.path_denied, agents_only=True),
    Check(7, GateCode.OUTSIDE_WORKSPACE, checks.outside_workspace),
    Check(8, GateCode.NO_ACTIVE_INTENT, checks.no_active_intent),
    Check(9, GateCode.INTENT_NOT_FOUND, checks.intent_not_found),
    Check(10, GateCode.INTENT_CLOSED, checks.intent_closed),
    Check(11, GateCode.INTENT_IGNORED, checks.intent_ignored),
    Check(SCOPE_ROW, GateCode.SCOPE_VIOLATION, checks.scope_violation),
    Check(13, GateCode.STALE_FILE, checks.stale_file),
    Check(14, GateCode.READ_REQUIRED, checks.read_required, agents_only=True),
    Check(15, GateCode.SPEC_ITERATION, checks.spec_iteration, agents_only=True),
)
"""Rows 3 to 15 of the gate.

Rows 1, 2 and 16 decide whether these run, and whether a person is asked after them.
"""

BOOTSTRAP_PASSES_OVER: Final = frozenset((3, 6, 8, 9, 10, 11, SCOPE_ROW))
"""Rows that are skipped for the call that writes the first intent, since there is no intent yet."""

LOOKING_PASSES_OVER: Final = frozenset((3, 4, 8, 9, 10, 11))
"""Rows that are skipped for a command that only looks, since it needs no intent."""


def judge_save(question: GateRequest) -> SaveDecision:
    """Return the gate's decision on a person's save: the first failing row's refusal, or Allowed.

    The verdict of an allowed save is PASS, or EXEMPT if governance is off.
    """
    if not question.governed:
        return Allowed(ScopeValidation.EXEMPT)
    denied = next(_refusals(question, frozenset()), None)
    return Allowed(ScopeValidation.PASS, warnings_of(question.intent)) if denied is None else denied


def judge_call(question: GateRequest, call: CallFacts) -> Decision:
    """Return the gate's decision on an agent's call. It is Ask if a person has to approve the call.

    A call is allowed as EXEMPT if governance is off, or if it changes no file and the policy does
    not block its tool. An approval in `call` satisfies rows 12 (scope) and 16 (approval) only.
    """
    question = question if question.call is call else replace(question, call=call)
    if not question.governed or not (call.mutating or call.blocked):
        return Allowed(ScopeValidation.EXEMPT)
    if not call.mutating:
        return checks.tool_blocked(question) or Allowed(ScopeValidation.EXEMPT)
    refusals = _refusals(question, passed_over(question))
    first = next(refusals, None)
    # An approval lifts row 12 only: a later row may still deny the call.
    if first is not None and first.code is GateCode.SCOPE_VIOLATION:
        if call.approval is not None:
            first = next(refusals, None)
        elif call.hitl is PeopleAsked.OUT_OF_SCOPE and next(refusals, None) is None:
            return Ask(first)
    if first is not None:
        return first
    always = call.bootstrap or call.hitl is PeopleAsked.ALWAYS
    if always and call.approval is None and not question.only_looks:
        return Ask(rejected(question, "no person has approved the call"))
    return _allowed(question, call)


def refusal_with(
    question: GateRequest, call: CallFacts, codes: Collection[GateCode]
) -> Denied | None:
    """Return the first refusal of an agent's call with one of `codes`, or None.

    Rows that `passed_over` skips for this call are skipped here too. Only rows that need no intent
    may be asked for, because the rows before them may fail.
    """
    question = question if question.call is call else replace(question, call=call)
    over = passed_over(question)
    rows = (row for row in CHECKS if row.code in codes and row.number not in over)
    return next((denied for row in rows if (denied := row.check(question)) is not None), None)


def passed_over(question: GateRequest) -> frozenset[int]:
    """Return the numbers of the rows from 3 to 15 that a request skips because of what it does.

    A command that only looks skips some rows, and a call that writes the first intent skips others.
    A save also skips the rows for agents' calls only, but these are not returned.
    """
    if question.only_looks:
        return LOOKING_PASSES_OVER
    first = question.call is not None and question.call.bootstrap
    return BOOTSTRAP_PASSES_OVER if first else frozenset()


def rejected(question: GateRequest, feedback: str) -> Denied:
    """Return the refusal of row 16, for a call that no person approved. `feedback` says why."""
    return Denied(
        code=GateCode.HITL_REJECTED,
        message="Mutation rejected by authorization gate.",
        details={
            "tool_name": question.tool_name,
            "intent_id": question.active_intent,
            "feedback": feedback,
        },
        paths=question.paths,
    )


def unavailable(cause: str, paths: tuple[WorkspacePath, ...]) -> Denied:
    """Return the refusal for an edit of `paths` that cannot be judged. `cause` says why.

    The caller uses it only if the policy's `fail_open` is False (requirements section 10).
    """
    return Denied(
        code=GateCode.GOVERNANCE_UNAVAILABLE,
        message=f"Governance Unavailable: {cause}. fail_open is false; mend it or ask the team.",
        details={"cause": cause},
        paths=paths,
    )


def _refusals(question: GateRequest, numbers: frozenset[int]) -> Iterator[Denied]:
    """Yield the refusals of all failing rows, in order, except the rows with the given `numbers`.

    For a save, rows for agents' calls only are left out too. The caller must stop after a refusal
    of row 8 or 9, because later rows need a known intent. A row is checked only when the caller
    takes the next refusal.
    """
    for row in CHECKS:
        if row.number in numbers or (row.agents_only and question.call is None):
            continue
        denied = row.check(question)
        if denied is not None:
            yield denied


def _allowed(question: GateRequest, call: CallFacts) -> Allowed:
    if question.only_looks:
        return Allowed(ScopeValidation.EXEMPT, call.unknown_paths)
    warnings = () if call.bootstrap else warnings_of(question.intent)
    outside = [each for each in question.files if not question.scope.covers(each.path)]
    unnamed = bool(call.unknown_paths) and not question.files
    only_generated = bool(outside) and all(each.generated for each in question.files)
    exempt = unnamed or only_generated or any(each.puts_back for each in outside)
    verdict = ScopeValidation.EXEMPT if exempt else ScopeValidation.PASS
    return Allowed(verdict, warnings + call.warnings + call.unknown_paths)
