"""The end of the ledger's file: its size, and what the next record is chained on.

Invariant: used under the ledger's lock alone.
Invariant: what is known of the end counts only while the file's last bytes are still those known.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.store.fs.local_dir import keep_aside
from intent_lsp.store.ledger.index.index import MAX_LAG, Index
from intent_lsp.store.ledger.raw.file import (
    LedgerFile,
    Reader,
    last_line_start,
    opened,
    read_at,
)
from intent_lsp.store.ledger.raw.files import LedgerFiles
from intent_lsp.store.ledger.tail_note import TailNote, noted

Clock = Callable[[], datetime]

_TAIL: Final = 96


@dataclass(slots=True)
class TailState:
    """Where a ledger ends; `whole`: `trail` knows every open head, not just the last line's."""

    size: int
    tail: bytes
    trail: ChainCursor
    whole: bool

    @classmethod
    def find(
        cls, file: LedgerFile, name: WorkspacePath, root: Path, *, clock: Clock, index: Index
    ) -> Self:
        """Find the end of a file by the index, or by its tail where that is far behind.

        `name` is the file's, relative to the root. A last line without its end is completed where
        that alone is missing, else moved to `.local/torn/`. Raises OSError.
        """
        size = file.size()
        if size and file.read(size - 1, size) != b"\n":
            size = _mend(file, size, root, clock)
        trail = index.trail(name, size)
        whole = trail is not None
        trail = _by_tail(file.read, size) if trail is None else _ended(trail, name)
        if trail.last is None:
            trail = _begun(trail, root)
        end = cls(size, b"", trail, whole)
        end.tail = file.read(max(size - _TAIL, 0), size)
        return end

    def follow(self, file: LedgerFile, left: Callable[[], TailNote | None]) -> bool:
        """Follow what others appended; False: the end has to be found anew.

        `left` gives what the last of them left of the end, which spares to read what they wrote.
        """
        size = file.size()
        note = left() if size != self.size else None
        return (note is not None and self._take(note, file, size)) or self._read_on(file, size)

    def note(self, file: LedgerFile) -> TailNote | None:
        """Give what is to be left of the end for who appends next."""
        return noted(self.trail, file.inode, self.size, self.tail) if self.whole else None

    def _take(self, note: TailNote, file: LedgerFile, size: int) -> bool:
        """Take a note for what is known, where the file ends as it says."""
        if (note.inode, note.size, len(note.tail)) != (file.inode, size, min(_TAIL, size)):
            return False
        # The last line has to say its hash itself, in the file.
        said = note.hash.encode() in note.tail
        if not said or file.read(size - len(note.tail), size) != note.tail:
            return False
        self.size, self.tail, self.trail, self.whole = size, note.tail, note.trail(), True
        return True

    def _read_on(self, file: LedgerFile, size: int) -> bool:
        grown = size - self.size
        if not self.whole or not 0 <= grown <= MAX_LAG:
            return False
        start = self.size - len(self.tail)
        data = file.read(start, size)
        if not data.startswith(self.tail) or data[-1:] not in (b"\n", b""):
            return False
        for line in data[len(self.tail) :].split(b"\n")[:-1]:
            self.trail.step(examine(line + b"\n"))
        self._grow(size, data)
        return True

    def moved(self, data: bytes) -> None:
        """Learn of lines that were written, and that the trail has followed."""
        self._grow(self.size + len(data), self.tail + data)

    def _grow(self, size: int, data: bytes) -> None:
        self.size, self.tail = size, data[-_TAIL:]


def _ended(trail: ChainCursor, name: WorkspacePath) -> ChainCursor:
    """Leave the ends of other writers to them, once a segment has begun."""
    if name == LEDGER_FILE or trail.last is None:
        return trail
    own = {hash_: head for hash_, head in trail.heads.items() if head.file == name}
    return replace(trail, heads=own)


def _begun(trail: ChainCursor, root: Path) -> ChainCursor:
    """Let the first record of a file follow the newest of all the others."""
    heads = list(trail.heads.values()) or _ends_by_tails(root)
    newest = max(heads, key=lambda head: head.timestamp, default=None)
    if newest is None:
        return trail
    return replace(trail, last=newest.hash, last_time=newest.timestamp)


def _ends_by_tails(root: Path) -> list[Head]:
    """Give the last record of each file; where the index knows no more, one is chained on."""
    ends = []
    for stamp in LedgerFiles(root).stamp():
        with suppress(LedgerUnavailableError), opened(root / stamp.file) as fd:
            if fd is not None:
                trail = _by_tail(partial(read_at, fd), stamp.size)
                ends += list(trail.heads.values())
    return ends


def _by_tail(read: Reader, size: int) -> ChainCursor:
    """Chain on the last record that can be read; loose heads are tied once the index knows."""
    trail = ChainCursor()
    while size and trail.last is None:
        start = last_line_start(read, size)
        trail.step(examine(read(start, size)))
        size = start
    return trail


def _mend(file: LedgerFile, size: int, root: Path, clock: Clock) -> int:
    """Complete a last line without its end, or keep it aside; give the size that there is then."""
    start = last_line_start(file.read, size)
    link = examine(file.read(start, size) + b"\n")
    above = _by_tail(file.read, start).last
    # The first record of a file follows one in another.
    joins = {None, *(head.hash for head in _ends_by_tails(root))} if above is None else {above}
    if link.flaw is None and link.prev in joins:
        file.append(b"\n")
        return file.size()
    plain = timestamp(clock()).replace(":", "").replace("-", "")
    keep_aside(root / LOCAL_ROOM, f"{plain}-{start}", file.read(start, size))
    file.cut(start)
    return start
