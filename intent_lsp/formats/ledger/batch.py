"""Checks many ledger lines at once, several times as fast as one by one.

Specified in ledger section 2.

Invariant: the result for a line is the one that `ledger.jsonl` has for that line alone. Only
batches of well-formed lines take the fast path; all other lines are checked one by one.
"""

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple, cast

import msgspec

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import UNSEALED, Link
from intent_lsp.formats.ledger.batch_checks import are_valid
from intent_lsp.formats.ledger.jsonl import (
    IndexEntry,
    entry,
    entry_at,
    examine,
    linked,
)
from intent_lsp.formats.ledger.schema import WireIntegrity, WireRecord

_READ: Final = msgspec.json.Decoder(WireRecord)
_LINE: Final = msgspec.json.Encoder()
_CANONICAL: Final = msgspec.json.Encoder(order="sorted")

_PREFIX: Final = "sha256:"
_DIGEST: Final = 32


class LinkedBatch(NamedTuple):
    """Two or more valid ledger lines, of which each after the first links to the line above it.

    No line merges heads, and the timestamps never decrease. `ids`, and `digests` (32 raw bytes
    each), are in line order.
    """

    first: Link
    last: Link
    ids: list[str]
    digests: list[bytes]


class _Lines(NamedTuple):
    """A batch of ledger lines that are valid, although the hashes that they state may be wrong.

    `wires` are the parsed records. `changed` are the indexes of lines whose stated hash is wrong.
    `follow` is true if `changed` is empty, every line links to the line above it, and no line
    merges heads.
    """

    wires: Sequence[WireRecord]
    ids: list[str]
    times: list[str]
    hashes: list[ContentHash]
    digests: list[bytes]
    changed: Sequence[int]
    follow: bool

    @property
    def links(self) -> list[Link]:
        return [*map(linked, self.wires, self.hashes)]

    @property
    def first(self) -> Link:
        return linked(self.wires[0], self.hashes[0])

    @property
    def last(self) -> Link:
        return linked(self.wires[-1], self.hashes[-1])


def examine_lines(data: bytes) -> LinkedBatch | list[Link]:
    """Check whole ledger lines, each with its newline. Never raises.

    Return a LinkedBatch if there are two or more valid lines, each linked to the line above it,
    without merges and in order of time. Else return the Link of each line, as `examine` does for
    that line alone.
    """
    found = _sound(data)
    if found is None:
        return [examine(line) for line in _split(data)]
    if found.follow and len(found.wires) > 1 and found.times == sorted(found.times):
        return LinkedBatch(found.first, found.last, found.ids, found.digests)
    links = found.links
    for at in found.changed:
        links[at] = examine(_split(data)[at])
    return links


def index_lines(data: bytes) -> list[IndexEntry]:
    """Return the index entry of each of some whole ledger lines. Never raises.

    Each line ends in a newline. The result for a line is the one that `entry` returns for that line
    alone.
    """
    found = _sound(data)
    if found is None:
        return [entry(line) for line in _split(data)]
    entries = [*map(entry_at, found.links, found.wires)]
    for at in found.changed:
        entries[at] = entry(_split(data)[at])
    return entries


def _split(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in data.split(b"\n")[:-1]]


def _sound(data: bytes) -> _Lines | None:
    """Parse a batch of ledger lines whose stated hashes may be wrong.

    Return None if a line has any other flaw.
    """
    try:
        wires = _READ.decode_lines(data)
        # Another spelling of a line would have the same hash, so compare the bytes.
        if _LINE.encode_lines(wires) != data:
            return None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    places = [wire.integrity for wire in wires]
    stated, named = _taken_out(places), [place.prev_record_hash for place in places]
    digests = _digests(wires)
    hashes = stated
    if not _are_spelled(stated, digests):
        hashes = [ContentHash(_PREFIX + digest.hex()) for digest in digests]
    pairs = enumerate(zip(stated, hashes, strict=True))
    changed = [at for at, (said, found) in pairs if said != found]
    tied = [hash_ for place in places for hash_ in place.merges]
    follow = not changed and not tied and named[1:] == hashes[:-1]
    # If `follow`, all hashes that the lines name were just computed, except the first line's.
    told = [hash_ for hash_ in named[: 1 if follow else None] if hash_ is not None]
    ids, times = [wire.id for wire in wires], [wire.timestamp for wire in wires]
    if not are_valid(wires, ids, times, told + tied):
        return None
    return _Lines(wires, ids, times, hashes, digests, changed, follow)


def _taken_out(places: Sequence[WireIntegrity]) -> list[ContentHash]:
    """Return the hash that each record states for itself, and empty that field of the record.

    The field is emptied because a record's hash does not cover it.
    """
    stated = [place.record_hash for place in places]
    for place in places:
        place.record_hash = UNSEALED
    # A cast, because converting each string would cost as much as formatting it.
    return cast("list[ContentHash]", stated)


def _digests(wires: Sequence[WireRecord]) -> list[bytes]:
    canonical, sha256, encode = bytearray(), hashlib.sha256, _CANONICAL.encode_into
    digests = []
    for wire in wires:
        encode(wire, canonical)
        digests.append(sha256(canonical).digest())
    return digests


def _are_spelled(stated: Sequence[str], digests: Sequence[bytes]) -> bool:
    """Return whether each text is `sha256:` and the digest at the same index in hexadecimal.

    Digests are not formatted one by one, which would be slower.
    """
    spelled = b"".join(digests).hex("\n", _DIGEST).replace("\n", "\n" + _PREFIX)
    # A newline inside of a text would be one too many, so equality here means that each text is
    # equal.
    return "\n".join(stated) == _PREFIX + spelled
