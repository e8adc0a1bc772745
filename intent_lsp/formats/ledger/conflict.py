"""A ledger in conflict, as a merge leaves it: taken apart at its markers (ledger section 2).

Invariant: a line that is no marker where it stands is a line of the ledger; records never look
like one.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

_OPENING: Final = re.compile(rb"(<{7,})(?: .*)?\r?\n?")
_ORDER: Final = b"<|=>"


class ConflictPart(Enum):
    """Where a line stands: outside or on one of the sides, or in what both sides began from."""

    KEPT = "kept"
    BASE = "base"
    MARKER = "marker"


@dataclass(slots=True)
class Conflict:
    """A conflicted file, read line by line.

    `conflicts` counts those that end; `open_at` is the line, counted from 1, of one that does
    not; None: there is none.
    """

    conflicts: int = 0
    open_at: int | None = None
    _size: int = 0
    _last: bytes = b""

    def parts(self, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes, ConflictPart]]:
        """Give each line with its number and where it stands. Total."""
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
        # Each marker once, in their order; the part of what both sides began from may be missing.
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
        """Give the sign of a marker that is as long as the one that opened; None: it is none."""
        bare = line.rstrip(b"\r\n")
        sign, label = bare[:1], bare[self._size :]
        if sign not in (b"|", b"=", b">") or bare[: self._size] != sign * self._size:
            return None
        return sign if not label or label.startswith(b" ") else None
