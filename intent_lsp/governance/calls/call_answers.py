"""What is answered about a call or a save: decision and outcome as JSON, and violations in words.

Specified in protocol section 2 and requirements section 6.

Invariant: a call that awaits a person's approval is sent as denied.
Invariant: undoing a violation restores the content that the file had before the call.
"""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.paths import WorkspacePath, file_uri
from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.text import counted
from intent_lsp.formats.result_json import decision_json
from intent_lsp.governance.calls.admission import Applied, CallDecision, Outcome
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.roots import RootsBelow

TOLD_AT_MOST = 50
"""The most files of one call that get a message of their own: a model has to read them all."""

_PATTERN = frozenset(":*?[\\")
_SCOPE = "ask for more scope with request_scope_expansion (intent/requestScopeExpansion)"
_SELECT = "select an intent that owns it with select_active_intent (intent/select)"


class CallViolation(Struct, frozen=True):
    """One file that a call changed against the rules. `message` is shown to the agent."""

    path: WorkspacePath
    code: GateCode
    message: str


class Violations(Struct, frozen=True):
    """Makes the messages about changes against the rules by one root's calls."""

    stores: Stores
    contents: Contents

    def of(self, outcome: Outcome) -> tuple[CallViolation, ...]:
        """Return the violations of a recorded call, each with instructions to undo it.

        Return at most TOLD_AT_MOST. If there are more, the last message says how many more.
        """
        ticket, files = outcome.ticket, outcome.recorded.files
        old = {path: before for path, before, _ in files}
        new = {path: after for path, _, after in files}
        others = RootsBelow(self.stores.root)
        found = []
        for path in outcome.violating[:TOLD_AT_MOST]:
            code, why, instead = self._broken(path, ticket, others)
            ran = ticket.program or ticket.tool_name
            known = path in old and path not in outcome.recorded.unknown
            back = self._way_back(path, old.get(path), new.get(path), known=known)
            ways_out = " or ".join(each for each in (back, instead) if each)
            happened = _happened(old.get(path), new.get(path), known=known)
            message = f"{path} {happened} while `{ran}` ran; {why}: {ways_out}"
            found.append(CallViolation(path, code, message))
        more = len(outcome.violating) - len(found)
        if more:
            told = (
                f"{found[-1].message}. The record names {counted(more, 'more file')} that the call"
                " changed against the rules"
            )
            found[-1] = replace(found[-1], message=told)
        return tuple(found)

    def messages(self, outcomes: Iterable[Outcome]) -> list[str]:
        """Return the messages about the violations of recorded calls."""
        return [violation.message for outcome in outcomes for violation in self.of(outcome)]

    def _broken(
        self, path: WorkspacePath, ticket: Ticket, others: RootsBelow
    ) -> tuple[GateCode, str, str]:
        """Return the code of the broken rule, the reason, and an alternative to undoing the change.

        The alternative is an empty string if there is none. `others` are the roots below this one.
        """
        place = resolve_below(self.stores.root, path)
        if place is None or place.real is None or others.hold(place.path):
            return GateCode.OUTSIDE_WORKSPACE, "it lies outside of this governed root", ""
        denied = self.stores.rules.current().denied(path)
        if denied is not None:
            why = f"agents may not change it ({denied.reason.rstrip('.')})"
            return GateCode.PATH_DENIED, why, "tell a person about it"
        if ticket.intent_id is None:
            return GateCode.NO_ACTIVE_INTENT, "no intent is active", _SELECT
        return GateCode.SCOPE_VIOLATION, f"{ticket.intent_id} does not own it", _SCOPE

    def _way_back(
        self, path: WorkspacePath, old: ContentHash | None, new: ContentHash | None, *, known: bool
    ) -> str:
        """Return the instruction to restore a file, as a clause of a message.

        `old` and `new` are the file's hashes before and after the call (None: no file). `known`:
        whether the content before the call is known.
        """
        git = self.stores.git
        if known and old is None:
            program = "git rm -qf" if git is not None and git.tracked(path) else "rm"
            return f"delete it (`{program} -- {shlex.quote(path)}`)"
        if not known or git is None or old != self.contents.head(path).hash:
            return "put it back as it was before"
        # Git reads pathspecs as patterns: a literal match keeps other files out.
        program = "git" if _PATTERN.isdisjoint(path) else "git --literal-pathspecs"
        how = "restore"
        staged = git.staged_version(path)
        if staged != git.head_version(path):
            data = None if staged is None else git.version_bytes(staged)
            # If the index holds the call's own text, restore the index too. Anything else was
            # staged by somebody else and stays.
            how = "restore -s HEAD -SW" if hash_if_there(data) == new else "restore -s HEAD"
        return f"put it back (`{program} {how} -- {shlex.quote(path)}`)"


def call_json(admission: CallDecision, root: Path) -> dict[str, Any]:
    """Return the protocol's `Decision` object for a judged call."""
    return decision_json(
        admission.as_sent,
        verdict=admission.as_sent.verdict,
        intent_id=admission.intent_id,
        files=[_file(root, file.path) | {"preHash": file.pre_hash} for file in admission.files],
        mutation_class=admission.mutation_class,
        ticket=None if admission.ticket is None else admission.ticket.id,
    )


def judgement_json(judgement: Judgement, uri: str) -> dict[str, object]:
    """Return the protocol's `Decision` object for a judged save of the file at `uri`."""
    verdict, intent = judgement.verdict, judgement.intent
    return decision_json(
        judgement.decision,
        verdict=ScopeValidation.EXEMPT if verdict is None else verdict,
        intent_id=None if intent is None else intent.id,
        files=[{"path": judgement.path, "uri": uri, "preHash": None}],
    )


def not_governed_json() -> dict[str, Any]:
    """Return the `Decision` on a call outside every governed root: allowed, with verdict EXEMPT."""
    allowed, exempt = Allowed(ScopeValidation.EXEMPT), ScopeValidation.EXEMPT
    return decision_json(allowed, verdict=exempt, intent_id=None, files=())


def applied_json(applied: Applied, root: Path) -> dict[str, Any]:
    """Return the result of `intent/applyEdit`: a `Decision` with `applied` and `recordId` added.

    If an allowed edit was not applied, a warning says why.
    """
    outcome = applied.outcome
    decision = call_json(applied.admission, root)
    if applied.problem is not None:
        decision["warnings"] = [
            *decision["warnings"],
            f"The edit was not applied: {applied.problem}.",
        ]
    return decision | {
        "applied": decision["allowed"] and applied.problem is None,
        "recordId": None if outcome is None else outcome.recorded.record_id,
    }


def outcome_json(
    outcome: Outcome, violations: Sequence[CallViolation], root: Path
) -> dict[str, Any]:
    """Return the result of `intent/recordEdit`: the record's id, the files, and the violations."""
    return {
        "recordId": outcome.recorded.record_id,
        "files": [
            _file(root, path) | {"preHash": old, "postHash": new}
            for path, old, new in outcome.recorded.files
        ],
        "violations": violations_json(violations, root),
    }


def violations_json(violations: Sequence[CallViolation], root: Path) -> list[dict[str, Any]]:
    """Return the violations of a call as JSON objects with path, URI, code and message."""
    return [
        _file(root, each.path) | {"code": each.code, "message": each.message} for each in violations
    ]


def _happened(old: ContentHash | None, new: ContentHash | None, *, known: bool) -> str:
    if not known or (old is None) == (new is None):
        return "changed"
    return "was created" if old is None else "was deleted"


def _file(root: Path, path: str) -> dict[str, Any]:
    return {"path": path, "uri": file_uri(str(root / path))}
