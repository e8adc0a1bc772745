"""Findings on scopes that follow from recorded work: closed but edited, or wider than used.

Specified in requirements section 3.3.

Invariant: the ledger and git are only asked by `refresh`; what it found is returned at once.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from intent_lsp.core.codes import FileCode
from intent_lsp.core.content import hash_if_there
from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.findings import Severity
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.findings import ScopeFinding
from intent_lsp.core.scope.scope import Scope
from intent_lsp.core.scope.suggestions import used_part
from intent_lsp.core.scope.survey import MAX_NAMED
from intent_lsp.core.text import some_of
from intent_lsp.core.timestamps import timestamp
from intent_lsp.core.written_dates import date_range
from intent_lsp.formats.ledger.index_keys import moment_of
from intent_lsp.governance.plan.tree_listing import LISTED_FOR, TreeListing
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.fs.tree_reader import read_in

STILL: Final = timedelta(days=14)
"""How long an edit of a closed intent's files is pointed out."""

FEWEST_RECORDS: Final = 20
"""The fewest records of an intent whose scope is compared with its work."""

_INTENTS_AT_MOST: Final = 200
"""The most intents whose scopes are compared with their work."""

_PATHS_AT_MOST: Final = 2_000
"""The most files that are looked at. No glob of an intent that changed more is called unused."""


class WorkChecks:
    """Computes the findings on intents' scopes that depend on the ledger and on changes in git."""

    def __init__(self, stores: Stores, listing: TreeListing) -> None:
        self._stores = stores
        self._listing = listing
        self._lock = threading.Lock()
        self._found: tuple[Mapping[IntentId, Intent], tuple[ScopeFinding, ...]] = ({}, ())
        self._last: tuple[Intents, datetime] | None = None
        self._unused_last: tuple[object, tuple[ScopeFinding, ...]] = (None, ())

    def refresh_if_due(self) -> bool:
        """Call `refresh`, unless it was called for the same intents in the last ten seconds.

        Return whether the findings have changed, and False if it was not called.
        """
        intents, now = self._stores.rules.current().file.intents, self._stores.clock()
        last = self._last
        # The clock may be set back: then the last time is in the future.
        recent = last is not None and last[0] == intents and abs(now - last[1]) <= LISTED_FOR
        return False if recent else self.refresh()

    def refresh(self) -> bool:
        """Compute the findings for the saved intents file, and return whether they have changed.

        This may take seconds: the ledger's index is brought up to date, and git is asked.
        """
        with self._lock:
            rules = self._stores.rules.current()
            intents = rules.file.intents
            self._last = intents, self._stores.clock()
            found = (*self._edited(rules), *self._known_unused(rules))
            former, self._found = self._found, ({each.id: each for each in intents}, found)
            return former[1] != found

    def known(self, intents: Intents) -> Iterator[ScopeFinding]:
        """Yield what `refresh` found on those of `intents` whose scope and status are as they were.

        Nothing is yielded before the first `refresh`.
        """
        checked, found = self._found
        for finding in found:
            now, then = intents.get(finding.intent_id), checked.get(finding.intent_id)
            if now is None or then is None or now.status is not then.status:
                continue
            if now.owned_scope == then.owned_scope:
                yield finding

    def _edited(self, rules: Rules) -> Iterator[ScopeFinding]:
        """Yield a finding for each closed intent whose files were edited after it was closed."""
        intents = rules.file.intents
        closed = {each.id for each in intents if each.status.closed and each.owned_scope}
        recorded, on_disk = self._stray_edits() if closed else ({}, {})
        if not recorded and not on_disk:
            return
        ends, below = self._ends(intents, closed), RootsBelow(self._stores.root)
        # A later record may have put right a file's newest edit that broke a rule.
        stands = self._stores.past.standing_violations
        touched: dict[IntentId, list[WorkspacePath]] = {}
        for path in sorted({*recorded, *on_disk}):
            owners = {owned.intent_id for owned in rules.owners(path)}
            if not owners or not owners <= closed or _is_free(rules, path) or below.hold(path):
                continue
            last = max(owners & ends.keys(), key=lambda each: ends[each], default=None)
            if last is None:
                continue
            if (recorded.get(path, 0) > ends[last] and stands(path)) or (
                on_disk.get(path, 0) > ends[last] and not self._is_explained(path)
            ):
                touched.setdefault(last, []).append(path)
        for intent_id, paths in touched.items():
            yield _edited_finding(intent_id, paths)

    def _stray_edits(self) -> tuple[Mapping[WorkspacePath, int], Mapping[WorkspacePath, int]]:
        """Return two maps from files changed less than `STILL` ago to when they were changed.

        The first has the files of records that do not pass, with the time of the newest such
        record. The second has the files that exist and differ from HEAD, with the time of their
        last write. The times are as `moment_of` counts them.
        """
        since = self._stores.clock() - STILL
        recorded = self._stores.past.not_passing_since(timestamp(since), limit=_PATHS_AT_MOST)
        on_disk: dict[WorkspacePath, int] = {}
        git = self._stores.git
        for path in () if git is None else git.changed_paths()[:_PATHS_AT_MOST]:
            there = stamp(self._stores.root / path)
            if there is not None:
                on_disk[path] = _moment(datetime.fromtimestamp(there.mtime_ns / 1e9, UTC))
        first = _moment(since)
        return recorded, {path: moment for path, moment in on_disk.items() if moment > first}

    def _is_explained(self, path: WorkspacePath) -> bool:
        """Return whether a file is as its newest record or the server itself left it.

        True also if git has since written the same content again, as `git stash pop` does.
        """
        content, state = hash_if_there(read_in(self._stores.root, path)), self._stores.state
        if content is None:
            return False
        own = state is not None and state.own_write(path) == content
        return own or self._stores.past.left_last(path, content)

    def _ends(self, intents: Intents, closed: set[IntentId]) -> Mapping[IntentId, int]:
        """Return when each closed intent was closed, as a moment (`moment_of`), by the intent's id.

        It is the later of its `updated_at` and its newest record that passes. Intents that have
        neither are left out.
        """
        newest = self._stores.past.newest_moments()
        ends: dict[IntentId, int] = {}
        for intent in (each for each in intents if each.id in closed):
            written = date_range(intent.updated_at or "")
            moments = [newest[name] for name in intents.names(intent) if name in newest]
            moments += () if written is None else (_moment(written.last),)
            if moments:
                ends[intent.id] = max(moments)
        return ends

    def _known_unused(self, rules: Rules) -> tuple[ScopeFinding, ...]:
        """Return the findings on globs of which only a small part is used (`_unused`).

        They are searched for again only if the intents, the files or the ledger have changed.
        """
        key = rules.file.intents, self._listing.files(), self._stores.ledger.index.stamp()
        if self._unused_last[0] != key:
            self._unused_last = key, tuple(self._unused(rules))
        return self._unused_last[1]

    def _unused(self, rules: Rules) -> Iterator[ScopeFinding]:
        """Yield a finding for each glob of which an intent's work has used only a small part."""
        intents = rules.file.intents
        open_ = [each for each in intents if not each.status.closed and each.owned_scope]
        counts = self._stores.past.counts() if open_ and self._stores.git is not None else {}
        worked = [
            intent
            for intent in open_
            if sum(counts.get(name, 0) for name in intents.names(intent)) >= FEWEST_RECORDS
        ]
        for intent in worked[:_INTENTS_AT_MOST]:
            touched = self._stores.past.touched_by(intents.names(intent), limit=_PATHS_AT_MOST + 1)
            if len(touched) <= _PATHS_AT_MOST:
                yield from self._unused_of(intent.id, rules.scopes[intent.id], touched)

    def _unused_of(
        self, intent_id: IntentId, scope: Scope, touched: Sequence[WorkspacePath]
    ) -> Iterator[ScopeFinding]:
        tree = self._listing.tree()
        if tree is None:
            return
        # The intent has moved or deleted what was in other directories.
        there = [path for path in touched if tree.has_directory(path.rpartition("/")[0])]
        whole = not any(pattern.exclusion for pattern in scope.compiled)
        for at, pattern in enumerate(scope.compiled):
            if pattern.exclusion or not pattern.rows:
                continue
            own = [path for path in there if pattern.matches(path)]
            matched = tree.matching(pattern)
            owned = matched if whole else filter(scope.covers, matched)
            globs = used_part(pattern.spelling.glob, own, owned)
            if globs is not None:
                yield _unused_finding(intent_id, at, globs)


