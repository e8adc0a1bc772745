"""Publishes each file's violations, or shows many files with the same problem at one of them.

Invariant: an open document shows its own violations at once.
Invariant: while several closed files of a root are examined together, they are published once, at
the end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from msgspec import Struct

from intent_lsp.core.content import lines_if_text
from intent_lsp.core.gate.violations import ALONE, SHOWN_A_ROOT, Others, OutOfBounds, shown_of
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticParts
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from intent_lsp.governance.violations.file_violations import code_of, for_others
from intent_lsp.governance.violations.violation import Violation, severity_of
from intent_lsp.store.fs import files


class _Entry(Struct, kw_only=True):
    """A file with violations, of which `count` are shown.

    `others` are the further files that this one stands for, or None if the file is not shown:
    because another stands for it, or because it is not published yet. `due`: the violations have
    been computed again and are not published yet.
    """

    tracked: TrackedDocument
    open_root: OpenRoot
    file: OutOfBounds
    count: int = 0
    others: Others | None = None
    due: bool = True


class DiagnosticGrouping:
    """Publishes the violations of one connection's documents.

    Of many closed files with the same problem, one is shown and stands for all.
    """

    def __init__(self, parts: DiagnosticParts) -> None:
        self._parts = parts
        self._sources: dict[Path, list[str]] = {}
        self._versions: dict[Path, int] = {}
        self._entries: dict[str, _Entry] = {}
        self._held: Counter[OpenRoot] = Counter()
        self._waiting: set[OpenRoot] = set()
        self._renames: tuple[str, Mapping[WorkspacePath, WorkspacePath]] = "", {}

    def post(self, tracked: TrackedDocument) -> None:
        """Compute the violations of a document's current text, and publish them.

        Those of a closed file may be delayed, or be shown at another file that stands for this one.
        """
        former = self._entries.pop(tracked.uri, None)
        # A closed file is shown by `_show_root`; here it only matters whether it has violations.
        problems = tracked.show(*() if tracked.version is None else (self._room(tracked),))
        entry = self._entry(tracked)
        if entry is None:
            self._spell(tracked, problems)
        elif entry.file.opened:
            entry.count, entry.others, entry.due = self._spell(tracked, problems), ALONE, False
        if entry is not None:
            self._entries[tracked.uri] = entry
        if entry is None or former is None or entry.due or entry.file != former.file:
            self._show_changed(each.open_root for each in (former, entry) if each is not None)

    def forget(self, tracked: TrackedDocument) -> None:
        """Clear the diagnostics of a document that is not tracked any more."""
        former = self._entries.pop(tracked.uri, None)
        self._parts.publisher.post(tracked.uri, None, ())
        if former is not None:
            self._show_changed((former.open_root,))

    def held(self, tracked: Iterable[TrackedDocument]) -> AbstractContextManager[None]:
        """Delay diagnostics of closed files in the roots of `tracked` until the context ends."""
        return self.held_roots(each.open_root for each in tracked if each.open_root is not None)

    @contextmanager
    def held_roots(self, roots: Iterable[OpenRoot]) -> Iterator[None]:
        """Delay the diagnostics of closed files in `roots` until the context ends."""
        held = frozenset(roots)
        self._held.update(held)
        try:
            yield
        finally:
            self._held.subtract(held)
            over = {root for root in held if not self._held[root]}
            for root in over:
                del self._held[root]
            self._show_changed(over & self._waiting)

    def remember_source(self, look: OpenFileState, open_root: OpenRoot) -> None:
        """Cache the lines of a root's intents file, to which diagnostics refer.

        `look` is a snapshot that was judged by the rules in that file. Do nothing if the lines for
        these rules are cached. Call on a thread, because this reads the file.
        """
        path = open_root.governance.root / INTENTS_FILE
        version = look.judgement.rules.version
        if self._versions.get(path) == version:
            return
        try:
            data = files.read_bytes(path, MAX_BYTES)
        except OSError:
            data = None
        self._sources[path], self._versions[path] = lines_if_text(data), version

    def end(self) -> None:
        """Forget every entry, so that tasks cancelled now publish nothing more."""
        self._entries.clear()

    def _entry(self, tracked: TrackedDocument) -> _Entry | None:
        """Return a new entry for a file, or None if the file has no violation to show.

        None is also returned if no root governs the file, or if the settings hide its violations.
        """
        open_root, place, look = tracked.open_root, tracked.place, tracked.look
        if open_root is None or place is None or look is None or not tracked.problems:
            return None
        code = code_of(look)
        if self._parts.settings.severity(code, severity_of(code), place.path) is None:
            return None
        file = OutOfBounds(
            path=place.path,
            code=code,
            record_id=None if look.refused is None else look.refused.id,
            opened=tracked.version is not None,
            renamed_to=self._renamed_to(look, place.path),
        )
        return _Entry(tracked=tracked, open_root=open_root, file=file)

    def _renamed_to(self, look: OpenFileState, path: WorkspacePath) -> WorkspacePath | None:
        """Return the new path of a file that was renamed out of scope, or None for any other file.

        `look` is the snapshot of the file, which has the record of the rename.
        """
        record = look.refused
        if record is None or not look.disk.absent:
            return None
        if self._renames[0] != record.id:
            # Cached for one record, because it is asked for each of the record's files in turn.
            files = record.files
            renames = {file.previous: file.path for file in files if file.previous is not None}
            self._renames = record.id, renames
        return self._renames[1].get(path)

    def _show_changed(self, roots: Iterable[OpenRoot]) -> None:
        """Publish the closed files of `roots`.

        Roots whose diagnostics are delayed follow when the delay ends.
        """
        for root in set(roots):
            if root in self._held:
                self._waiting.add(root)
            else:
                self._waiting.discard(root)
                self._show_root(root)

    def _show_root(self, root: OpenRoot) -> None:
        """Publish the closed files of a root whose published diagnostics are out of date.

        Their violations have been computed again since, or they stand for other files than before.
        """
        entries = [entry for entry in self._entries.values() if entry.open_root is root]
        shown = shown_of(entry.file for entry in entries)
        # Files that are no longer shown come first, because they make room for the others.
        for entry in sorted(entries, key=lambda each: (each.file.path in shown, each.file.path)):
            others = shown.get(entry.file.path)
            if not entry.file.opened and (entry.due or entry.others != others):
                problems = self._problems(entry.tracked, others)
                entry.count = self._spell(entry.tracked, problems)
                entry.others, entry.due = others, False

    def _problems(self, tracked: TrackedDocument, others: Others | None) -> Sequence[Violation]:
        """Return the violations to show on a closed file.

        `others` are the further files that this one stands for. If there are any, the result is at
        most one violation, worded for all these files. If `others` is None, another file stands for
        this one, and the result is empty.
        """
        if others is None:
            return ()
        problems = tracked.show(self._room(tracked))
        return [for_others(each, others) for each in problems[:1]] if others.count else problems

    def _room(self, tracked: TrackedDocument) -> int:
        """Return how many violations a file may show, so that its root stays within its limit."""
        others = (each for each in self._entries.values() if each.tracked is not tracked)
        taken = sum(each.count for each in others if each.open_root is tracked.open_root)
        return max(0, SHOWN_A_ROOT - taken)

    def _spell(self, tracked: TrackedDocument, problems: Iterable[Violation]) -> int:
        """Publish violations of a document, with the severities of the settings.

        Return how many are shown: the settings may hide some.
        """
        severity = self._parts.settings.severity
        shown = [
            self._parts.spelling.problem(
                problem,
                tracked.lines,
                version=tracked.version,
                severity=loud,
                sources=self._sources,
            )
            for problem in problems
            if (loud := severity(problem.code, problem.severity, problem.path)) is not None
        ]
        self._parts.publisher.post(tracked.uri, tracked.version, shown)
        return len(shown)
