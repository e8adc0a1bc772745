"""Ledgers on disk, joined to one file: two that branched, or one in conflict (ledger section 2).

Invariant: a ledger that others append to is replaced under its lock alone, so that no record comes
between the reading and the writing.
Invariant: what is not in the union is kept aside before anything is replaced.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.formats.ledger.conflict import Conflict, ConflictPart
from intent_lsp.formats.ledger.union import Aside, Oddity, SideLine, Union, union_of
from intent_lsp.store.fs.local_dir import ensure_local_directory, keep_aside
from intent_lsp.store.fs.roots import governed_root
from intent_lsp.store.fs.write import replace_lines
from intent_lsp.store.ledger.raw.file import LEDGER_MODE, opened
from intent_lsp.store.locks.root_lock import ledger_lock

_BUFFER: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What came of a merge: `lines` in the file, what is odd about them, what is not among them.

    `kept_at` is where the text of each `aside` is kept; None: there is no room for it, and
    whoever asked has to show it.
    """

    lines: int
    odd: tuple[Oddity, ...]
    aside: tuple[tuple[Aside, Path | None], ...]
    conflicts: int = 0


def merge_files(ours: Path, theirs: Path, output: Path) -> Merged:
    """Make the union of two ledgers the content of `output`.

    Raises LedgerUnavailableError for a side that is missing or cannot be read, UnsafePathError,
    OSError.
    """
    with _writers_kept_off(output):
        # Before the first line is written: a side that cannot be read leaves all as it was.
        for side in (ours, theirs):
            _require(side)
        union, lines = union_of(
            (str(ours), lambda: _lines(ours)), (str(theirs), lambda: _lines(theirs))
        )
        return _replace(output, union, lines, conflicts=0)


def resolve_file(path: Path) -> Merged:
    """Make of a ledger in conflict the union of its sides; without a conflict nothing is written.

    Raises as `merge_files`, and LedgerUnavailableError for a conflict that does not end.
    """
    with _writers_kept_off(path):
        _require(path)
        conflict = _conflicts(path)
        if not conflict.conflicts:
            return Merged(lines=0, odd=(), aside=())
        union = Union()
        return _replace(path, union, _resolved(path, union), conflicts=conflict.conflicts)


def _conflicts(path: Path) -> Conflict:
    """Count a file's conflicts, before a line of it is believed."""
    conflict = Conflict()
    for _ in conflict.parts(_lines(path)):
        pass
    if conflict.open_at is not None:
        raise LedgerUnavailableError(
            path=f"{path}:{conflict.open_at}",
            problem="a conflict begins here and does not end",
            cure=f"`git checkout --merge -- {path}` puts it back as git left it",
        )
    return conflict


def _resolved(path: Path, union: Union) -> Iterator[bytes]:
    given_up: list[Aside] = []
    for number, line, part in Conflict().parts(_lines(path)):
        place = SideLine(side=str(path), line=number)
        if part is ConflictPart.BASE:
            given_up.append(Aside(place, line))
        elif part is ConflictPart.KEPT and (found := union.take(place, line)) is not None:
            yield found
    # What neither side has any more is no line of the union, and not ours to lose either.
    union.aside += [each for each in given_up if not union.has(each.text)]


def _replace(output: Path, union: Union, lines: Iterator[bytes], *, conflicts: int) -> Merged:
    kept: list[Path | None] = []

    def lines_then_asides() -> Iterator[bytes]:
        yield from lines
        kept.extend(_keep(output, aside) for aside in union.aside)

    replace_lines(output, lines_then_asides(), mode=LEDGER_MODE)
    return Merged(
        lines=union.taken,
        odd=tuple(union.odd),
        aside=tuple(zip(union.aside, kept, strict=True)),
        conflicts=conflicts,
    )


def _keep(output: Path, aside: Aside) -> Path | None:
    """Keep text in the local room of the root that the output belongs to, if there is one."""
    root = _root_around(output)
    if root is None:
        # As git calls it: beside the work tree's files, under a name that says nothing.
        governed = governed_root(os.fspath(output.absolute().parent))
        root = None if governed is None else governed.root
    if root is None:
        return None
    name = f"merge-{Path(aside.place.side).name}-{aside.place.line}"
    return keep_aside(ensure_local_directory(root), name, aside.text)


def _writers_kept_off(output: Path) -> AbstractContextManager[bool | None]:
    """Hold the lock of the ledger that `output` is a file of; of any other file there is none."""
    root = _root_around(output)
    if root is None:
        return nullcontext()
    ensure_local_directory(root)
    return ledger_lock(root).held()


def _root_around(path: Path) -> Path | None:
    """Give the root whose control room a file lies in."""
    for directory in path.absolute().parents:
        if directory.name == CONTROL_ROOM:
            return directory.parent
    return None


def _require(path: Path) -> None:
    with opened(path) as fd:
        if fd is None:
            raise LedgerUnavailableError(path=str(path), problem="there is no such file")


def _lines(path: Path) -> Iterator[bytes]:
    with opened(path) as fd:
        if fd is not None:
            with open(fd, "rb", buffering=_BUFFER, closefd=False) as file:
                yield from file
