"""Checkpoints as text: trailers of commit messages, and bodies of signed notes.

A signed note, in the format of c2sp.org/signed-note, is a text followed by signature lines.

Invariant: nothing is signed or verified here. A note proves nothing before it is verified.
Invariant: a checkpoint has exactly one spelling as a note. As a trailer, only blanks and the letter
case of the trailer's key may differ.
Invariant: any text may be passed in. Errors are returned as values.
"""

import base64
import binascii
import hashlib
import re
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.verification import HEADS_AT_MOST, Checkpoint

TRAILER: Final = "Intent-Ledger"
VERSION: Final = "v1"
_ORIGIN_PREFIX: Final = "intent-lsp/ledger/"
"""The beginning of a note's first line. The hash of the ledger's first record follows it."""

_PREFIX: Final = "sha256:"
_DIGITS: Final = re.compile(r"[0-9a-f]{64}")
_COUNT: Final = re.compile(r"[1-9][0-9]{0,14}")
_KEY: Final = re.compile(rf"\s*{TRAILER}\s*:(.*)", re.IGNORECASE)
_FIELDS: Final = 4
_NOTE_LINES: Final = 3

_MARK: Final = "\u2014 "
_ED25519: Final = b"\x01"
_KEY_BYTES: Final = 32
_ID_BYTES: Final = 4
_SIGNATURES_AT_MOST: Final = 64
_CONTROL: Final = re.compile(r"[\0-\x09\x0b-\x1f]")
_NAME: Final = re.compile(r"[^\s+]+")
_ID: Final = re.compile(r"[0-9a-f]{8}")


class Rejected(Struct, frozen=True):
    """The reason why a checkpoint, a note or a key is not accepted.

    `cure` is what to do, or "" if unknown.
    """

    problem: str
    cure: str = ""


class Signature(Struct, frozen=True, kw_only=True):
    """One signature line of a note: the key's name, the four bytes of its id, and the signature."""

    name: str
    key_id: bytes
    signed: bytes


class Note(Struct, frozen=True):
    """A note: its text, which ends with a newline, and its signatures, which are not verified."""

    text: str
    signatures: tuple[Signature, ...]


class NoteKey(Struct, frozen=True):
    """A public Ed25519 key of 32 bytes, with its name."""

    name: str
    raw: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that identify this key in a signature line."""
        named = self.name.encode("utf-8", "surrogatepass") + b"\n"
        return hashlib.sha256(named + _ED25519 + self.raw).digest()[:_ID_BYTES]


def format_note(note: Note) -> str:
    """Return a note as text: its own text, a blank line, and a line for each signature."""
    lines = (
        f"{_MARK}{each.name} {base64.b64encode(each.key_id + each.signed).decode()}\n"
        for each in note.signatures
    )
    return f"{note.text}\n{''.join(lines)}"


def read_note(data: bytes) -> Note | Rejected:
    """Parse a note without verifying its signatures, or return the reason why `data` is no note."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Rejected("the note is not UTF-8")
    if _CONTROL.search(text):
        return Rejected(
            "the note contains a control character; its lines must end with a line feed alone"
        )
    body, blank, rest = text.rpartition("\n\n")
    if not blank or not body or not rest.endswith("\n"):
        return Rejected("a note must be a text, a blank line and signature lines")
    lines = rest[:-1].split("\n")
    if len(lines) > _SIGNATURES_AT_MOST:
        return Rejected(f"the note has more than {_SIGNATURES_AT_MOST} signatures")
    signatures = tuple(found for line in lines if (found := _signature(line)) is not None)
    if len(signatures) != len(lines):
        return Rejected("a signature line must be an em dash, the key's name and Base 64")
    return Note(f"{body}\n", signatures)


def format_key(key: NoteKey) -> str:
    """Format a public key as a verifier key: `<name>+<id>+<Base 64 of the type and the key>`."""
    return f"{key.name}+{key.id.hex()}+{base64.b64encode(_ED25519 + key.raw).decode()}"


def read_key(text: str) -> NoteKey | Rejected:
    """Parse a verifier key as `format_key` formats it, or return the reason why `text` is none.

    White space around the key is ignored.
    """
    cure = "give a PEM public key, or `<name>+<id>+<key>`"
    name, _, rest = text.strip().partition("+")
    digits, _, encoded = rest.partition("+")
    raw = decoded(encoded)
    if not _NAME.fullmatch(name) or not _ID.fullmatch(digits) or raw is None:
        return Rejected("the file is not a public key", cure)
    if raw[:1] != _ED25519 or len(raw) != 1 + _KEY_BYTES:
        return Rejected("the key is of another kind than Ed25519", cure)
    key = NoteKey(name, raw[1:])
    return key if key.id.hex() == digits else Rejected("the key's id does not fit the key", cure)


