"""Checks many ledger lines at once, several times as fast as one by one.

Specified in ledger section 2.

Invariant: the result for a line is the one that `ledger.jsonl` has for that line alone. Only
batches of well-formed lines take the fast path; all other lines are checked one by one, which finds
out which record breaks a rule, and which rule.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

import msgspec

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import UNSEALED, Link
from intent_lsp.formats.ledger.jsonl import IndexEntry, entry, entry_at, examine, linked
from intent_lsp.formats.ledger.schema import WireFile, WireIntegrity, WireRecord, broken_rule

_READ: Final = msgspec.json.Decoder(WireRecord)
_LINE: Final = msgspec.json.Encoder()
_CANONICAL: Final = msgspec.json.Encoder(order="sorted")

_PREFIX: Final = "sha256:"
_DIGEST: Final = 32

# Tables that replace every digit by `x`, so that one comparison checks the format of all texts.
_HEX: Final = bytes.maketrans(b"x0123456789abcdef", b"?xxxxxxxxxxxxxxxx")
_DECIMAL: Final = bytes.maketrans(b"x0123456789", b"?xxxxxxxxxx")
_ID: Final = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\n"
_TIME: Final = b"xxxx-xx-xxTxx:xx:xx.xxxZ\n"
_HASH: Final = b"shxxxx:" + b"x" * 64
_HOUR: Final = slice(13)


class LineBatch(NamedTuple):
    """A batch of ledger lines that are valid, although the hashes that they state may be wrong.

    `wires` are the parsed records. `hashes` are their recomputed hashes, and `digests` the same
    hashes as 32 bytes each. `changed` are the indexes of lines whose stated hash is wrong. `follow`
    is true if `changed` is empty, every line links to the line above it, and no line merges heads.
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
        """The link of each line, with the line's recomputed hash."""
        return [*map(linked, self.wires, self.hashes)]

    @property
    def first(self) -> Link:
        """The link of the first line."""
        return linked(self.wires[0], self.hashes[0])

    @property
    def last(self) -> Link:
        """The link of the last line."""
        return linked(self.wires[-1], self.hashes[-1])


def examine_lines(data: bytes) -> LineBatch | list[Link]:
    """Check whole ledger lines, each with its newline. Never raises.

    Return a LineBatch if its `follow` is true, there are at least two lines, and they are in order
    of time. Else return the Link of each line, as `examine` does for that line alone.
    """
    found = _sound(data)
    if found is None:
        return [examine(line) for line in _split(data)]
    if found.follow and len(found.wires) > 1 and found.times == sorted(found.times):
        return found
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


def _sound(data: bytes) -> LineBatch | None:
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
    if not _are_valid(wires, ids, times, told + tied):
        return None
    return LineBatch(wires, ids, times, hashes, digests, changed, follow)


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


def _are_valid(
    wires: Sequence[WireRecord], ids: Sequence[str], times: Sequence[str], named: Sequence[str]
) -> bool:
    """Return whether all records keep the rules of the ledger. Their own hashes are not checked.

    `ids` and `times` are the records' ids and timestamps. `named` are the hashes by which they
    refer to other records; those known to be well-formed may be left out.
    """
    try:
        return (
            _are_ids(ids)
            and _are_times(times)
            and _are_hashes([*named, *_told(wires)])
            and all(broken_rule(wire) is None for wire in _doubtful(wires, times))
        )
    except UnicodeError:
        # Text that is not ASCII is no id, no time and no hash.
        return False


def _told(wires: Sequence[WireRecord]) -> list[str]:
    """Return the hashes in the records that are not links of the chain, such as content hashes."""
    files = [file for wire in wires for file in wire.files]
    prints = [file.ast_fingerprint for file in files]
    told = [
        *[wire.intent_hash for wire in wires],
        *[wire.refused_call_hash for wire in wires],
        *[file.pre_hash for file in files],
        *[file.post_hash for file in files],
    ]
    return [
        *[hash_ for hash_ in told if hash_ is not None],
        *[found.summary_hash for found in prints if found is not None],
        *[run.content_hash for file in files for talk in file.conversations for run in talk.ranges],
    ]


def _doubtful(wires: Sequence[WireRecord], times: Sequence[str]) -> Iterator[WireRecord]:
    """Yield the records that must be checked in full, one by one.

    These are the records with an error, with a grant or with ranges that are not usual (see
    `_are_usual`), and one record for each revision and for each hour.
    """
    for wire in wires:
        if wire.error is not None or wire.grant is not None or not _are_usual(wire.files):
            yield wire
    # Many records share few revisions and hours, and these values need to be checked only once.
    yield from {wire.vcs.revision_id: wire for wire in wires}.values()
    yield from dict(zip([time[_HOUR] for time in times], wires, strict=True)).values()


def _are_usual(files: Sequence[WireFile]) -> bool:
    """Return whether the ranges of each conversation ascend, and each is as long as its new lines.

    False also if a range has no line counts, adds no line or stands for the whole file.
    """
    for file in files:
        for talk in file.conversations:
            above = 0
            for run in talk.ranges:
                start, last, above = run.start_line, above, run.end_line
                replaced = run.replaced
                if replaced is None or start <= last or run.fallback or replaced[0] <= 0:
                    return False
                if not replaced[2] == above - start + 1 > 0:
                    return False
    return True


def _are_ids(texts: Sequence[str]) -> bool:
    raw, count, line = _joined(texts), len(texts), len(_ID)
    return (
        raw.translate(_HEX) == _ID * count
        and raw[14::line] == b"4" * count
        and not raw[19::line].translate(None, b"89ab")
    )


def _are_times(texts: Sequence[str]) -> bool:
    """Return whether all texts have the form of timestamps, with minutes and seconds below 60.

    The date and the hour may be out of range.
    """
    raw, count, line = _joined(texts), len(texts), len(_TIME)
    sixties = raw[14::line] + raw[17::line]
    return raw.translate(_DECIMAL) == _TIME * count and not sixties.translate(None, b"012345")


def _are_hashes(texts: Sequence[str]) -> bool:
    """Return whether all texts are hashes. The caller ensures that each has the right length."""
    raw, count = "".join(texts).encode("ascii"), len(texts)
    # If the format is right, the prefix can occur only at the beginning of a hash.
    return raw.translate(_HEX) == _HASH * count and raw.count(_PREFIX.encode()) == count


def _joined(texts: Sequence[str]) -> bytes:
    return ("\n".join(texts) + "\n").encode("ascii")
