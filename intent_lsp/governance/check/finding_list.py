"""The findings of one check while it runs, with their places and fingerprints.

Specified in requirements section 14.

Invariant: a finding about a file that a later commit has restored is a note.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.check.report import (
    CheckFinding,
    FindingLevel,
    Fingerprints,
    LineRun,
    later_run,
    run_of_hunk,
)
from intent_lsp.core.codes import CheckCode, GateCode
from intent_lsp.core.content import FileContent
from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.check.diffed_files import DiffedFile, comparable_lines, hunks_between

_LEVELS: Final = tuple(FindingLevel)
_OTHER: Final = ""
"""Stands for the blob of a file that a change did not touch."""

ReadHead = Callable[[WorkspacePath], FileContent]
"""Returns a file as the head of the range has it."""


class FoundPlace(Struct, frozen=True, kw_only=True):
    """Where a finding is: a file of a change, and one hunk of it or None for the whole file.

    `commit` is None for a change that is not committed. `moved_away`: the finding is about the path
    that a renamed file had before.
    """

    commit: str | None
    file: DiffedFile
    hunk: Hunk | None = None
    moved_away: bool = False

    @property
    def path(self) -> WorkspacePath:
        """The path that the finding is about."""
        moved = self.moved_away and self.file.previous
        return moved or self.file.path

    @property
    def lines(self) -> LineRun | None:
        """The lines of the hunk in the file as the change left it, counted from 1.

        For a hunk without new lines it is the line above, or line 1. None for a whole file, an
        earlier path, or a file that the change deleted.
        """
        gone = self.moved_away or self.file.after.absent
        return None if gone or self.hunk is None else run_of_hunk(self.hunk)

    def changed(self) -> Iterator[str]:
        """Yield the lines that the hunk wrote, a separator, and the lines that it removed.

        Without a hunk, yield the file's hashes before and after.
        """
        if self.hunk is None:
            yield from (self.file.before.hash or "", self.file.after.hash or "")
            return
        old, new = comparable_lines(self.file.before) or (), comparable_lines(self.file.after) or ()
        hunk = self.hunk
        yield from new[hunk.new_start : hunk.new_start + hunk.new_count]
        yield "\n-"
        yield from old[hunk.old_start : hunk.old_start + hunk.old_count]


class _Noted(Struct, frozen=True):
    """A finding with the number of its change, from 1, and its path's blob before that change.

    For a finding of no change, the number is one more than the last change's. `before` is None if
    there was no file at that path, or its blob is not known. `undoable`: a later commit may restore
    the file.
    """

    finding: CheckFinding
    number: int
    before: str | None = None
    undoable: bool = False


class FindingList(Struct):
    """Collects findings. `show_path` converts a path into one relative to git's top level.

    `read_head` returns files of the head of a range; it is None if the index or work tree is
    checked.
    """

    show_path: Callable[[WorkspacePath], str]
    read_head: ReadHead | None = None
    _found: list[_Noted] = field(default_factory=list)
    _made: Fingerprints = field(default_factory=Fingerprints)
    _left: list[dict[WorkspacePath, str | None]] = field(default_factory=list)
    _began: dict[WorkspacePath, str | None] = field(default_factory=dict)
    _restored: set[WorkspacePath] = field(default_factory=set)
    _since: dict[WorkspacePath, tuple[Hunk, ...] | None] = field(default_factory=dict)

    def begin(self, files: Iterable[DiffedFile]) -> None:
        """Begin the next change, which touches `files`. Findings added from now on are of it."""
        left: dict[WorkspacePath, str | None] = {}
        began: dict[WorkspacePath, str | None] = {}
        for file in files:
            old = file.path if file.previous is None else file.previous
            began[file.path], left[old] = None, None
            began[old], left[file.path] = file.old_id, file.new_id
        self._restored = {
            p for p, id_ in left.items() if p in self._began and self._began[p] == id_
        }
        self._began = {**began, **self._began}
        self._since.clear()
        self._left.append(left)

    def restores(self, file: DiffedFile) -> bool:
        """Whether the present change leaves a file as it was before the check's first change of it.

        False if it is itself that first change.
        """
        return file.path in self._restored and (
            file.previous is None or file.previous in self._restored
        )

    def add(  # noqa: PLR0913 - each is a field of it
        self,
        code: GateCode | CheckCode,
        message: str,
        place: FoundPlace,
        *,
        level: FindingLevel = FindingLevel.ERROR,
        intents: Sequence[str] = (),
        owners: Sequence[str] = (),
    ) -> None:
        """Add a finding about a file.

        `intents` are those that it was judged by, `owners` those that own the path.
        """
        finding = CheckFinding(
            code=code.value,
            level=level,
            message=message,
            path=place.path,
            shown_path=self.show_path(place.path),
            lines=place.lines,
            head_lines=self._in_head(place),
            commit=place.commit,
            intents=tuple(intents),
            owners=tuple(owners),
            fingerprint=self._made.of(code.value, place.path, place.changed()),
        )
        renamed_here = place.file.previous is not None and not place.moved_away
        before = None if renamed_here else place.file.old_id
        undoable = place.commit is not None
        self._found.append(_Noted(finding, len(self._left), before, undoable))

    def add_other(self, finding: CheckFinding) -> None:
        """Add a finding that concerns no change. Its fingerprint is made here."""
        made = self._made.of(finding.code, finding.path, (finding.message,))
        self._found.append(_Noted(replace(finding, fingerprint=made), len(self._left) + 1))

    def finished(self) -> tuple[CheckFinding, ...]:
        """Return all findings, change by change; those of no change, such as the ledger's, last.

        The findings of one change begin with the errors. One about a file that a later commit has
        restored is a note.
        """
        found = [(each.number, self._fate(each)) for each in self._found]
        found.sort(key=lambda each: (each[0], _LEVELS.index(each[1].level)))
        return tuple(finding for _, finding in found)

    def _fate(self, noted: _Noted) -> CheckFinding:
        """Return a finding; as a note if a later commit left the file as before the change."""
        finding, path = noted.finding, noted.finding.path
        later = self._left[noted.number :] if noted.undoable else ()
        if path is None or all(left.get(path, _OTHER) != noted.before for left in later):
            return finding
        return replace(finding, level=FindingLevel.NOTE, undone=True)

    def _in_head(self, place: FoundPlace) -> LineRun | None:
        """Return where a place's lines are in the head of the range, or None if they are not there.

        If the index or the work tree is checked, return the place's own lines.
        """
        lines = place.lines
        if lines is None or self.read_head is None:
            return lines
        if place.path not in self._since:
            head = self.read_head(place.path)
            changed = None if head.absent else hunks_between(place.file.after, head)
            self._since[place.path] = changed
        hunks = self._since[place.path]
        return None if hunks is None else later_run(lines, hunks)
