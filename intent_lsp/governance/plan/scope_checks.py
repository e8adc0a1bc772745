"""Findings on scopes and dates that need the work tree or the clock, with their places and fixes.

Specified in requirements section 3.

Invariant: while the file is typed, an unchanged scope is only checked for files that a changed
scope owns too.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, RelatedSpan, Severity, Span, TextChange
from intent_lsp.core.intents import Intent, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree
from intent_lsp.core.scope.findings import ScopeFinding, file_findings, tree_findings
from intent_lsp.core.scope.pattern import compile_pattern
from intent_lsp.core.scope.scope import compile_scopes
from intent_lsp.core.scope.suggestions import near_glob
from intent_lsp.core.written_dates import date_range
from intent_lsp.formats.intents.entry import IntentPlaces
from intent_lsp.formats.intents.glob_edits import glob_change
from intent_lsp.formats.intents.intents_file import IntentsFile
from intent_lsp.governance.plan.tree_listing import TreeListing
from intent_lsp.governance.plan.work_checks import WorkChecks
from intent_lsp.governance.root.stores import Stores

_FILES_AT_MOST: Final = 20_000
_TYPED_AT_MOST: Final = 4
"""The most changed scopes for which findings are computed while the file is being typed."""

_SHARED_AT_MOST: Final = 200
"""The most files of changed scopes that are checked for other owners while typing."""

_ANCHORED: Final = re.compile(r"(?:^|\s)&\S+\s+(?:!\S*\s+)?$")
_AHEAD: Final = timedelta(days=1)
"""How far in the future a date may be without a finding. The clocks of two machines differ less."""

_LastCheck = tuple[Intents, Sequence[WorkspacePath], tuple[ScopeFinding, ...]]
"""The intents and the files of a full check, and what it found."""


class ScopeChecks:
    """Computes the findings on intents' scopes that depend on the files of the work tree."""

    def __init__(self, stores: Stores, listing: TreeListing, works: WorkChecks) -> None:
        self._stores = stores
        self._works = works
        self._listing = listing
        self._spelling = listing.spelling
        self._lock = threading.Lock()
        self._last: _LastCheck | None = None

    def findings(self, read: IntentsFile, lines: Sequence[str] = ()) -> tuple[Finding, ...]:
        """Check the scopes of the saved intents file against the work tree (at most 20,000 files).

        Return the findings at their places; none if the file does not parse. If git does not list
        the files, only what the intents file shows by itself is checked. Findings on dates in the
        future, and those that `WorkChecks` knows, are returned too. Fixes are for the text `lines`;
        without it there are none.
        """
        if not read.parsed:
            return ()
        with self._lock:
            found = self._known(read.intents)
        return self._placed(found, read, lines)

    def typed(self, read: IntentsFile, lines: Sequence[str] = ()) -> tuple[Finding, ...]:
        """Return the scope findings on unsaved text of the intents file, as `findings` does.

        For unchanged scopes they are those of the last call of `findings`, since a full check can
        take seconds. Changed scopes are checked; if more than `_TYPED_AT_MOST` have changed, they
        get no findings. Before the first call of `findings`, no scope is checked.
        """
        if not read.parsed:
            return ()
        last = self._last
        return self._placed(() if last is None else self._typed(read, last), read, lines)

    def _typed(self, read: IntentsFile, last: _LastCheck) -> list[ScopeFinding]:
        """Return the findings on unsaved text: those of the last full check, and new ones.

        Unchanged scopes have the findings of the last full check. Changed scopes are checked now;
        if more than `_TYPED_AT_MOST` have changed, they get no findings.
        """
        checked = {intent.id: intent.owned_scope for intent in last[0]}
        changed = tuple(i for i in read.intents if checked.get(i.id) != i.owned_scope)
        new = {intent.id for intent in changed}
        found = [f for f in last[2] if f.intent_id not in new and f.other not in new]
        if 0 < len(changed) <= _TYPED_AT_MOST:
            found += self._of_changed(changed, read.intents, last[1])
        return found

    def _placed(
        self, found: Iterable[ScopeFinding], read: IntentsFile, lines: Sequence[str]
    ) -> tuple[Finding, ...]:
        """Return findings at their places; add those of `WorkChecks`, and those on future dates.

        A future date is a `created_at` or `updated_at` more than a day ahead.
        """
        every = (*found, *self._works.known(read.intents))
        return (*_all_placed(every, read, lines), *_future_dates(read, self._stores.clock()))

    def _of_changed(
        self, changed: Sequence[Intent], intents: Intents, files: Sequence[WorkspacePath]
    ) -> list[ScopeFinding]:
        """Return the findings on the `changed` scopes, and on files shared with other scopes.

        Sharing is searched for among the first `_SHARED_AT_MOST` files of these scopes. `intents`
        are all intents of the file, `files` the files of the work tree.
        """
        alone = Intents(tuple(changed))
        found = [
            finding
            for finding in self._suggested(self._computed(alone, files), alone)
            if finding.code is not FileCode.SCOPE_OVERLAP
        ]
        scopes = compile_scopes([intent.owned_scope for intent in changed], self._spelling)
        owned = (path for path in files if any(scope.covers(path) for scope in scopes))
        new = {intent.id for intent in changed}
        shared = tuple(islice(owned, _SHARED_AT_MOST + 1))
        whole = len(shared) <= _SHARED_AT_MOST
        found += (
            finding
            for finding in self._computed(intents, shared[:_SHARED_AT_MOST], whole=whole)
            if finding.code is FileCode.SCOPE_OVERLAP
            and (finding.intent_id in new or finding.other in new)
        )
        return found

    def _known(self, intents: Intents) -> tuple[ScopeFinding, ...]:
        every = self._listing.files()
        files = every[:_FILES_AT_MOST]
        if self._last is not None and self._last[:2] == (intents, files):
            return self._last[2]
        whole = len(files) == len(every)
        found = self._suggested(self._computed(intents, files, whole=whole), intents)
        self._last = (intents, files, found)
        return found

    def _computed(
        self, intents: Intents, files: Sequence[WorkspacePath], *, whole: bool = True
    ) -> tuple[ScopeFinding, ...]:
        # Where git does not answer it is unknown which files count: the work tree is not checked.
        if self._listing.tree() is None:
            return file_findings(intents)
        return tree_findings(intents, files, self._spelling, whole=whole)

    def _suggested(
        self, found: tuple[ScopeFinding, ...], intents: Intents
    ) -> tuple[ScopeFinding, ...]:
        """Return the findings `found`; to those on globs that match no file, add a similar glob.

        If the files of the work tree are unknown, the findings are returned unchanged.
        """
        tree = self._listing.tree()
        return found if tree is None else tuple(_with_near(each, intents, tree) for each in found)


