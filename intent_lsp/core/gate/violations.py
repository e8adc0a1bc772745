"""Selects the violations that are shown: the lines of a file, and the files of a root.

Specified in requirements section 8 and disk section 3.

Invariant: a file equal to HEAD has no violation. Lines from before the session, or covered by a
passing record, are not marked, unless the file's newest record is a violation that is not resolved.
Invariant: every file with a violation shows its own, or is counted in the violation that exactly
one other file shows, or is shown under its new name, as long as no more than SHOWN_A_ROOT are to be
shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from posixpath import commonpath
from typing import Final

from msgspec import Struct

from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import WorkspacePath

SHOWN_A_FILE = 100
SHOWN_A_ROOT = 1_000


class MarkedRun(Struct, frozen=True):
    """The lines that one diagnostic marks, from 0, both ends included.

    `hunk` is the change that the lines come from. It is None if the diagnostic is about the whole
    file or a record.
    """

    first_line: int
    last_line: int
    hunk: Hunk | None = None


SHOWN_ALIKE: Final = 50
"""The most files of one record and code that each show their own violation.

If there are more, one closed file stands for all closed ones.
"""


class OutOfBounds(Struct, frozen=True, kw_only=True):
    """A file with a violation: the violation's code, and the id of the record that holds it.

    `code` is the value of a GateCode or a ShownCode. `record_id` is None if the violation is not
    recorded yet. `opened`: an editor has the file open. `renamed_to` is the file's new path if it
    was renamed since, else None.
    """

    path: WorkspacePath
    code: str
    record_id: str | None
    opened: bool
    renamed_to: WorkspacePath | None = None


class Others(Struct, frozen=True):
    """The files that one shown file stands for besides itself: their number and common folder.

    The folder "" is the root.
    """

    count: int
    folder: str = ""


ALONE: Final = Others(0)


def marked_runs(head: Sequence[Hunk], narrowing: Sequence[Sequence[Hunk]]) -> tuple[MarkedRun, ...]:
    """Return the runs of lines to mark: hunks against HEAD that are new against all references.

    `head` are the text's hunks against HEAD. `narrowing` holds its hunks against each other
    reference: the baseline and the newest passing content. A hunk is marked as a whole if one of
    its lines is new against each of these. A pure deletion is marked if the text has a hunk there
    against each of these; the mark is at the line above the deletion, or at line 0.
    """
    return tuple(
        _mark(hunk) for hunk in head if _has_new_line(hunk, [_near(hunk, n) for n in narrowing])
    )


def shown_of(files: Iterable[OutOfBounds]) -> Mapping[WorkspacePath, Others]:
    """Return the files of a root to show, each with the other files that it stands for.

    `files` are all files with a violation. They are grouped by code and record. A closed file that
    was renamed is left out if its new path is in the same group. If more than SHOWN_ALIKE files are
    left in a group, the first closed one by path is shown for all closed ones. Open files are
    always shown. They count towards SHOWN_ALIKE, so that opening one does not make others appear.
    """
    alike: dict[tuple[str, str | None], list[OutOfBounds]] = {}
    for file in files:
        alike.setdefault((file.code, file.record_id), []).append(file)
    return {path: others for each in alike.values() for path, others in _shown(each).items()}


def new_to_all(hunk: Hunk, references: Iterable[Sequence[Hunk]]) -> list[tuple[int, int]]:
    """Return the runs of a hunk's new lines that are new against each of `references`, too.

    `references` holds the text's hunks against each reference. A run is (first line, end excluded),
    from 0; the runs ascend. A pure deletion has no new line.
    """
    lines = [(hunk.new_start, hunk.new_start + hunk.new_count)] if hunk.new_count else []
    for hunks in references:
        spans = [(each.new_start, each.new_start + each.new_count) for each in hunks]
        lines = _common(lines, spans)
    return lines


def _mark(hunk: Hunk) -> MarkedRun:
    if hunk.new_count:
        return MarkedRun(hunk.new_start, hunk.new_start + hunk.new_count - 1, hunk)
    # A pure deletion marks the line above it, or line 0 at the top.
    above = max(hunk.new_start - 1, 0)
    return MarkedRun(above, above, hunk)


def _near(hunk: Hunk, others: Sequence[Hunk]) -> list[Hunk]:
    end = hunk.new_start + hunk.new_count
    return [
        other
        for other in others
        if other.new_start <= end and other.new_start + other.new_count >= hunk.new_start
    ]


def _has_new_line(hunk: Hunk, narrowing: Sequence[Sequence[Hunk]]) -> bool:
    return all(narrowing) if not hunk.new_count else bool(new_to_all(hunk, narrowing))


def _common(
    left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the intersection of two ascending lists of runs of lines, as (first, end excluded)."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low < high:
            found.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return found


def _shown(alike: Sequence[OutOfBounds]) -> Mapping[WorkspacePath, Others]:
    names = {file.path for file in alike}
    alike = [file for file in alike if file.opened or file.renamed_to not in names]
    if len(alike) <= SHOWN_ALIKE:
        return {file.path: ALONE for file in alike}
    closed = sorted(file.path for file in alike if not file.opened)
    shown = {file.path: ALONE for file in alike if file.opened}
    if closed:
        # The paths are sorted, so what the first and the last have in common, all have.
        ends = [path.rpartition("/")[0] for path in (closed[0], closed[-1])]
        shown[closed[0]] = Others(len(closed) - 1, commonpath(ends))
    return shown
