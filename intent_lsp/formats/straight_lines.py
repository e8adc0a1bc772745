"""Lines that others have just appended, followed by what they say of their place (section 3).

Invariant: only the line that is appended to is recomputed; what each of the others says of itself
is for a verification to prove.
"""

from typing import Final, NamedTuple

import msgspec

from intent_lsp.core.chain import Link
from intent_lsp.core.content import ContentHash
from intent_lsp.formats.ledger_jsonl import examine


class _Said(msgspec.Struct):
    """What a line says of its place, and nothing else of it."""

    prev_record_hash: str | None
    record_hash: str
    merges: tuple[str, ...] = ()


class _Saying(msgspec.Struct):
    integrity: _Said


_SAYING: Final = msgspec.json.Decoder(_Saying)


class Straight(NamedTuple):
    """So many lines that say that each follows the one above: the last, and its hash as it says."""

    lines: int
    last: bytes
    hash: ContentHash

    def link(self) -> Link | None:
        """Recompute what the last is in the chain; None: it is not what it says."""
        found = examine(self.last)
        return found if found.hash == self.hash else None


def straight(data: bytes, after: ContentHash) -> Straight | None:
    """Follow whole lines that say that each follows the one above, the first of them `after`.

    None: they do not say so, or there is none. Total.
    """
    # One by one: decoded together, blank lines would not count, and two records on a line would.
    lines = data.split(b"\n")[:-1]
    try:
        places = [_SAYING.decode(line).integrity for line in lines]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    above = [after, *(ContentHash(place.record_hash) for place in places)]
    goes_on = [place.prev_record_hash for place in places] == above[:-1]
    if not lines or not goes_on or any(place.merges for place in places):
        return None
    return Straight(len(lines), lines[-1] + b"\n", above[-1])
