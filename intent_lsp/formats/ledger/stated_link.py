"""What a line of a ledger says of its own place in the chain, read without recomputing anything.

Invariant: it proves nothing; it is asked where a hash is looked for, never whether it is right.
"""

import re
from typing import Final, NamedTuple

import msgspec

from intent_lsp.core.content import ContentHash, parse_hash
from intent_lsp.formats.ledger.jsonl import examine


class StatedLink(NamedTuple):
    """A record's hash, and the hashes that it names; `bare`: it follows the line above it."""

    hash: ContentHash
    named: tuple[ContentHash, ...]
    bare: bool = False


class _Integrity(msgspec.Struct):
    record_hash: str = ""
    prev_record_hash: str | None = None
    merges: tuple[str, ...] = ()


class _Line(msgspec.Struct):
    integrity: _Integrity | None = None


_HASH: Final = b"(sha256:[0-9a-f]{64})"
_END: Final = re.compile(
    b'"prev_record_hash":"' + _HASH + b'","record_hash":"' + _HASH + rb'"\}\}\n'
)
_END_BYTES: Final = 2 * 71 + len(b'"prev_record_hash":"","record_hash":""}}\n')
_READ: Final = msgspec.json.Decoder(_Line)


def stated_link(line: bytes) -> StatedLink | None:
    """Read what a line says of its place; None: it has none. A line that says nothing is hashed."""
    # A million lines of a ledger end so; the rest of them need not be read.
    end = _END.fullmatch(line, max(len(line) - _END_BYTES, 0))
    if end is not None:
        prev, own = end.groups()
        return StatedLink(ContentHash(own.decode()), (ContentHash(prev.decode()),))
    try:
        place = _READ.decode(line).integrity
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if place is None or not place.record_hash:
        link = examine(line)
        prev = () if link.prev is None else (link.prev,)
        return StatedLink(link.hash, (*prev, *link.merges), link.bare) if link.hash else None
    found = parse_hash(place.record_hash)
    named = (parse_hash(each) for each in (place.prev_record_hash or "", *place.merges))
    return None if found is None else StatedLink(found, tuple(filter(None, named)))
