"""Reads a ledger file with git's conflict markers, as a failed merge leaves it (ledger section 2).

Invariant: a line is a marker only where that marker may come next. Records never look like a
marker.
"""

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

from msgspec import Struct

_OPENING: Final = re.compile(rb"(<{7,})(?: .*)?\r?\n?")
_ORDER: Final = b"<|=>"


class ConflictPart(Enum):
    """What a line of a conflicted file is.

    KEPT: a line of one of the sides, or outside of a conflict. BASE: a line of their common
    ancestor. MARKER: one of git's conflict markers.
    """

    KEPT = "kept"
    BASE = "base"
    MARKER = "marker"


class Conflict(Struct):
    """The parser state for one conflicted file that is read line by line.

    `conflicts` counts the complete conflicts. `open_at` is the number, from 1, of the line where
    the present conflict begins, or None outside of a conflict.
    """

    conflicts: int = 0
    open_at: int | None = None
    _size: int = 0
    _last: bytes = b""

    def parts(self, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes, ConflictPart]]:
        """Yield (number from 1, bytes, kind) of each line of the file. Never raises.

        Before each line is given, `conflicts` and `open_at` are brought up to it.
        """
        for number, line in enumerate(lines, 1):
            part = self._marker(number, line)
            if part is None:
                part = ConflictPart.BASE if self._last == b"|" else ConflictPart.KEPT
            yield number, line, part

    def _marker(self, number: int, line: bytes) -> ConflictPart | None:
        if self.open_at is None:
            opened = _OPENING.fullmatch(line)
            if opened is None:
                return None
            self.open_at, self._size, self._last = number, len(opened.group(1)), b"<"
            return ConflictPart.MARKER
        sign = self._sign(line)
        # The markers come once each and in this order. The common ancestor's part may be missing.
        if sign is None or _ORDER.index(sign) <= _ORDER.index(self._last):
            return None
        if sign == b">":
            if self._last != b"=":
                return None
            self.conflicts += 1
            self.open_at, sign = None, b""
        self._last = sign
        return ConflictPart.MARKER

    def _sign(self, line: bytes) -> bytes | None:
        """Return the character that a marker line repeats, or None if the line is no marker.

        A marker must be as long as the one that opened the conflict.
        """
        bare = line.rstrip(b"\r\n")
        sign, label = bare[:1], bare[self._size :]
        if sign not in (b"|", b"=", b">") or bare[: self._size] != sign * self._size:
            return None
        return sign if not label or label.startswith(b" ") else None
