"""Scopes held against the files that exist: what they match, cover and share (section 3).

Invariant: the work tree is listed at most once for each state of the rules and of git's index.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from intent_lsp.core.findings import Finding, Related, Span
from intent_lsp.core.intents import IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.findings import ScopeFinding, file_findings, tree_findings
from intent_lsp.formats.intent_entry import IntentPlaces
from intent_lsp.formats.intents_yaml import IntentsFile
from intent_lsp.governance.rules import NameSpelling
from intent_lsp.governance.stores import Stores
from intent_lsp.store.places import is_directory

LISTED_FOR: Final = timedelta(seconds=10)
"""How long a listing of the work tree is good enough for hints."""

_FILES_AT_MOST: Final = 20_000

Place = Callable[[IntentId], IntentPlaces | None]
"""Gives where the parts of an intent stand."""


class ScopeChecks:
    """Finds in the work tree what a scope alone cannot tell."""

    def __init__(self, stores: Stores, spelling: NameSpelling) -> None:
        self._stores = stores
        self._spelling = spelling
        self._lock = threading.Lock()
        self._files: Sequence[WorkspacePath] = ()
        self._listed_at: datetime | None = None
        self._last: tuple[Intents, Sequence[WorkspacePath], tuple[ScopeFinding, ...]] | None = None

    def findings(self, read: IntentsFile) -> tuple[Finding, ...]:
        """Hold the scopes of the file on disk against the work tree; each finding at its glob."""
        if not read.parsed:
            return ()
        with self._lock:
            return _all_placed(self._known(read.intents), read)

    def remembered(self, read: IntentsFile) -> tuple[Finding, ...]:
        """Give what is known of the scopes that a text being typed has left as they were.

        A thousand scopes against a large work tree take seconds: not at every keystroke.
        """
        last = self._last
        if last is None or not read.parsed:
            return ()
        checked = {intent.id: intent.owned_scope for intent in last[0]}
        same = {i.id for i in read.intents if checked.get(i.id) == i.owned_scope}
        return _all_placed([f for f in last[2] if f.intent_id in same], read)

    def is_directory(self, name: str) -> bool:
        """Whether the work tree has a directory of this root-relative name."""
        return is_directory(self._stores.root, name)

    def _known(self, intents: Intents) -> tuple[ScopeFinding, ...]:
        files = self._listing()
        if self._last is not None and self._last[:2] == (intents, files):
            return self._last[2]
        found = self._computed(intents, files)
        self._last = (intents, files, found)
        return found

    def _computed(
        self, intents: Intents, files: Sequence[WorkspacePath]
    ) -> tuple[ScopeFinding, ...]:
        # Without git nobody says which files count: nothing is said of what exists.
        if self._stores.git is None:
            return file_findings(intents)
        return tree_findings(
            intents,
            files,
            case_sensitive=self._spelling.case_sensitive,
            nfc=self._spelling.nfc,
        )

    def _listing(self) -> Sequence[WorkspacePath]:
        now = self._stores.clock()
        git = self._stores.git
        if git is not None and (self._listed_at is None or now - self._listed_at > LISTED_FOR):
            self._files = tuple(git.list_files())[:_FILES_AT_MOST]
            self._listed_at = now
        return self._files


def _all_placed(found: Iterable[ScopeFinding], read: IntentsFile) -> tuple[Finding, ...]:
    # The places of an intent are computed when they are asked for: not once for each of its globs.
    place = lru_cache(maxsize=None)(read.places.get)
    placed = (_placed(finding, place) for finding in found)
    return tuple(finding for finding in placed if finding is not None)


def _placed(finding: ScopeFinding, place: Place) -> Finding | None:
    places = place(finding.intent_id)
    if places is None:
        return None
    other = None if finding.other is None else place(finding.other)
    related = () if other is None else (Related(span=_scope(other), message="the other scope"),)
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
