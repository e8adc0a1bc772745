"""Scope findings that need the work tree: what a scope matches, and what scopes share.

Specified in requirements section 3.

Invariant: an unchanged scope is not checked again while the file is typed.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, RelatedSpan, Span
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.findings import ScopeFinding, file_findings, tree_findings
from intent_lsp.core.scope.scope import compile_scopes
from intent_lsp.formats.intents.entry import IntentPlaces
from intent_lsp.formats.intents.intents_file import IntentsFile
from intent_lsp.governance.plan.tree_listing import TreeListing
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import is_directory

_FILES_AT_MOST: Final = 20_000
_TYPED_AT_MOST: Final = 4
"""The most changed scopes for which findings are computed while the file is being typed."""

_SHARED_AT_MOST: Final = 200
"""The most files of changed scopes that are checked for other owners while typing."""

FindIntentPlaces = Callable[[IntentId], IntentPlaces | None]
"""Returns where the parts of an intent are in the file."""


class ScopeChecks:
    """Computes the findings on intents' scopes that depend on the files of the work tree."""

    def __init__(self, stores: Stores, listing: TreeListing) -> None:
        self._stores = stores
        self._listing = listing
        self._spelling = listing.spelling
        self._lock = threading.Lock()
        self._last: tuple[Intents, Sequence[WorkspacePath], tuple[ScopeFinding, ...]] | None = None

    def findings(self, read: IntentsFile) -> tuple[Finding, ...]:
        """Check the scopes of the saved intents file against the work tree (at most 20,000 files).

        Return the findings, each placed at its glob; none if the file does not parse. Without git,
        only what the intents file shows by itself is checked.
        """
        if not read.parsed:
            return ()
        with self._lock:
            return _all_placed(self._known(read.intents), read)

    def typed(self, read: IntentsFile) -> tuple[Finding, ...]:
        """Return the scope findings on unsaved text of the intents file.

        For unchanged scopes they are those of the last full check, since a full check can take
        seconds. Changed scopes are checked, unless more than `_TYPED_AT_MOST` have changed. If the
        file was never checked or does not parse, there are no findings.
        """
        last = self._last
        if last is None or not read.parsed:
            return ()
        checked = {intent.id: intent.owned_scope for intent in last[0]}
        changed = tuple(i for i in read.intents if checked.get(i.id) != i.owned_scope)
        new = {intent.id for intent in changed}
        found = [f for f in last[2] if f.intent_id not in new and f.other not in new]
        if 0 < len(changed) <= _TYPED_AT_MOST:
            found += self._of_changed(changed, read.intents, last[1])
        return _all_placed(found, read)

    def _of_changed(
        self, changed: Sequence[Intent], intents: Intents, files: Sequence[WorkspacePath]
    ) -> list[ScopeFinding]:
        """Return the findings on the `changed` scopes, and on files shared with other scopes.

        Sharing is searched for among the first `_SHARED_AT_MOST` files of these scopes. `intents`
        are all intents of the file, `files` the files of the work tree.
        """
        found = [
            finding
            for finding in self._computed(Intents(tuple(changed)), files)
            if finding.code is not FileCode.SCOPE_OVERLAP
        ]
        scopes = compile_scopes([intent.owned_scope for intent in changed], self._spelling)
        owned = (path for path in files if any(scope.covers(path) for scope in scopes))
        new = {intent.id for intent in changed}
        found += (
            finding
            for finding in self._computed(intents, tuple(islice(owned, _SHARED_AT_MOST)))
            if finding.code is FileCode.SCOPE_OVERLAP
            and (finding.intent_id in new or finding.other in new)
        )
        return found

    def is_directory(self, name: str) -> bool:
        """Return whether the work tree has a directory with this path relative to the root."""
        return is_directory(self._stores.root, name)

    def _known(self, intents: Intents) -> tuple[ScopeFinding, ...]:
        files = self._listing.files()[:_FILES_AT_MOST]
        if self._last is not None and self._last[:2] == (intents, files):
            return self._last[2]
        found = self._computed(intents, files)
        self._last = (intents, files, found)
        return found

    def _computed(
        self, intents: Intents, files: Sequence[WorkspacePath]
    ) -> tuple[ScopeFinding, ...]:
        # Without git it is unknown which files count, so the work tree is not checked.
        if self._stores.git is None:
            return file_findings(intents)
        return tree_findings(intents, files, self._spelling)


def _all_placed(found: Iterable[ScopeFinding], read: IntentsFile) -> tuple[Finding, ...]:
    # Looking up an intent's places is slow: do it once per intent, not once per glob.
    place = lru_cache(maxsize=None)(read.places.get)
    placed = (_placed(finding, place) for finding in found)
    return tuple(finding for finding in placed if finding is not None)


def _placed(finding: ScopeFinding, place: FindIntentPlaces) -> Finding | None:
    places = place(finding.intent_id)
    if places is None:
        return None
    other = None if finding.other is None else place(finding.other)
    related = (
        ()
        if other is None
        else (RelatedSpan(span=_scope(other), message=f"the scope of {finding.other}"),)
    )
    return Finding(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        span=_span(finding, places),
        related=related,
    )


def _span(finding: ScopeFinding, places: IntentPlaces) -> Span:
    index = finding.pattern_index
    if index is not None and index < len(places.globs):
        return places.globs[index]
    return _scope(places)


def _scope(places: IntentPlaces) -> Span:
    return places.owned_scope or places.id
