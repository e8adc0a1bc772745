"""The checks of the gate: paths, intent, scope, staleness, and those for agents' calls only.

Specified in requirements section 6, rows 3-15.

Invariant: a check returns a refusal, or None if it passes. The checks of rows 10 and 11 need a
known intent. Row 12 needs one only if the edit names a file; an edit that names none passes it.
Invariant: a person's save passes every check that is for calls only (rows 3-6, 14 and 15).
Invariant: the messages are those of the specification, word for word.
"""

from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import CallFacts, Denied, FileFact, GateRequest, Unread
from intent_lsp.core.gate.words import available_ids, available_json, first_of, listed, open_owners
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.records import MutationClass

_CITE: Final = "You must cite a valid active Intent ID. "
_SELECT = " Select one with intent.select."


def outside_workspace(question: GateRequest) -> Denied | None:
    """Return the refusal of row 7 if a path leads out of the root, else None."""
    outside = tuple(fact.path for fact in question.files if fact.outside)
    if not outside:
        return None
    return Denied(
        code=GateCode.OUTSIDE_WORKSPACE,
        message=f"PreToolUse denied {question.tool_name}: attempted to mutate paths outside the"
        f" workspace boundary. Paths: {listed(outside)}",
        details={"paths": list(outside)},
        paths=outside,
    )


def no_active_intent(question: GateRequest) -> Denied | None:
    """Return the refusal of row 8 if no intent is active, else None."""
    if question.active_intent is not None:
        return None
    cure = "Call select_active_intent (intent/select) first." if question.call else _SELECT.lstrip()
    return Denied(
        code=GateCode.NO_ACTIVE_INTENT,
        message=_CITE + cure,
        details={"available_intents": _available(question)},
        paths=question.paths,
    )


def intent_not_found(question: GateRequest) -> Denied | None:
    """Return the refusal of row 9 if the active intent is not in the intents file, else None."""
    wanted = question.active_intent or ""
    if question.intents.get(wanted) is not None:
        return None
    known = listed(available_ids(question.intents, question.ignored))
    return Denied(
        code=GateCode.INTENT_NOT_FOUND,
        message=f"{_CITE}Intent {wanted} is not in {INTENTS_FILE}. Available: {known}."
        + _cure(question),
        details={"intent_id": wanted, "available_intents": _available(question)},
        paths=question.paths,
    )


def intent_closed(question: GateRequest) -> Denied | None:
    """Return the refusal of row 10 if the active intent is closed, else None."""
    intent = question.intent
    if not intent.status.closed:
        return None
    return Denied(
        code=GateCode.INTENT_CLOSED,
        message=f"{_CITE}Intent {intent.id} is {intent.status}." + _cure(question),
        details={"intent_id": intent.id, "status": intent.status.value},
        paths=question.paths,
    )


def intent_ignored(question: GateRequest) -> Denied | None:
    """Return the refusal of row 11 if `.intentignore` excludes the active intent, else None."""
    intent = question.intent
    patterns = question.ignored.get(intent.id)
    if not patterns:
        return None
    return Denied(
        code=GateCode.INTENT_IGNORED,
        message=f"Intent {intent.id} is excluded by .intentignore and cannot mutate code in this"
        " session.",
        details={"intent_id": intent.id, "matched_patterns": list(patterns)},
        paths=question.paths,
    )


def scope_violation(question: GateRequest) -> Denied | None:
    """Return the refusal of row 12 if a path is outside of the active intent's scope, else None.

    Two kinds of files need not be in scope: generated files, and files to which the edit gives back
    the content that they had before a violation.
    """
    intent = question.intent
    free = {fact.path for fact in question.files if fact.puts_back or fact.generated}
    failing = tuple(
        path for path in question.paths if path not in free and not question.scope.covers(path)
    )
    if not failing:
        return None
    owning = {path: list(open_owners(question.intents, question.owners, path)) for path in failing}
    return Denied(
        code=GateCode.SCOPE_VIOLATION,
        message=f"Scope Violation: {intent.specification or intent.id} is not authorized to edit"
        f" {first_of(failing)}. Request scope expansion.",
        details={
            "intent_id": intent.id,
            "paths": list(failing),
            "owned_scope": list(intent.owned_scope),
            "owning_intents": owning,
        },
        paths=failing,
    )


