"""Many lines of the ledger examined at once, several times as fast as one by one (section 2).

Invariant: what is said of a line is what `ledger_jsonl` says of it alone. The short way is taken
only by lines on which nothing is wrong; all others are handed to it.
"""

import hashlib
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple, cast

import msgspec

from intent_lsp.core.chain import UNSEALED, Link
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.ledger_jsonl import (
    Entry,
    entry,
    entry_at,
    examine,
    grants_scope,
    is_passing,
    linked,
    touched_paths,
)
from intent_lsp.formats.ledger_wire import WireFile, WireRecord, broken_rule

_READ: Final = msgspec.json.Decoder(WireRecord)
_LINE: Final = msgspec.json.Encoder()
_CANONICAL: Final = msgspec.json.Encoder(order="sorted")

_PREFIX: Final = "sha256:"
# Tables that put one letter in the place of every digit, so that a form is one comparison.
_HEX: Final = bytes.maketrans(b"x0123456789abcdef", b"?xxxxxxxxxxxxxxxx")
_DECIMAL: Final = bytes.maketrans(b"x0123456789", b"?xxxxxxxxxx")
_ID: Final = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\n"
_TIME: Final = b"xxxx-xx-xxTxx:xx:xx.xxxZ\n"
_HASH: Final = b"shxxxx:" + b"x" * 64


class Stretch(NamedTuple):
    """Two lines or more on which nothing is wrong, each following the one above it, in time too.

    They tie nothing. `ids` and `hashes` are those of every line.
    """

    first: Link
    last: Link
    ids: list[str]
    hashes: list[ContentHash]


class Columns(NamedTuple):
    """What an index keeps of lines on which nothing is wrong, each following the one above it.

    They tie nothing and grant nothing. All but `first` and `last` is told of every line.
    """

    first: Link
    last: Link
    hashes: list[ContentHash]
    ids: list[str]
    times: list[str]
    sessions: list[str]
    intents: list[str | None]
    passing: list[bool]
    paths: list[tuple[WorkspacePath, ...]]

    @property
    def links(self) -> list[Link]:
        """Give what each line says of its place."""
        above = [self.first.prev, *self.hashes[:-1]]
        return [*map(Link, self.hashes, self.ids, self.times, self.sessions, above)]

    @property
    def entries(self) -> list[Entry]:
        """Give the same, line by line."""
        return [*map(Entry, self.links, self.intents, self.passing, self.paths)]


def examine_lines(data: bytes) -> Stretch | list[Link]:
    """Examine whole lines, each with its newline. Total; the same as `examine` of each."""
    wires = _sound(data)
    if wires is None:
        return [examine(line) for line in _split(data)]
    stated, computed = _hashes(wires)
    if stated == computed and _are_straight(wires, computed):
        first, last = linked(wires[0], computed[0]), linked(wires[-1], computed[-1])
        return Stretch(first, last, [wire.id for wire in wires], computed)
    links = [*map(linked, wires, computed)]
    for at in _changed(stated, computed):
        links[at] = examine(_split(data)[at])
    return links


def index_lines(data: bytes) -> Columns | list[Entry]:
    """Give what an index keeps of whole lines. Total; the same as `entry` of each."""
    wires = _sound(data)
    if wires is None:
        return [entry(line) for line in _split(data)]
    stated, computed = _hashes(wires)
    if stated == computed and _follow(wires, computed) and not any(map(grants_scope, wires)):
        return _columns(wires, computed)
    found = [*map(entry_at, map(linked, wires, computed), wires)]
    for at in _changed(stated, computed):
        found[at] = entry(_split(data)[at])
    return found


def _split(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in data.split(b"\n")[:-1]]


def _are_straight(wires: Sequence[WireRecord], hashes: Sequence[ContentHash]) -> bool:
    times = [wire.timestamp for wire in wires]
    return _follow(wires, hashes) and times == sorted(times)


def _follow(wires: Sequence[WireRecord], hashes: Sequence[ContentHash]) -> bool:
    places = [wire.integrity for wire in wires]
    return (
        len(wires) > 1
        and [place.prev_record_hash for place in places[1:]] == hashes[:-1]
        and not any(place.merges for place in places)
    )


def _changed(stated: Sequence[str], computed: Sequence[str]) -> list[int]:
    pairs = zip(stated, computed, strict=True)
    return [at for at, (said, found) in enumerate(pairs) if said != found]


