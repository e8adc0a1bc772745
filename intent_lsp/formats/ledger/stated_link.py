"""Reads the place in the chain that a ledger line states, without verifying the line's hash.

Invariant: the result proves nothing. It is used to find a hash, never to verify one.
"""

import re
from typing import Final, NamedTuple

import msgspec

from intent_lsp.core.content import ContentHash, parse_hash
from intent_lsp.formats.ledger.jsonl import examine


class StatedLink(NamedTuple):
    """A record's hash, and the hashes of its predecessors (`named`), as its line states them.

    If the line states no hash of its own, the hash is computed. `bare` says that the line is one of
    an older tool that did not chain its lines, so that it follows the line above it.
    """

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
    """Return the hashes that a ledger line states. Little else of the line is checked.

    Of a line that ends like a record, only the end is read. In any other line, malformed hashes of
    predecessors are left out, and a hash of its own that the line does not state is computed.
    Return None if the line is not a JSON object, if its `integrity` or its own hash is malformed,
    or if it states no hash and is no record.
    """
    # Fast path: nearly all lines end like this, and the rest of them need not be decoded.
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
