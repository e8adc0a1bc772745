"""Messages about out-of-scope changes by a call, and how to undo them (requirements section 6).

Invariant: undoing restores the content that the file had before the call.
"""

import shlex
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import counted
from intent_lsp.governance.calls.admission import Outcome
from intent_lsp.governance.contents.contents import Contents
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


class Violations:
    """Makes the messages about out-of-scope changes of one root's calls."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents

    def of(self, outcome: Outcome) -> tuple[CallViolation, ...]:
        """Return the violations of a recorded call, each with instructions to undo it.

        Return at most TOLD_AT_MOST. If there are more, the last message says how many more.
        """
        ticket, files = outcome.ticket, outcome.recorded.files
        old = {path: before for path, before, _ in files}
        new = {path: after for path, _, after in files}
        others = RootsBelow(self._stores.root)
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

        The alternative is an empty string if there is none.
        """
        place = resolve_below(self._stores.root, path)
        if place is None or place.real is None or others.hold(place.path):
            return GateCode.OUTSIDE_WORKSPACE, "it lies outside of this workspace", ""
        denied = self._stores.rules.current().denied(path)
        if denied is not None:
            why = denied.reason.rstrip(".")
            return (
                GateCode.PATH_DENIED,
                f"agents may not change it ({why})",
                "tell a person about it",
            )
        if ticket.intent_id is None:
            return GateCode.NO_ACTIVE_INTENT, "no intent is active", _SELECT
        return GateCode.SCOPE_VIOLATION, f"{ticket.intent_id} does not own it", _SCOPE

    def _way_back(
        self,
        path: WorkspacePath,
        old: ContentHash | None,
        new: ContentHash | None,
        *,
        known: bool,
    ) -> str:
        """Return the instruction to restore a file, as a clause of a message.

        `old` and `new` are the file's hashes before and after the call (None: no file). `known`:
        whether the content before the call is known.
        """
        git = self._stores.git
        if known and old is None:
            program = "git rm -qf" if git is not None and git.tracked(path) else "rm"
            return f"delete it (`{program} -- {shlex.quote(path)}`)"
        if not known or git is None or old != self._contents.head(path).hash:
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


def _happened(old: ContentHash | None, new: ContentHash | None, *, known: bool) -> str:
    if not known or (old is None) == (new is None):
        return "changed"
    return "was created" if old is None else "was deleted"
