"""Checks the rules of many records at once, several times as fast as one by one (ledger section 1).

Invariant: the result is true exactly if each record keeps the rules. `ledger.schema` finds out
which record breaks a rule, and which rule.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.formats.ledger.schema import WireFile, WireRecord, broken_rule

# Tables that replace every digit by `x`, so that one comparison checks the format of all texts.
_HEX: Final = bytes.maketrans(b"x0123456789abcdef", b"?xxxxxxxxxxxxxxxx")
_DECIMAL: Final = bytes.maketrans(b"x0123456789", b"?xxxxxxxxxx")
_ID: Final = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\n"
_TIME: Final = b"xxxx-xx-xxTxx:xx:xx.xxxZ\n"
_HASH: Final = b"shxxxx:" + b"x" * 64
_PREFIX: Final = b"sha256:"
_HOUR: Final = slice(13)


def are_valid(
    wires: Sequence[WireRecord], ids: Sequence[str], times: Sequence[str], named: Sequence[str]
) -> bool:
    """Return whether all records keep the rules of the ledger. Their own hashes are not checked.

    `ids` and `times` are the records' ids and timestamps. `named` are the hashes of other records
    to which they refer. Hashes that the caller has just computed need not be in `named`.
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
    """Return whether the ranges of each conversation ascend, and line counts fit their lengths.

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
    return raw.translate(_HEX) == _HASH * count and raw.count(_PREFIX) == count


def _joined(texts: Sequence[str]) -> bytes:
    return ("\n".join(texts) + "\n").encode("ascii")
