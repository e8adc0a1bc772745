"""The findings of one check while it runs, with their places, fingerprints and later fate.

Specified in requirements section 14.

Invariant: a finding about a file that a later commit has restored is a note.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from intent_lsp.core.check.fingerprints import Fingerprints
from intent_lsp.core.check.line_runs import later_run, run_of_hunk
from intent_lsp.core.check.report import CheckFinding, FindingLevel, LineRun
from intent_lsp.core.content import FileContent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.ranges import Hunk
from intent_lsp.governance.check.diffed_files import (
    DiffedFile,
    comparable_lines,
    hunks_between,
)

_LEVELS: Final = tuple(FindingLevel)

ReadHead = Callable[[WorkspacePath], FileContent]
"""Returns a file as the head of the range has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPlace:
    """Where a finding is: a file of a commit, and one hunk of it or None for the whole file.

    `moved_away`: it is about the path that a renamed file had before.
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
        """The lines of the hunk in the file as the change left it.

        None for a whole file, an earlier path, or a file that the change deleted.
        """
        gone = self.moved_away or self.file.after.absent
        return None if gone or self.hunk is None else run_of_hunk(self.hunk)

    def changed(self) -> Iterator[str]:
        """Yield the lines that the hunk wrote and removed, or the hashes of the whole file."""
        if self.hunk is None:
            yield from (self.file.before.hash or "", self.file.after.hash or "")
            return
        old, new = comparable_lines(self.file.before) or (), comparable_lines(self.file.after) or ()
        hunk = self.hunk
        yield from new[hunk.new_start : hunk.new_start + hunk.new_count]
        yield "\n-"
        yield from old[hunk.old_start : hunk.old_start + hunk.old_count]


@dataclass(slots=True)
class FindingList:
    """Collects findings. `show_path` converts a path into one relative to git's top level."""

    show_path: Callable[[WorkspacePath], str]
    _found: list[tuple[CheckFinding, FoundPlace | None, int]] = field(default_factory=list)
    _made: Fingerprints = field(default_factory=Fingerprints)
    _left: list[dict[WorkspacePath, str | None]] = field(default_factory=list)
    _began: dict[WorkspacePath, str | None] = field(default_factory=dict)
    _restored: set[WorkspacePath] = field(default_factory=set)

    def begin(self, files: Iterable[DiffedFile]) -> None:
        """Begin the next change. The findings until the next one concern its `files`."""
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
        self._left.append(left)

    def restores(self, file: DiffedFile) -> bool:
        """Whether the present change leaves a file as the first change of it had found it."""
        return file.path in self._restored and (
            file.previous is None or file.previous in self._restored
        )

    def add(  # noqa: PLR0913 - each is a field of it
        self,
        code: str,
        level: FindingLevel,
        message: str,
        place: FoundPlace,
        *,
        intents: Sequence[str] = (),
        owners: Sequence[str] = (),
    ) -> None:
        """Add a finding about a file."""
        finding = CheckFinding(
            code=code,
            level=level,
            message=message,
            path=place.path,
            shown_path=self.show_path(place.path),
            lines=place.lines,
            head_lines=place.lines,
            commit=place.commit,
            intents=tuple(intents),
            owners=tuple(owners),
            fingerprint=self._made.of(code, place.path, place.changed()),
        )
        self._found.append((finding, place, len(self._left)))

    def add_other(self, finding: CheckFinding) -> None:
        """Add a finding that concerns no hunk. Its fingerprint is made here."""
        made = self._made.of(finding.code, finding.path, (finding.message,))
        self._found.append((replace(finding, fingerprint=made), None, len(self._left)))

    def finished(self, read_head: ReadHead | None) -> tuple[CheckFinding, ...]:
        """Return all findings: change by change, errors first, and those of the ledger last.

        `read_head` finds their lines in the head of a range; None: there is no range.
        """
        found = sorted(self._finished(read_head), key=lambda each: (each[0], _rank(each[1])))
        return tuple(finding for _, finding in found)

    def _finished(self, read_head: ReadHead | None) -> Iterator[tuple[int, CheckFinding]]:
        """Yield the findings with the numbers of their changes."""
        for finding, place, number in self._found:
            if place is None:
                yield len(self._left) + 1, finding
                continue
            found = finding
            if self._is_undone(place, number):
                found = replace(found, level=FindingLevel.NOTE, undone=True)
            if read_head is not None and found.lines is not None:
                found = replace(found, head_lines=_in_head(found.lines, place, read_head))
            yield number, found

    def _is_undone(self, place: FoundPlace, number: int) -> bool:
        """Whether a change after the one with this number has left the file as it was before.

        False for a change that is not committed.
        """
        before = place.file.old_id
        if place.file.previous is not None and not place.moved_away:
            before = None
        if place.commit is None:
            return False
        return any(
            place.path in left and left[place.path] == before for left in self._left[number:]
        )


def _rank(finding: CheckFinding) -> int:
    return _LEVELS.index(finding.level)


def _in_head(lines: LineRun, place: FoundPlace, read_head: ReadHead) -> LineRun | None:
    head = read_head(place.path)
    if head.absent:
        return None
    hunks = hunks_between(place.file.after, head)
    return None if hunks is None else later_run(lines, hunks)
