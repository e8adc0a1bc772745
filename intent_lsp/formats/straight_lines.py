"""Lines that others have just appended, followed by what they say of their place (section 3).

Invariant: only the last line is recomputed, since what is appended next follows it; what each of
the others says of itself is for a verification to prove.
"""

from typing import Final

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


def straight_end(data: bytes, after: ContentHash) -> tuple[Link, int] | None:
    """Examine the last of whole lines that say that each follows the one above, the first `after`.

    Gives it and how many they are; None: they do not say so, or there is none. Total.
    """
    # One by one: decoded together, blank lines would not count, and two records on a line would.
    lines = data.split(b"\n")[:-1]
    try:
        places = [_SAYING.decode(line).integrity for line in lines]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    above = [after, *(place.record_hash for place in places)]
    straight = [place.prev_record_hash for place in places] == above[:-1]
    if not lines or not straight or any(place.merges for place in places):
        return None
    last = examine(lines[-1] + b"\n")
    return (last, len(lines)) if last.hash == above[-1] else None
