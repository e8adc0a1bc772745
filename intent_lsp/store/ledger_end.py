"""The end of the ledger's file: its size, and what the next record is chained on.

Invariant: used under the ledger's lock alone.
Invariant: what is known of the end counts only while the file's last bytes are still those known.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Self

from intent_lsp.core.chain import Trail
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger_jsonl import examine
from intent_lsp.store.index import MAX_LAG, Index
from intent_lsp.store.ledger_file import LedgerFile, sync_directory, write_new

Clock = Callable[[], datetime]

_TAIL: Final = 96


@dataclass(slots=True)
class LedgerEnd:
    """Where a ledger ends; `whole`: `trail` knows every open head, not just the last line's."""

    size: int
    tail: bytes
    trail: Trail
    whole: bool

    @classmethod
    def find(cls, file: LedgerFile, torn: Path, clock: Clock, index: Index) -> Self:
        """Find the end of a file by the index, or by its tail where that is far behind.

        A torn last line is moved below `torn`. Raises OSError.
        """
        size = file.size()
        if size and file.read(size - 1, size) != b"\n":
            size = _move_torn(file, size, torn, clock)
        trail = index.trail(file.fd, size)
        whole = trail is not None
        end = cls(size, b"", trail if trail is not None else _by_tail(file, size), whole)
        end.tail = file.read(max(size - _TAIL, 0), size)
        return end

    def follow(self, file: LedgerFile) -> bool:
        """Follow what others appended; False: the end has to be found anew."""
        size = file.size()
        grown = size - self.size
        if not self.whole or not 0 <= grown <= MAX_LAG:
            return False
        start = self.size - len(self.tail)
        data = file.read(start, size)
        if not data.startswith(self.tail) or data[-1:] not in (b"\n", b""):
            return False
        if grown:
            lines = data[len(self.tail) :].split(b"\n")[:-1]
            for line in lines:
                self.trail.step(examine(line + b"\n"))
            self._grow(size, data)
        return True

    def moved(self, data: bytes) -> None:
        """Learn of lines that were written, and that the trail has followed."""
        self._grow(self.size + len(data), self.tail + data)

    def _grow(self, size: int, data: bytes) -> None:
        self.size, self.tail = size, data[-_TAIL:]


def _by_tail(file: LedgerFile, size: int) -> Trail:
    """Chain on the last record that can be read; loose heads are tied once the index knows."""
    trail = Trail()
    while size and trail.last is None:
        start = file.last_line_start(size)
        trail.step(examine(file.read(start, size)))
        size = start
    return trail


def _move_torn(file: LedgerFile, size: int, directory: Path, clock: Clock) -> int:
    """Keep a last line without end aside, then cut it off; give the size that is left."""
    start = file.last_line_start(size)
    directory.mkdir(mode=0o700, exist_ok=True)
    plain = timestamp(clock()).replace(":", "").replace("-", "")
    write_new(_free(directory, f"{plain}-{start}"), file.read(start, size))
    sync_directory(directory)
    file.cut(start)
    return start


def _free(directory: Path, name: str) -> Path:
    """Give a name that nothing has yet; only we write here, under the lock."""
    found, number = directory / f"{name}.part", 1
    while found.exists():
        found, number = directory / f"{name}-{number}.part", number + 1
    return found
