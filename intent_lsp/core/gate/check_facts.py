"""Describes, for `explain`, the facts that each row of the gate judged by, one sentence a row.

Specified in requirements section 6.

Invariant: the functions of this module only describe. Whether one of rows 3 to 15 passed is the
result of the gate's check of that row, passed in as `denied`: a refusal, or None if the row passed.
Invariant: the functions for rows 10 to 12 are called only for a known intent. Where a question
names no file and row 6, 7, 12 or 13 passed, NO_PATH stands in for the row's function.
"""

from typing import assert_never

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import (
    Allowed,
    Ask,
    CallFacts,
    Decision,
    Denied,
    FileFact,
    GateRequest,
    Unread,
)
from intent_lsp.core.gate.words import (
    available_ids,
    fact_list,
    first_of,
    open_owners,
    shown,
    shown_hash,
    shown_list,
)
from intent_lsp.core.intents import Status
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath

NO_PATH = "The call does not name the files that it would change, so it passes this check."


def governance(question: GateRequest) -> str:
    """Describe gate row 1 in a sentence: whether governance is on, so that edits are judged."""
    if question.governed:
        return "Governance is on, so edits of this workspace are judged."
    return "Governance is off, so no edit of this workspace is judged."


def change(question: GateRequest) -> str:
    """Describe gate row 2 in a sentence: whether the save or the call can change files."""
    if question.call is None:
        return "A save changes its file, so it is judged."
    tool = shown(question.tool_name)
    if question.only_looks:
        return (
            f"By its text, this command of {tool} changes no governed file, so some checks are"
            " skipped; a change is found afterwards."
        )
    if question.call.mutating:
        return f"This call of {tool} can change files, so it is judged."
    return f"This call of {tool} changes no file, so only row 5 (blocked tools) is checked."