def _is_free(rules: Rules, path: WorkspacePath) -> bool:
    """Return whether a file is part of no intent's work: control plane, or generated."""
    return control_plane(path) or rules.generated.covers(path)


def _moment(time: datetime) -> int:
    return moment_of(timestamp(time))


def _edited_finding(intent_id: IntentId, paths: Sequence[WorkspacePath]) -> ScopeFinding:
    names = some_of([f"`{path}`" for path in paths], MAX_NAMED)
    what = "A file" if len(paths) == 1 else "Files"
    was = "was" if len(paths) == 1 else "were"
    return ScopeFinding(
        intent_id=intent_id,
        pattern_index=None,
        code=FileCode.CLOSED_SCOPE_EDITED,
        severity=Severity.HINT,
        message=f"{what} of this intent that no open intent owns {was} edited after it was closed:"
        f" {names}.",
    )


def _unused_finding(intent_id: IntentId, at: int, globs: Sequence[str]) -> ScopeFinding:
    named = ", ".join(f"`{glob}`" for glob in globs)
    return ScopeFinding(
        intent_id=intent_id,
        pattern_index=at,
        code=FileCode.UNUSED_SCOPE,
        severity=Severity.HINT,
        message="This glob is wider than its use: each file under it that this intent has changed"
        f" matches {named}. Files in directories that no longer exist do not count.",
        replacement=tuple(globs),
    )
