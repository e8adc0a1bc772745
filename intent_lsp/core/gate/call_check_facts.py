"""What the rows of the gate for agents' calls looked at, in a sentence.

Specified in requirements section 6, 3-6, 14-16.

Invariant: whether a row passed is the row's own word (`denied`); here is told what it saw.
"""

from typing import assert_never

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.check_facts import NO_PATH
from intent_lsp.core.gate.fact_text import shown, shown_list, told_list
from intent_lsp.core.gate.request import Allowed, Ask, CallFacts, Decision, Denied, Question


def checkout(question: Question, denied: Denied | None) -> str:
    """Row 3: what was checked out in this turn, and what the call cites."""
    call = _call(question)
    if not call.require_checkout:
        return "The team asks for no checkout in every turn (require_checkout: false)."
    if call.checked_out is None:
        return "No intent was checked out in this turn (require_checkout: true)."
    told = f"The intent {shown(call.checked_out)} was checked out in this turn"
    if call.cited is None:
        return f"{told}, and the call cites no other."
    return f"{told}, {'and' if denied is None else 'but'} the call cites {shown(call.cited)}."


def contract(question: Question, denied: Denied | None) -> str:
    """Row 4: what is wrong in `.orchestration/`."""
    if denied is None:
        return "Nothing is wrong in .orchestration/, or the team refuses no call for it (contract)."
    drift = _call(question).drift
    wrong = told_list(f"{shown(found.path)} {shown(found.problem)}" for found in drift)
    return f"This is wrong in .orchestration/, and the team refuses calls for it: {wrong}."


def tool(question: Question, denied: Denied | None) -> str:
    """Row 5: whether the team has blocked the tool."""
    verb = "does not block" if denied is None else "blocks"
    version = _call(question).policy_version
    return (
        f"The team's policy v{version} {verb} the tool {shown(question.tool_name)} (blocked_tools)."
    )


def denied_paths(question: Question, denied: Denied | None) -> str:
    """Row 6: which paths no agent may change, and the globs that say so."""
    if denied is not None:
        found = _call(question).denied_paths
        told = told_list(f"{shown(each.path)} (by {shown(each.path_glob)})" for each in found)
        return f"The control plane or the team (deny_mutations) denies these to agents: {told}."
    if not question.files:
        return NO_PATH
    paths = shown_list(question.paths)
    return f"Neither the control plane nor the team (deny_mutations) denies these: {paths}."


def reading(question: Question, denied: Denied | None) -> str:
    """Row 14: whether what exists was read in this turn."""
    if not _call(question).require_read:
        return "The team does not ask that files be read before they change (require_read: false)."
    if denied is not None:
        unread = shown_list(denied.paths)
        return f"These files exist and were not read in this turn (require_read: true): {unread}."
    if not question.files:
        return NO_PATH
    paths = shown_list(question.paths)
    return f"Each of these is new or was read in this turn (require_read: true): {paths}."


def specification(question: Question, denied: Denied | None) -> str:
    """Row 15: which numbered specifications are new, and what the call declares itself to be."""
    call = _call(question)
    if not call.new_specs:
        return "No new numbered specification would be created."
    specs = shown_list(call.new_specs)
    if denied is None:
        return f"The call is declared to be INTENT_EVOLUTION, as new specifications need: {specs}."
    declared = "nothing" if call.declared_class is None else call.declared_class.value
    return f"New specifications need a declared INTENT_EVOLUTION; declared is {declared}: {specs}."


def person(question: Question, decision: Decision) -> str:
    """Row 16: whether a person has to approve the call, by the decision on it as a whole."""
    call = _call(question)
    hitl = f"hitl: {call.hitl.value}"
    if call.approval is not None:
        return f"A person has approved this call ({call.approval.value}; {hitl})."
    match decision:
        case Ask(why):
            return (
                f"A person has to approve this, and would be asked: {_cause(call, why)} ({hitl})."
            )
        case Denied():
            return f"No person is asked about what another row refuses ({hitl})."
        case Allowed():
            return f"No person has to approve this ({hitl})."
        case _ as never:
            assert_never(never)


def _cause(call: CallFacts, why: Denied) -> str:
    if call.bootstrap:
        return "the first intent is written on a person's word"
    if why.code is GateCode.SCOPE_VIOLATION:
        return "nothing but row 12 refuses it"
    return "the team wants to see every call"


def _call(question: Question) -> CallFacts:
    return question.call or CallFacts(require_checkout=False)