def decoded(encoded: str) -> bytes | None:
    """Return the bytes of a canonical Base 64 text, or None for any other text."""
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if base64.b64encode(raw).decode() == encoded else None


def trailer(checkpoint: Checkpoint) -> str:
    """Format a checkpoint as a trailer, without a line end: `Intent-Ledger: v1 <origin> …`."""
    heads = ",".join(map(_bare, checkpoint.heads))
    return f"{TRAILER}: {VERSION} {_bare(checkpoint.origin)} {checkpoint.count} {heads}"


def read_trailer(line: str) -> Checkpoint | Rejected:
    """Parse a checkpoint's trailer line, or return the reason why `line` is none.

    The line is `Intent-Ledger: v1 <origin> <count> <head>,<head>,…`. The trailer's key may be in
    any letter case. Extra blanks around and between its parts are accepted.
    """
    found = _KEY.fullmatch(line.rstrip("\r\n"))
    if found is None:
        return Rejected(f"a checkpoint's line must begin with `{TRAILER}:`")
    words = found.group(1).split()
    if words[:1] != [VERSION]:
        return Rejected(f"the checkpoint's version is not {VERSION}")
    if len(words) != _FIELDS:
        return Rejected("the checkpoint does not have the form `<version> <origin> <count> <head>`")
    _, origin, count, heads = words
    return _checkpoint(origin, count, heads.split(","))


def trailers(text: str) -> tuple[Checkpoint | Rejected, ...]:
    """Return what `read_trailer` makes of those lines of a text that begin with the trailer's key.

    The text is, for example, a commit message.
    """
    lines = (line for line in text.split("\n") if _KEY.match(line))
    return tuple(read_trailer(line) for line in lines)


def origin_line(checkpoint: Checkpoint) -> str:
    """Return the name of a checkpoint's ledger in signed notes: `intent-lsp/ledger/<origin>`.

    It is the first line of the note, and the name of the key.
    """
    return _ORIGIN_PREFIX + _bare(checkpoint.origin)


def note_text(checkpoint: Checkpoint) -> str:
    """Return a checkpoint as the body of a note: its origin, its count, and each head in Base 64.

    Each of them is a line.
    """
    heads = (base64.b64encode(bytes.fromhex(_bare(head))).decode() for head in checkpoint.heads)
    lines = (origin_line(checkpoint), str(checkpoint.count), *heads)
    return "".join(f"{line}\n" for line in lines)


def read_note_text(text: str) -> Checkpoint | Rejected:
    """Parse the body of a note as a checkpoint, or return the reason why it is none.

    It must be exactly as `note_text` formats it.
    """
    *lines, rest = text.split("\n")
    if rest or len(lines) < _NOTE_LINES:
        return Rejected("the note does not have its lines: origin, count, and one for each head")
    origin, count, *encoded = lines
    if not origin.startswith(_ORIGIN_PREFIX):
        return Rejected(f"the note's first line does not begin with {_ORIGIN_PREFIX}")
    heads = [(decoded(each) or b"").hex() for each in encoded]
    return _checkpoint(origin.removeprefix(_ORIGIN_PREFIX), count, heads)


def _signature(line: str) -> Signature | None:
    name, _, encoded = line.removeprefix(_MARK).partition(" ")
    raw = decoded(encoded)
    if not line.startswith(_MARK) or not _NAME.fullmatch(name):
        return None
    if raw is None or len(raw) <= _ID_BYTES:
        return None
    return Signature(name=name, key_id=raw[:_ID_BYTES], signed=raw[_ID_BYTES:])


def _checkpoint(origin: str, count: str, heads: list[str]) -> Checkpoint | Rejected:
    if not _DIGITS.fullmatch(origin):
        return Rejected(
            "the checkpoint's origin, which is the hash of the first record, is not 64 lower-case"
            " hexadecimal digits"
        )
    if not _COUNT.fullmatch(count):
        return Rejected("the checkpoint's count is not a number of records")
    if not all(map(_DIGITS.fullmatch, heads)):
        return Rejected("a head of the checkpoint is not a hash")
    if len(set(heads)) != len(heads) or len(heads) > HEADS_AT_MOST:
        return Rejected(f"the checkpoint names a head twice, or more than {HEADS_AT_MOST} heads")
    return Checkpoint(
        origin=_hash(origin), count=int(count), heads=tuple(_hash(head) for head in heads)
    )


def _hash(digits: str) -> ContentHash:
    return ContentHash(_PREFIX + digits)


def _bare(found: ContentHash) -> str:
    return found.removeprefix(_PREFIX)
