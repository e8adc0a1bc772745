"""The examination of a ledger file's lines, many at once.

Invariant: a line belongs to the range of the file that it begins in, so that ranges can be
examined in any order and by anyone.
"""

from collections.abc import Iterator
from typing import Final

from intent_lsp.core.chain import Flaw, Link
from intent_lsp.core.codes import LedgerCode
from intent_lsp.formats.ledger_lines import Stretch, examine_lines
from intent_lsp.store.ledger_file import Reader
from intent_lsp.store.ledger_pass import Packed, Piece
from intent_lsp.store.ledger_rows import rows

RANGE: Final = 128 * 1024
"""How many bytes a range has."""

_FURTHER: Final = 64 * 1024


def scan(read: Reader, size: int) -> Iterator[Piece]:
    """Examine each line of a file of `size` bytes by itself, in order."""
    for start in range(0, size, RANGE):
        yield from pieces(read, start, size)


def pieces(read: Reader, start: int, size: int) -> list[Piece]:
    """Examine the lines that begin in the range at `start`."""
    data = _beginning_in(read, start, size)
    end = data.rfind(b"\n") + 1
    examined = examine_lines(data[:end])
    found: list[Piece]
    found = [_packed(examined)] if isinstance(examined, Stretch) else [*examined]
    if end < len(data):
        message = f"{len(data) - end} bytes without a line end: they hold no answered record"
        found.append(Link(flaw=Flaw(LedgerCode.TORN_TAIL, message)))
    return found


def _packed(stretch: Stretch) -> Packed:
    first, last, ids, hashes = stretch
    return Packed(first, last, len(ids), rows(ids, hashes, first.prev))


def _beginning_in(read: Reader, start: int, size: int) -> bytes:
    """Read the lines that begin in a range, up to the end of the last of them."""
    end = min(start + RANGE, size)
    data = read(max(start - 1, 0), end)
    if start:
        # The range before has what stands before the first line end.
        data = data[data.find(b"\n") + 1 or len(data) :]
    parts = [data]
    while parts[-1] and not parts[-1].endswith(b"\n") and end < size:
        more = read(end, min(end + _FURTHER, size))
        end += len(more)
        parts.append(more[: more.find(b"\n") + 1 or len(more)])
    return b"".join(parts)
