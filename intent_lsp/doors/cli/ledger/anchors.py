"""Reads the anchors given on the command line: hashes, checkpoints and signed notes."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Checkpoint
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.formats.ledger.signed_note import (
    TRAILER,
    Rejected,
    read_note,
    read_note_text,
    trailers,
)
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.ledger.hash_scan import hashes_starting

STDIN: Final = "-"
PREFIX_DIGITS: Final = 16
"""How many digits are enough to name a hash, if only one hash begins with them."""

SIGN_EXTRA: Final = "install it with: pip install 'intent-lsp[sign]'"

_HASH: Final = re.compile(rf"(?:sha256:)?([0-9a-f]{{{PREFIX_DIGITS},64}})")
_DIGITS: Final = 64
_LINE: Final = re.compile(rf"\s*{TRAILER}\s*:", re.IGNORECASE)
_SIGNATURE: Final = "\n\n\u2014 ".encode()
_AT_MOST: Final = 16 * 1024 * 1024


def given_anchor(root: Path, spelled: str) -> Anchor:
    """Return the anchor for `spelled`, the value of --anchor: a hash or the first digits of one.

    At least 16 digits are needed. If no record's hash begins with the digits, the anchor is one
    that the ledger lacks. Raise WrongUsageError if `spelled` is malformed or fits several hashes.
    Raise LedgerUnavailableError if the ledger cannot be read.
    """
    found = _HASH.fullmatch(spelled.strip().lower())
    if found is None:
        raise WrongUsageError(
            f"--anchor: {spelled!r} is not a hash",
            cure=f"give {_DIGITS} hexadecimal digits, or the first {PREFIX_DIGITS} or more of them",
        )
    digits = found.group(1)
    known = () if len(digits) == _DIGITS else hashes_starting(root, digits, limit=2)
    if len(known) > 1:
        raise WrongUsageError(
            f"--anchor: more than one hash begins with {digits}", cure="give more digits"
        )
    # Digits that match no record are an anchor that the ledger lacks, not a typing error.
    hash_ = known[0] if known else ContentHash(f"sha256:{digits}")
    return Anchor(hash=hash_, kind=AnchorKind.GIVEN, name=digits[:PREFIX_DIGITS])


def given_checkpoints(spelled: str, public: str | None, start: str) -> Sequence[Checkpoint]:
    """Return the checkpoints in `spelled`: a checkpoint line, a file, or `-` for standard input.

    File names are relative to the directory `start`. `public` is the file with the public key; it
    must be given if the input is a signed note, and be None otherwise. Raise WrongUsageError if
    `public` does not suit the input, if there is no such file, if the input has no checkpoint, or
    if a checkpoint or its signature is wrong. Raise OSError if a file cannot be read.
    """
    data = spelled.encode() if _LINE.match(spelled) else file_bytes(spelled, start)
    if _SIGNATURE in data:
        if public is None:
            problem = f"{_shown(spelled)} is a signed note, and no public key was given to check it"
            raise WrongUsageError(problem, cure="give the public key with --pub FILE")
        return (_signed(data, spelled, public, start),)
    if public is not None:
        problem = f"{_shown(spelled)} is not signed"
        raise WrongUsageError(problem, cure="leave --pub out, or give the signed note")
    found = trailers(data.decode("utf-8", "replace"))
    if not found:
        cure = (
            "a checkpoint is a line that `intent-lsp trace seal` prints, and begins with"
            f" `{TRAILER}:`"
        )
        raise WrongUsageError(f"{_shown(spelled)} contains no checkpoint", cure=cure)
    return [_sound(each, spelled) for each in found]


def file_bytes(spelled: str, start: str) -> bytes:
    """Return the bytes of a file, or of standard input (at most 16 MiB) if `spelled` is `-`.

    A file name is relative to the directory `start`. Raise WrongUsageError if there is no such
    file, or OSError if it cannot be read.
    """
    if spelled == STDIN:
        return b"" if sys.stdin is None else sys.stdin.buffer.read(_AT_MOST)
    data = read_bytes(Path(start) / spelled)
    if data is None:
        raise WrongUsageError(f"{_shown(spelled)} is not a file", cure="give a file that exists")
    return data


def _signed(data: bytes, spelled: str, public: str, start: str) -> Checkpoint:
    try:
        # Imported late: cryptography is an optional extra, needed only for signatures.
        from intent_lsp.formats.ledger.signed_note_keys import read_public_key, signed_text  # noqa: PLC0415
    except ImportError as missing:
        raise WrongUsageError("--pub needs the package cryptography", cure=SIGN_EXTRA) from missing
    note = read_note(data)
    if isinstance(note, Rejected):
        raise WrongUsageError(f"{_shown(spelled)}: {note.problem}", cure=note.cure)
    key = read_public_key(file_bytes(public, start), name=note.text.partition("\n")[0])
    if isinstance(key, Rejected):
        raise WrongUsageError(f"--pub: {_shown(public)}: {key.problem}", cure=key.cure)
    text = signed_text(note, key)
    if isinstance(text, Rejected):
        raise WrongUsageError(f"{_shown(spelled)}: {text.problem}", cure=text.cure)
    return _sound(read_note_text(text), spelled)


def _sound(found: Checkpoint | Rejected, spelled: str) -> Checkpoint:
    if isinstance(found, Rejected):
        problem = f"{_shown(spelled)} contains a checkpoint that cannot be read: {found.problem}"
        raise WrongUsageError(problem, cure="copy the checkpoint again from where you kept it")
    return found


def _shown(spelled: str) -> str:
    if _LINE.match(spelled):
        return "the line"
    return "standard input" if spelled == STDIN else spelled