def _with_near(finding: ScopeFinding, intents: Intents, tree: FileTree) -> ScopeFinding:
    """Return a finding; if it says that no file matches a glob, add a similar glob that matches.

    If there is no such glob, or the finding says something else, return it unchanged.
    """
    intent, at = intents.get(finding.intent_id), finding.pattern_index
    if finding.code is not FileCode.SCOPE_MATCHES_NOTHING or intent is None or at is None:
        return finding
    near = near_glob(compile_pattern(intent.owned_scope[at], tree.reading), tree)
    if near is None:
        return finding
    message = f"{finding.message} Did you mean `{near}`?"
    return replace(finding, message=message, replacement=(near,))


def _all_placed(
    found: Iterable[ScopeFinding], read: IntentsFile, lines: Sequence[str]
) -> Iterator[Finding]:
    """Yield findings on intents of `read` at their places, with fixes for the text `lines`.

    Those on intents that the file does not have are left out. Without `lines` there are no fixes.
    """
    # Looking up an intent's places is slow: do it once per intent, not once per glob.
    place = lru_cache(maxsize=None)(read.places.get)
    for finding in found:
        places = place(finding.intent_id)
        other = None if finding.other is None else place(finding.other)
        if places is not None:
            yield _placed(finding, places, other, lines)


def _future_dates(read: IntentsFile, now: datetime) -> Iterator[Finding]:
    """Yield a finding on each date of an intent that is more than a day after `now`."""
    limit = now + _AHEAD
    for intent in read.intents:
        places = read.places[intent.id]
        dates = {
            "created_at": (intent.created_at, places.created_at),
            "updated_at": (intent.updated_at, places.updated_at),
        }
        for name, (text, span) in dates.items():
            written = None if text is None else date_range(text)
            if written is not None and span is not None and written.first > limit:
                yield Finding(
                    code=FileCode.BAD_DATE,
                    severity=Severity.WARNING,
                    message=f"`{name}` is in the future: correct it, or the clock of this machine",
                    span=span,
                )


def _placed(
    finding: ScopeFinding, places: IntentPlaces, other: IntentPlaces | None, lines: Sequence[str]
) -> Finding:
    span = _span(finding, places)
    fix = _fix(finding, places, span, lines) if lines else None
    told = f"the scope of {finding.other}"
    related = () if other is None else (RelatedSpan(span=_scope(other), message=told),)
    return Finding(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        span=span,
        fixes=() if fix is None else (fix,),
        related=related,
    )


def _fix(
    finding: ScopeFinding, places: IntentPlaces, span: Span, lines: Sequence[str]
) -> Fix | None:
    """Return the fix of a finding, or None if there is none."""
    if finding.code is FileCode.CLOSED_SCOPE_EDITED:
        return None if places.status is None else _reopened(places.status, lines)
    if finding.replacement is None or finding.pattern_index is None:
        return None
    change = glob_change(lines, span, finding.replacement)
    if change is None:
        return None
    named = ", ".join(f"`{glob}`" for glob in finding.replacement)
    return Fix(f"Change to {named}" if named else "Remove this glob", (change,))


def _reopened(status: Span, lines: Sequence[str]) -> Fix | None:
    """Return the fix that reopens an intent.

    Return None if the status has several lines, or a YAML anchor (`&name`): other intents may have
    the same status through the anchor.
    """
    start, end = status.start, status.end
    line = lines[start.line] if start.line < len(lines) else ""
    if start.line != end.line or _ANCHORED.search(line[: start.character]):
        return None
    quote = line[start.character : start.character + 1]
    spelled = f"{quote}{Status.IN_PROGRESS}{quote}" if quote in ("'", '"') else Status.IN_PROGRESS
    return Fix(f"Reopen it: change to `{Status.IN_PROGRESS}`", (TextChange(status, str(spelled)),))


def _span(finding: ScopeFinding, places: IntentPlaces) -> Span:
    if finding.code is FileCode.CLOSED_SCOPE_EDITED:
        return places.status or places.id
    index = finding.pattern_index
    if index is not None and index < len(places.globs):
        return places.globs[index]
    return _scope(places)


def _scope(places: IntentPlaces) -> Span:
    return places.owned_scope or places.id
