"""Checkpoints as text: a trailer line for a commit message, and the body of a signed note.

Invariant: a checkpoint has exactly one spelling as a note. As a trailer, only blanks and the letter
case of the trailer's key may differ.
Invariant: any text may be passed in. Errors are returned as values.
"""

import base64
import re
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.verification import HEADS_AT_MOST, Checkpoint
from intent_lsp.formats.ledger.signed_note import decoded

TRAILER: Final = "Intent-Ledger"
VERSION: Final = "v1"
ORIGIN_ROOM: Final = "intent-lsp/ledger/"
"""The beginning of a note's first line. The hash of the ledger's first record follows it."""

_PREFIX: Final = "sha256:"
_DIGITS: Final = re.compile(r"[0-9a-f]{64}")
_COUNT: Final = re.compile(r"[1-9][0-9]{0,14}")
_KEY: Final = re.compile(rf"\s*{TRAILER}\s*:(.*)", re.IGNORECASE)
_FIELDS: Final = 4
_NOTE_LINES: Final = 3


class NoCheckpoint(Struct, frozen=True):
    """The reason why a text is not a checkpoint, as a sentence."""

    problem: str


def trailer(checkpoint: Checkpoint) -> str:
    """Format a checkpoint as a trailer, without a line end: `Intent-Ledger: v1 <origin> …`."""
    heads = ",".join(map(_bare, checkpoint.heads))
    return f"{TRAILER}: {VERSION} {_bare(checkpoint.origin)} {checkpoint.count} {heads}"


def read_trailer(line: str) -> Checkpoint | NoCheckpoint:
    """Parse a checkpoint's trailer line, or return the reason why `line` is none.

    The trailer's key may be in any letter case. Extra blanks around and between its parts are
    accepted.
    """
    found = _KEY.fullmatch(line.rstrip("\r\n"))
    if found is None:
        return NoCheckpoint(f"the line does not begin with `{TRAILER}:`")
    words = found.group(1).split()
    if words[:1] != [VERSION]:
        return NoCheckpoint(f"the checkpoint's version is not {VERSION}")
    if len(words) != _FIELDS:
        return NoCheckpoint(
            "the checkpoint does not have the form `<version> <origin> <count> <head>`"
        )
    _, origin, count, heads = words
    return _checkpoint(origin, count, heads.split(","))


def trailers(text: str) -> tuple[Checkpoint | NoCheckpoint, ...]:
    """Return what `read_trailer` makes of those lines of a text that begin with the trailer's key.

    The text is, for example, a commit message.
    """
    lines = (line for line in text.split("\n") if _KEY.match(line))
    return tuple(read_trailer(line) for line in lines)


def origin_line(checkpoint: Checkpoint) -> str:
    """Return the name that a checkpoint's ledger has in signed notes.

    It is the first line of the note, and the name of the key.
    """
    return ORIGIN_ROOM + _bare(checkpoint.origin)


def note_text(checkpoint: Checkpoint) -> str:
    """Return a checkpoint as the body of a note: its origin, its count, and each head in Base 64.

    Each of them is a line.
    """
    heads = (base64.b64encode(bytes.fromhex(_bare(head))).decode() for head in checkpoint.heads)
    lines = (origin_line(checkpoint), str(checkpoint.count), *heads)
    return "".join(f"{line}\n" for line in lines)


def read_note_text(text: str) -> Checkpoint | NoCheckpoint:
    """Parse the body of a note as a checkpoint, or return the reason why it is none.

    It must be exactly as `note_text` formats it.
    """
    *lines, rest = text.split("\n")
    if rest or len(lines) < _NOTE_LINES:
        return NoCheckpoint("the note does not have its three lines: origin, count, head")
    origin, count, *encoded = lines
    if not origin.startswith(ORIGIN_ROOM):
        return NoCheckpoint(f"the note's first line does not begin with {ORIGIN_ROOM}")
    heads = [(decoded(each) or b"").hex() for each in encoded]
    return _checkpoint(origin.removeprefix(ORIGIN_ROOM), count, heads)


def _checkpoint(origin: str, count: str, heads: list[str]) -> Checkpoint | NoCheckpoint:
    if not _DIGITS.fullmatch(origin):
        return NoCheckpoint(
            "the checkpoint's origin is not a hash of 64 lower-case hexadecimal digits"
        )
    if not _COUNT.fullmatch(count):
        return NoCheckpoint("the checkpoint's count is not a number of records")
    if not all(map(_DIGITS.fullmatch, heads)):
        return NoCheckpoint("a head of the checkpoint is not a hash")
    if len(set(heads)) != len(heads) or len(heads) > HEADS_AT_MOST:
        return NoCheckpoint(
            f"the checkpoint names a head twice, or more than {HEADS_AT_MOST} heads"
        )
    return Checkpoint(
        origin=_hash(origin), count=int(count), heads=tuple(_hash(head) for head in heads)
    )


def _hash(digits: str) -> ContentHash:
    return ContentHash(_PREFIX + digits)


def _bare(found: ContentHash) -> str:
    return found.removeprefix(_PREFIX)
