"""The verdict on each file that a call has changed: PASS, FAIL or EXEMPT.

Invariant: a file that the call named beforehand has the verdict of its ticket, unless a named path
now leads out of the root: then every file has FAIL.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.calls.call_changes import FoundChanges
from intent_lsp.governance.calls.call_events import FoundFile
from intent_lsp.governance.judging.restoring_edits import RestoringEdits
from intent_lsp.governance.root.denied_paths import denied_path
from intent_lsp.governance.root.grants import Grants
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.fs.roots import RootsBelow

_WORST_FIRST: Final = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)


class CallVerdicts(Struct, frozen=True, kw_only=True):
    """Judges the files that the calls of one root have changed."""

    root: Path
    rules: RulesCache
    grants: Grants
    putting_back: RestoringEdits

    def violating(self, ticket: Ticket, found: FoundChanges) -> tuple[WorkspacePath, ...]:
        """Return the changed files that the call did not name and that its intent may not change.

        Include the named paths that now lead out of the root. Leave out files that the call
        restored after a violation, and generated files that agents may change.
        """
        besides = [
            path
            for file in found.files
            if file.besides and not self.putting_back.puts_back(file.path, file.new)
            for path in (file.ticket.previous, file.path)
            if path is not None
        ]
        if not besides:
            return found.outside
        rules = self.rules.current()
        others = RootsBelow(self.root)
        violating = (
            path
            for path in besides
            if others.hold(path)
            or any(denied_path(rules, path))
            or not (self.grants.covers(ticket.intent_id, path) or rules.generated.covers(path))
        )
        return (*found.outside, *violating)

    def by_verdict(
        self, ticket: Ticket, found: FoundChanges, violating: Collection[WorkspacePath]
    ) -> dict[ScopeValidation, list[FoundFile]]:
        """Group the files of a call by verdict, the worst verdict first.

        If a named path now leads out of the root, all files get FAIL. Else, if the call changed no
        file, return one empty group with the ticket's verdict. `violating` are the paths that break
        a rule.
        """
        if found.outside:
            return {ScopeValidation.FAIL: list(found.files)}
        parts: dict[ScopeValidation, list[FoundFile]] = {verdict: [] for verdict in _WORST_FIRST}
        for file in found.files:
            parts[self._verdict(ticket, file, violating)].append(file)
        return {v: files for v, files in parts.items() if files} or {ticket.verdict: []}

    def _verdict(
        self, ticket: Ticket, file: FoundFile, violating: Collection[WorkspacePath]
    ) -> ScopeValidation:
        """Return the verdict on one changed file. A file that the call named has the ticket's.

        Any other gets FAIL if its path or former path is in `violating`, the paths that break a
        rule. Else it gets PASS if the call's intent owns it, or EXEMPT if not or if the call
        restored it after a violation.
        """
        if not file.besides:
            return ticket.verdict
        if not {file.path, file.ticket.previous}.isdisjoint(violating):
            return ScopeValidation.FAIL
        back = self.putting_back.puts_back(file.path, file.new)
        owned = not back and self.grants.covers(ticket.intent_id, file.path)
        return ScopeValidation.PASS if owned else ScopeValidation.EXEMPT