def stale_file(question: GateRequest) -> Denied | None:
    """Return the refusal of row 13 if a file changed since it was read, else None.

    A file that was never read counts as unchanged. An agent's call is also refused if another
    session or subagent claims a file.
    """
    failing = [fact for fact in question.files if _stale(fact) or _claimed(question, fact)]
    if not failing:
        return None
    reason = "is being written by another session"
    if _stale(failing[0]):
        reason = "changed since it was read"
    paths = tuple(fact.path for fact in failing)
    return Denied(
        code=GateCode.STALE_FILE,
        message=f"Stale File: {first_of(paths)} {reason}. Re-read before writing.",
        details={"files": [_stale_details(question, fact) for fact in failing]},
        paths=paths,
    )


def checkout_required(question: GateRequest) -> Denied | None:
    """Return the refusal of row 3 if no intent was checked out in this turn, else None.

    Refuse too if the call cites another known intent. The row passes if the policy needs no
    checkout.
    """
    call = question.facts_of_call
    if not call.require_checkout or (call.checked_out is not None and not _other(question, call)):
        return None
    cite = _CITE if question.active_intent is None else ""
    details: dict[str, object] = {"available_intents": _available(question)}
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
    """Return the refusal of row 4 if `.orchestration/` has unexpected entries, else None.

    If the policy does not deny calls because of drift, the request has no `drift`, so the row
    passes.
    """
    drift = question.facts_of_call.drift
    if not drift:
        return None
    problems = listed([f"{found.path} {found.problem}" for found in drift])
    return Denied(
        code=GateCode.CONTRACT_DRIFT,
        message=f"PreToolUse denied {question.tool_name}: .orchestration directory contract"
        f" violation ({problems}). Restore required control-plane files and remove unexpected"
        " entries.",
        details={"violations": [{"path": found.path, "problem": found.problem} for found in drift]},
        paths=question.paths,
    )


def tool_blocked(question: GateRequest) -> Denied | None:
    """Return the refusal of row 5 if the team's policy blocks the tool, else None."""
    call = question.facts_of_call
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
    """Return the refusal of row 6 if a path is control plane or the policy denies it, else None."""
    call = question.facts_of_call
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
    """Return the refusal of row 14 if an existing file was not read in this turn, else None.

    The row passes if the policy does not require that files are read.
    """
    if not question.facts_of_call.require_read:
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
    """Return the refusal of row 15 if a call may not create its numbered specifications, else None.

    These are new files `specs/NNN-…`. The call must declare the class INTENT_EVOLUTION to create
    one.
    """
    call = question.facts_of_call
    if not call.new_specs or call.declared_class is MutationClass.INTENT_EVOLUTION:
        return None
    declared = None if call.declared_class is None else call.declared_class.value
    return Denied(
        code=GateCode.SPEC_ITERATION,
        message="Creating new specs/NNN-* files requires mutation_class INTENT_EVOLUTION.",
        details={"paths": list(call.new_specs), "mutation_class": declared},
        paths=call.new_specs,
    )


def _stale(fact: FileFact) -> bool:
    return fact.expected is not Unread.NEVER and fact.expected != fact.current


def _claimed(question: GateRequest, fact: FileFact) -> bool:
    return question.call is not None and fact.claimed_by is not None


def _stale_details(question: GateRequest, fact: FileFact) -> dict[str, object]:
    told: dict[str, object] = {
        "path": fact.path,
        "expected_hash": None if fact.expected is Unread.NEVER else fact.expected,
        "current_hash": fact.current or "MISSING",
    }
    return told | ({"claimed_by": fact.claimed_by} if _claimed(question, fact) else {})


def _cure(question: GateRequest) -> str:
    """Return, for a person's save, the advice to select an intent; for an agent's call, "".

    Agents select an intent with tools that each host names in its own way.
    """
    return "" if question.call else _SELECT


def _other(question: GateRequest, call: CallFacts) -> bool:
    """Whether the call cites an intent that exists and is not the one checked out in this turn."""
    if call.cited is None:
        return False
    cited, chosen = question.intents.get(call.cited), question.intents.get(call.checked_out or "")
    return cited is not None and cited != chosen


def _available(question: GateRequest) -> list[dict[str, str]]:
    return available_json(question.intents, question.ignored)
