"""Merges of ledger files: two branched ledgers, or the sides of a git conflict (ledger section 2).

Invariant: a ledger of a root is replaced only under its lock, so that no record is appended between
reading and writing.
Invariant: text that is not part of the union is saved elsewhere before anything is replaced, or is
returned if there is no root to save it in.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec import Struct

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.formats.ledger.union import (
    Aside,
    Conflict,
    ConflictPart,
    Oddity,
    SideLine,
    Union,
    union_of,
)
from intent_lsp.store.fs.local_dir import ensure_local_directory, keep_aside
from intent_lsp.store.fs.roots import governed_root
from intent_lsp.store.fs.write import replace_lines
from intent_lsp.store.ledger.raw.file import LEDGER_MODE, file_lines, opened
from intent_lsp.store.locks.root_lock import ledger_lock


class Merged(Struct, frozen=True, kw_only=True):
    """The result of a merge: the number of `lines` in the merged file, and its oddities (`odd`).

    An oddity is a line that this program would not have written. `aside` pairs each text that is
    not in the merged file with the file where it was saved. That file is None outside any root; the
    caller then has to show the text. `conflicts` is the number of conflicts resolved.
    """

    lines: int
    odd: tuple[Oddity, ...]
    aside: tuple[tuple[Aside, Path | None], ...]
    conflicts: int = 0


def merge_files(ours: Path, theirs: Path, output: Path) -> Merged:
    """Write the union of the ledger files `ours` and `theirs` to the file `output`.

    Return what was merged. Raise LedgerUnavailableError if a side is missing or cannot be read or
    the ledger is locked for too long; or raise UnsafePathError or OSError.
    """
    with _writers_kept_off(output):
        # Checked before the first line is written, so that an unreadable side changes nothing.
        for side in (ours, theirs):
            _require(side)
        union, lines = union_of(
            (str(ours), lambda: file_lines(ours)), (str(theirs), lambda: file_lines(theirs))
        )
        return _replace(output, union, lines, conflicts=0)


def resolve_file(path: Path) -> Merged:
    """Replace each git conflict in a ledger file by the union of its two sides.

    Everywhere in the file, of equal lines only the first stays. If there are no conflicts, change
    nothing, and return a result with 0 lines. Raise LedgerUnavailableError if the file is missing,
    cannot be read or has a conflict without an end marker, or if the ledger is locked for too long;
    or raise UnsafePathError or OSError.
    """
    with _writers_kept_off(path):
        _require(path)
        conflict = _conflicts(path)
        if not conflict.conflicts:
            return Merged(lines=0, odd=(), aside=())
        union = Union()
        return _replace(path, union, _resolved(path, union), conflicts=conflict.conflicts)


def _conflicts(path: Path) -> Conflict:
    """Read a whole file and return its reader, whose `conflicts` is the number of git conflicts.

    Raise LedgerUnavailableError if a conflict has no end marker.
    """
    conflict = Conflict()
    for _ in conflict.parts(file_lines(path)):
        pass
    if conflict.open_at is not None:
        raise LedgerUnavailableError(
            path=f"{path}:{conflict.open_at}",
            problem="the conflict that begins here has no end marker",
            cure=f"run `git checkout --merge -- {path}` to get git's conflict markers back",
        )
    return conflict


def _resolved(path: Path, union: Union) -> Iterator[bytes]:
    """Yield a file's lines, with each git conflict replaced by the union of its sides.

    Of equal lines only the first is yielded. Lines that are only in the merge base are added to
    `union.aside` at the end.
    """
    given_up: list[Aside] = []
    for number, line, part in Conflict().parts(file_lines(path)):
        place = SideLine(side=str(path), line=number)
        if part is ConflictPart.BASE:
            given_up.append(Aside(place, line))
        elif part is ConflictPart.KEPT and (found := union.take(place, line)) is not None:
            yield found
    # A line that only the merge base has does not belong to the union, but is kept aside.
    union.aside += [each for each in given_up if not union.has(each.text)]


def _replace(output: Path, union: Union, lines: Iterator[bytes], *, conflicts: int) -> Merged:
    """Replace the content of `output` by `lines`, and save the texts that `union` leaves out.

    Return the result of the merge, with the number of `conflicts`.
    """
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
    """Save a text left out of a merge, in `.local/` of the root to which the file `output` belongs.

    Return the path where it was saved, or None if `output` belongs to no root.
    """
    # A git merge driver gets an output with a meaningless name somewhere in the work tree.
    root = _root_around(output) or governed_root(os.fspath(output.absolute().parent))
    if root is None:
        return None
    name = f"merge-{Path(aside.place.side).name}-{aside.place.line}"
    return keep_aside(ensure_local_directory(root), name, aside.text)


def _writers_kept_off(output: Path) -> AbstractContextManager[bool | None]:
    """Return a context that holds the ledger's lock if `output` is below an `.orchestration/`.

    In that case `.local/`, which the lock needs, is created if missing. Otherwise the context does
    nothing.
    """
    root = _root_around(output)
    if root is None:
        return nullcontext()
    ensure_local_directory(root)
    return ledger_lock(root).held()


def _root_around(path: Path) -> Path | None:
    """Return the root whose `.orchestration/` has `path` below it, or None if there is none."""
    for directory in path.absolute().parents:
        if directory.name == CONTROL_ROOM:
            return directory.parent
    return None


def _require(path: Path) -> None:
    """Raise LedgerUnavailableError if there is no regular file at a path, or it cannot be read."""
    with opened(path) as fd:
        if fd is None:
            raise LedgerUnavailableError(path=str(path), problem="there is no such file")
