"""Signed notes in the format of c2sp.org/signed-note: a text followed by signature lines.

Invariant: nothing is signed or verified here. A note proves nothing before it is verified.
Invariant: any text may be passed in. Errors are returned as values.
"""

import base64
import binascii
import hashlib
import re
from typing import Final

from msgspec import Struct

_MARK: Final = "\u2014 "
_ED25519: Final = b"\x01"
_KEY_BYTES: Final = 32
_ID_BYTES: Final = 4
_SIGNATURES_AT_MOST: Final = 64
_CONTROL: Final = re.compile(r"[\0-\x09\x0b-\x1f]")
_NAME: Final = re.compile(r"[^\s+]+")
_ID: Final = re.compile(r"[0-9a-f]{8}")


class NoNote(Struct, frozen=True):
    """The reason why a note or a key is not accepted. `cure` is what to do, or "" if unknown."""

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


def read_note(data: bytes) -> Note | NoNote:
    """Parse a note without verifying its signatures, or return the reason why `data` is no note."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return NoNote("the note is not UTF-8")
    if _CONTROL.search(text):
        return NoNote(
            "the note contains a control character; its lines must end with a line feed alone"
        )
    body, blank, rest = text.rpartition("\n\n")
    if not blank or not body or not rest.endswith("\n"):
        return NoNote("a note must be a text, a blank line and signature lines")
    lines = rest[:-1].split("\n")
    if len(lines) > _SIGNATURES_AT_MOST:
        return NoNote(f"the note has more than {_SIGNATURES_AT_MOST} signatures")
    signatures = tuple(found for line in lines if (found := _signature(line)) is not None)
    if len(signatures) != len(lines):
        return NoNote("a signature line must be an em dash, the key's name and Base 64")
    return Note(f"{body}\n", signatures)


def format_key(key: NoteKey) -> str:
    """Format a public key as a verifier key: `<name>+<id>+<Base 64 of the type and the key>`."""
    return f"{key.name}+{key.id.hex()}+{base64.b64encode(_ED25519 + key.raw).decode()}"


def read_key(text: str) -> NoteKey | NoNote:
    """Parse a verifier key as `format_key` formats it, or return the reason why `text` is none.

    White space around the key is ignored.
    """
    cure = "give a PEM public key, or `<name>+<id>+<key>`"
    name, _, rest = text.strip().partition("+")
    digits, _, encoded = rest.partition("+")
    raw = decoded(encoded)
    if not _NAME.fullmatch(name) or not _ID.fullmatch(digits) or raw is None:
        return NoNote("the file is not a public key", cure)
    if raw[:1] != _ED25519 or len(raw) != 1 + _KEY_BYTES:
        return NoNote("the key is of another kind than Ed25519", cure)
    key = NoteKey(name, raw[1:])
    return key if key.id.hex() == digits else NoNote("the key's id does not fit the key", cure)


def _signature(line: str) -> Signature | None:
    name, _, encoded = line.removeprefix(_MARK).partition(" ")
    raw = decoded(encoded)
    if not line.startswith(_MARK) or not _NAME.fullmatch(name):
        return None
    if raw is None or len(raw) <= _ID_BYTES:
        return None
    return Signature(name=name, key_id=raw[:_ID_BYTES], signed=raw[_ID_BYTES:])


def decoded(encoded: str) -> bytes | None:
    """Return the bytes of a canonical Base 64 text, or None for any other text."""
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if base64.b64encode(raw).decode() == encoded else None
