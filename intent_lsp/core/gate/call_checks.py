"""The checks of the gate that apply to agents' calls only.

Specified in requirements section 6, rows 3-6, 14 and 15.

Invariant: a check returns a refusal or None; a person's save passes every one of them.
Invariant: the messages are those of the specification, word for word.
"""

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.checks import CITE
from intent_lsp.core.gate.intent_lists import available, first_of, listed
from intent_lsp.core.gate.request import CallFacts, Denied, GateRequest
from intent_lsp.core.records import MutationClass


def checkout_required(question: GateRequest) -> Denied | None:
    """Row 3: deny unless the intent was checked out in this turn, and the call cites no other."""
    call = _call(question)
    if not call.require_checkout or (call.checked_out is not None and not _other(question, call)):
        return None
    cite = CITE if question.active_intent is None else ""
    details: dict[str, object] = {"available_intents": available(question.intents)}
    if call.cited is not None:
        details["requested_intent"] = call.cited
    return Denied(
        code=GateCode.CHECKOUT_REQUIRED,
        message=f"{cite}PreToolUse denied {question.tool_name}: intent checkout required for this"
        " turn. Call select_active_intent (intent/select) before mutating tools.",
        details=details,
        paths=question.paths,
    )


def contract_drift(question: GateRequest) -> Denied | None:
    """Row 4: deny if `.orchestration/` has unexpected entries."""
    drift = _call(question).drift
    if not drift:
        return None
    what = listed([f"{found.path} {found.problem}" for found in drift])
    return Denied(
        code=GateCode.CONTRACT_DRIFT,
        message=f"PreToolUse denied {question.tool_name}: .orchestration directory contract"
        f" violation ({what}). Restore required control-plane files and remove unexpected"
        " entries.",
        details={"violations": [{"path": found.path, "problem": found.problem} for found in drift]},
        paths=question.paths,
    )


def tool_blocked(question: GateRequest) -> Denied | None:
    """Row 5: deny if the team has blocked the tool."""
    call = _call(question)
    if not call.blocked:
        return None
    return Denied(
        code=GateCode.TOOL_BLOCKED,
        message=f"PreToolUse denied {question.tool_name}: blocked by sidecar policy"
        f" v{call.policy_version}.",
        details={"tool_name": question.tool_name, "policy_version": call.policy_version},
        paths=question.paths,
    )


def path_denied(question: GateRequest) -> Denied | None:
    """Row 6: deny if a path belongs to the control plane or a rule of the team denies it."""
    call = _call(question)
    if not call.denied_paths:
        return None
    paths = tuple(dict.fromkeys(found.path for found in call.denied_paths))
    return Denied(
        code=GateCode.PATH_DENIED,
        message=f"PreToolUse denied {question.tool_name}: sidecar policy v{call.policy_version}"
        f" denies mutation for path(s): {listed(paths)}.",
        details={
            "paths": [
                {"path": found.path, "path_glob": found.path_glob, "reason": found.reason}
                for found in call.denied_paths
            ]
        },
        paths=paths,
    )


def read_required(question: GateRequest) -> Denied | None:
    """Row 14: if the team requires reads, deny changing a file that was not read in this turn."""
    if not _call(question).require_read:
        return None
    unread = tuple(
        fact.path for fact in question.files if fact.current is not None and not fact.read_this_turn
    )
    if not unread:
        return None
    return Denied(
        code=GateCode.READ_REQUIRED,
        message=f"Unread File: {first_of(unread)} exists and was not read in this turn. Read it"
        " before writing.",
        details={"paths": list(unread)},
        paths=unread,
    )


def spec_iteration(question: GateRequest) -> Denied | None:
    """Row 15: deny a new numbered specification unless the call declares INTENT_EVOLUTION."""
    call = _call(question)
    if not call.new_specs or call.declared_class is MutationClass.INTENT_EVOLUTION:
        return None
    declared = None if call.declared_class is None else call.declared_class.value
    return Denied(
        code=GateCode.SPEC_ITERATION,
        message="Creating new specs/NNN-* files requires mutation_class INTENT_EVOLUTION.",
        details={"paths": list(call.new_specs), "mutation_class": declared},
        paths=call.new_specs,
    )


def _other(question: GateRequest, call: CallFacts) -> bool:
    """Whether the call cites a known intent other than the one checked out."""
    if call.cited is None:
        return False
    cited, chosen = question.intents.get(call.cited), question.intents.get(call.checked_out or "")
    return cited is not None and cited != chosen


def _call(question: GateRequest) -> CallFacts:
    return question.call or CallFacts(require_checkout=False)