def inside(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 7 (passed if `denied` is None): whether all paths are in the workspace."""
    if denied is not None:
        return f"These paths lead out of the workspace: {shown_list(denied.paths)}."
    return f"Every path stays inside the workspace: {shown_list(question.paths)}."


def active_intent(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 8 (passed if `denied` is None): the active intent, or those to select."""
    if denied is None:
        return f"The edit is judged under the intent {_cited(question)}."
    return f"No intent is active; these can be selected: {_available(question)}."


def known_intent(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 9 (passed if `denied` is None): whether the intents file has the intent."""
    cited, intent = _cited(question), shown(question.intent.id)
    if denied is not None:
        others = _available(question)
        return f"The intent {cited} is not in {INTENTS_FILE}; these can be selected: {others}."
    if cited == intent:
        return f"The intent {intent} is in {INTENTS_FILE}."
    return f"The intent {intent} is in {INTENTS_FILE}; {cited} is an earlier id of it."


def _available(question: GateRequest) -> str:
    return shown_list(available_ids(question.intents, question.ignored))


def status(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 10 (passed if `denied` is None): the active intent's status."""
    intent = question.intent
    intent_id, word = shown(intent.id), intent.status.value
    if denied is not None:
        return f"The intent {intent_id} has the status {word}, so no file may be edited for it."
    if intent.status is Status.BLOCKED:
        return f"The intent {intent_id} has the status {word}, so edits for it get a warning."
    return f"The intent {intent_id} has the status {word}, so files may be edited for it."


def ignored(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 11 (passed if `denied` is None): `.intentignore` lines for the intent."""
    intent = question.intent
    if denied is None:
        return f"No pattern in .intentignore matches the id {shown(intent.id)}."
    patterns = shown_list(question.ignored.get(intent.id, ()))
    return f"The id {shown(intent.id)} matches these patterns in .intentignore: {patterns}."


def scope(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 12 (passed if `denied` is None): who owns the paths, and by which globs."""
    intent = shown(question.intent.id)
    if denied is None:
        files = fact_list(_owned(question, fact) for fact in question.files)
        if all(map(question.scope.covers, question.paths)):
            return f"The intent {intent} owns {files}."
        return f"No file is out of the scope of the intent {intent}: {files}."
    files = fact_list(_foreign(question, path) for path in denied.paths)
    globs = shown_list(question.scope.patterns)
    call = question.call
    reason = f"the intent {intent} does not own {files}; its globs are: {globs}."
    if call is not None and call.approval is not None:
        return f"A person has approved this ({call.approval.value}), although {reason}"
    return reason[0].upper() + reason[1:]


def stale(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 13 (passed if `denied` is None): hashes when read and now, and claims."""
    # A claim keeps other agents out, but not a person.
    claims = question.call is not None
    if denied is None:
        files = fact_list(_reading(fact, claims=claims) for fact in question.files)
        unclaimed = ", and no other session claims one" if claims else ""
        return f"No file has changed since it was read{unclaimed}: {files}."
    failing = frozenset(denied.paths)
    facts = (fact for fact in question.files if fact.path in failing)
    files = fact_list(_reading(fact, claims=claims) for fact in facts)
    or_claimed = ", or another session claims them" if claims else ""
    return f"These files changed since they were read{or_claimed}: {files}."


def _cited(question: GateRequest) -> str:
    return shown(question.active_intent or "")


def _owned(question: GateRequest, fact: FileFact) -> str:
    glob = question.scope.why(fact.path)
    if glob is not None:
        return f"{shown(fact.path)} (by the glob {shown(glob)})"
    why = "the edit restores its content from before a violation"
    if fact.generated:
        why = "tools leave such files behind"
    return f"{shown(fact.path)} (needs no owner: {why})"


def _foreign(question: GateRequest, path: WorkspacePath) -> str:
    """Name a path that the active intent does not own, and its owners.

    Of the open owners, the first is named and the others are counted. If an exclusion of the active
    intent matches the path, that is said too.
    """
    usable = open_owners(question.intents, question.owners, path)
    owning = [
        f"{shown(owner.intent_id)} owns it by the glob {shown(owner.pattern)}"
        for owner in question.owners(path)
        if owner.intent_id in usable and owner.intent_id != question.intent.id
    ]
    owners = first_of(owning) if owning else "no open intent owns it"
    if question.scope.exclusion(path) is not None:
        owners = f"an exclusion of the intent matches it; {owners}"
    return f"{shown(path)} ({owners})"


def _reading(fact: FileFact, *, claims: bool) -> str:
    read = "never" if fact.expected is Unread.NEVER else shown_hash(fact.expected)
    hashes = f"read: {read}, now: {shown_hash(fact.current)}"
    if not claims or fact.claimed_by is None:
        return f"{shown(fact.path)} ({hashes})"
    return f"{shown(fact.path)} ({hashes}; session {shown(fact.claimed_by)} has claimed the file)"


def checkout(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 3 (passed if `denied` is None): the turn's intent, and the cited one."""
    call = question.facts_of_call
    if not call.require_checkout:
        return "The policy does not require a checkout in every turn (require_checkout: false)."
    if call.checked_out is None:
        return "No intent was checked out in this turn (require_checkout: true)."
    checkout_fact = f"The intent {shown(call.checked_out)} was checked out in this turn"
    if call.cited is None:
        return f"{checkout_fact}, and the call cites no other."
    cited, but = shown(call.cited), "and" if denied is None else "but"
    return f"{checkout_fact}, {but} the call cites {cited}."


def contract(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 4 (passed if `denied` is None): the entries of `.orchestration/`."""
    if denied is None:
        return (
            "Every entry of .orchestration/ belongs there, or the policy does not refuse"
            " calls because of one that does not (contract: ignore or warn)."
        )
    drift = question.facts_of_call.drift
    wrong = fact_list(f"{shown(found.path)} {shown(found.problem)}" for found in drift)
    return (
        "These files or directories of .orchestration/ are wrong, so the policy refuses calls:"
        f" {wrong}."
    )


def tool(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 5 (passed if `denied` is None): whether the policy blocks the tool."""
    version, tool_name = question.facts_of_call.policy_version, shown(question.tool_name)
    if denied is None:
        return f"The team's policy v{version} does not block the tool {tool_name} (blocked_tools)."
    return f"The team's policy v{version} blocks the tool {tool_name} (blocked_tools)."


def denied_paths(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 6 (passed if `denied` is None): the paths that no agent may change."""
    if denied is not None:
        found = question.facts_of_call.denied_paths
        files = fact_list(
            f"{shown(each.path)} (by the glob {shown(each.path_glob)})" for each in found
        )
        return (
            f"Agents may not change these control files or files that the policy denies: {files}."
        )
    paths = shown_list(question.paths)
    return (
        f"These are no control files, and the policy (deny_mutations) does not deny them: {paths}."
    )


def reading(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 14 (passed if `denied` is None): whether the turn has read the files."""
    if not question.facts_of_call.require_read:
        return (
            "The policy does not require that files are read before a change (require_read: false)."
        )
    if denied is not None:
        unread = shown_list(denied.paths)
        return f"These files exist and were not read in this turn (require_read: true): {unread}."
    if not question.files:
        return NO_PATH
    paths = shown_list(question.paths)
    return f"Each of these is new or was read in this turn (require_read: true): {paths}."


def specification(question: GateRequest, denied: Denied | None) -> str:
    """Describe gate row 15 in a sentence: whether new numbered specifications have their class.

    A call that creates such a file, as `specs/003-login/spec.md`, must declare the class
    INTENT_EVOLUTION. `denied` is the row's refusal, or None if the row passed.
    """
    call = question.facts_of_call
    if not call.new_specs:
        return "No new numbered specification would be created."
    specs = shown_list(call.new_specs)
    declared = "none" if call.declared_class is None else call.declared_class.value
    said = "which the call declares" if denied is None else f"but the call declares {declared}"
    return f"New numbered specifications need the class INTENT_EVOLUTION, {said}: {specs}."


def person(question: GateRequest, decision: Decision) -> str:
    """Describe gate row 16 in a sentence: whether a person has to approve the call.

    `decision` is the gate's decision on the whole call.
    """
    call = question.facts_of_call
    hitl_mode = f"hitl: {call.hitl.value}"
    if call.approval is not None:
        return f"A person has approved this call ({call.approval.value}; {hitl_mode})."
    match decision:
        case Ask(why):
            return (
                f"A person has to approve this, and would be asked: {_cause(call, why)}"
                f" ({hitl_mode})."
            )
        case Denied():
            return f"No person is asked, since another check refuses the call ({hitl_mode})."
        case Allowed():
            return f"No person has to approve this ({hitl_mode})."
        case _ as never:
            assert_never(never)


def _cause(call: CallFacts, why: Denied) -> str:
    if call.bootstrap:
        return "the call would write the first intent"
    if why.code is GateCode.SCOPE_VIOLATION:
        return "a file is out of the intent's scope, and nothing else refuses the call"
    return "the policy requires approval of every call that can change files"