def _columns(wires: Sequence[WireRecord], hashes: list[ContentHash]) -> Columns:
    return Columns(
        linked(wires[0], hashes[0]),
        linked(wires[-1], hashes[-1]),
        hashes,
        [wire.id for wire in wires],
        [wire.timestamp for wire in wires],
        [wire.session_id for wire in wires],
        [wire.intent_id for wire in wires],
        [*map(is_passing, wires)],
        [*map(touched_paths, wires)],
    )


def _sound(data: bytes) -> list[WireRecord] | None:
    """Read lines on which nothing is wrong but, perhaps, the hash; None: at least one is not so."""
    try:
        wires = _READ.decode_lines(data)
        whole = _LINE.encode_lines(wires) == data and _are_valid(wires)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return wires if whole else None


def _are_valid(wires: Sequence[WireRecord]) -> bool:
    """Ask the rules of all records together; raises UnicodeError for what is beyond ASCII."""
    times, revisions = [wire.timestamp for wire in wires], [wire.vcs.revision_id for wire in wires]
    unusual = [wire for wire in wires if wire.error is not None or wire.grant is not None]
    unusual += [wire for wire in wires if not all(map(_are_usual, wire.files))]
    # Few revisions and hours are shared by many records: one of each stands for all.
    hours = [time[:13] for time in times]
    shared = dict(zip(zip(revisions, hours, strict=True), wires, strict=True))
    return (
        _are_ids([wire.id for wire in wires])
        and _are_times(times)
        and _are_hashes(_told(wires))
        and all(broken_rule(wire) is None for wire in chain(shared.values(), unusual))
    )


def _told(wires: Sequence[WireRecord]) -> list[str]:
    """Give the hashes that records tell, without their own, which are compared when computed."""
    places = [wire.integrity for wire in wires]
    files = [file for wire in wires for file in wire.files]
    prints = [file.ast_fingerprint for file in files]
    told = [
        *[wire.intent_hash for wire in wires],
        *[place.prev_record_hash for place in places],
        *[file.pre_hash for file in files],
        *[file.post_hash for file in files],
    ]
    return [
        *[hash_ for hash_ in told if hash_ is not None],
        *[hash_ for place in places for hash_ in place.merges],
        *[found.summary_hash for found in prints if found is not None],
        *[run.content_hash for file in files for talk in file.conversations for run in talk.ranges],
    ]


def _are_usual(file: WireFile) -> bool:
    """Find out whether a file's runs ascend and count; if not, the rules have to be asked."""
    for talk in file.conversations:
        above = 0
        for run in talk.ranges:
            start, last, above = run.start_line, above, run.end_line
            if start <= last or run.fallback or not _counts(run.replaced, above - start + 1):
                return False
    return True


def _counts(replaced: tuple[int, int, int] | None, length: int) -> bool:
    """Find out whether so many lines, and at least one, took the place of others."""
    return replaced is not None and replaced[0] > 0 and replaced[2] == length > 0


def _are_ids(texts: Sequence[str]) -> bool:
    raw, count, line = _joined(texts), len(texts), len(_ID)
    return (
        raw.translate(_HEX) == _ID * count
        and raw[14::line] == b"4" * count
        and not raw[19::line].translate(None, b"89ab")
    )


def _are_times(texts: Sequence[str]) -> bool:
    """Find out whether texts are times, but for their days and hours."""
    raw, count, line = _joined(texts), len(texts), len(_TIME)
    sixties = raw[14::line] + raw[17::line]
    return raw.translate(_DECIMAL) == _TIME * count and not sixties.translate(None, b"012345")


def _are_hashes(texts: Sequence[str]) -> bool:
    """Find out whether texts of the right length are hashes."""
    raw, count, line = "".join(texts).encode("ascii"), len(texts), len(_HASH)
    prefixes = b"".join([raw[at::line] for at in range(2, 6)])
    return (
        raw.translate(_HEX) == _HASH * count
        and prefixes == b"a" * count + b"2" * count + b"5" * count + b"6" * count
    )


def _joined(texts: Sequence[str]) -> bytes:
    return ("\n".join(texts) + "\n").encode("ascii")


def _hashes(wires: Sequence[WireRecord]) -> tuple[list[str], list[ContentHash]]:
    """Give what each record says of its own hash, which is taken out of it, and what it is."""
    canonical, sha256, encode = bytearray(), hashlib.sha256, _CANONICAL.encode_into
    places = [wire.integrity for wire in wires]
    stated = [place.record_hash for place in places]
    for place in places:
        place.record_hash = UNSEALED
    digests = []
    for wire in wires:
        encode(wire, canonical)
        digests.append(sha256(canonical).hexdigest())
    # At once: to name the type of each would cost as much as to spell it.
    return stated, cast("list[ContentHash]", [_PREFIX + digest for digest in digests])
