"""What is remembered of one line of the ledger, in bytes: its id, its hash, what it names.

Invariant: equal texts are equal bytes; what is no id or hash of ours has bytes of its own.
"""

import hashlib
import struct
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, repeat
from typing import Final

from intent_lsp.core.content import ContentHash

Key = bytes
"""A hash as 32 bytes."""

ROW: Final = struct.Struct("<16s32s32sII")
"""The id, the hash, what it follows, and where what it ties is written down: at, and how many."""

NOTHING: Final = bytes(32)
NO_ID: Final = bytes(16)
_NO_TIES: Final = bytes(8)
_ID: Final = "16s"
_PREFIX: Final = "sha256:"


def rows(ids: Sequence[str], hashes: Sequence[Key], prev: ContentHash | None) -> bytes:
    """Pack lines that each follow the one above; `prev` is what the first one follows.

    They tie nothing; ids are UUIDs.
    """
    # One call reads all digits of all ids.
    digits = bytes.fromhex("".join(ids).replace("-", ""))
    names = chain.from_iterable(struct.iter_unpack(_ID, digits))
    followed = [key(prev), *hashes[:-1]]
    lines = zip(names, hashes, followed, repeat(_NO_TIES), strict=False)
    return b"".join(chain.from_iterable(lines))


def hashes_in(packed: bytes) -> list[Key]:
    """Give the hashes of lines that `rows` packed."""
    return [hash_ for _, hash_, _, _, _ in ROW.iter_unpack(packed)]


def spelled(name: Key) -> ContentHash:
    """Spell a hash of ours as text again."""
    return ContentHash(_PREFIX + name.hex())


def key(name: ContentHash | None) -> Key:
    """Spell a hash as 32 bytes; all of them zero for none."""
    if name is None:
        return NOTHING
    with suppress(ValueError):
        found = bytes.fromhex(name[len(_PREFIX) :])
        if len(found) == len(NOTHING) and name.startswith(_PREFIX):
            return found
    # No hash of ours: a line may name anything.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def id_key(name: str) -> bytes:
    """Spell an id as 16 bytes; all of them zero for none."""
    with suppress(ValueError):
        found = bytes.fromhex(name.replace("-", ""))
        if len(found) in (0, len(NO_ID)):
            return found or NO_ID
    # Older tools gave ids of their own.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[: len(NO_ID)]
