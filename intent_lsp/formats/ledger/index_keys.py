"""The numbers that an index keeps instead of texts: for hashes, ids and moments.

Invariant: total, and fits into SQLite's signed 64 bits, whatever the text.
"""

import hashlib
import struct
from collections.abc import Sequence
from typing import Final

_STEPS: Final = 64
"""How many records of one file a millisecond holds before they run into the next."""

_DIGITS: Final = 17
_HALF: Final = 2**63
_LEFT_OUT: Final = str.maketrans("", "", "-:.TZtz+ ")


def key64(text: str) -> int:
    """Give the first 64 bits of a hash or an id, of another text those of its SHA-256."""
    bare = text.removeprefix("sha256:").replace("-", "")[:16]
    try:
        if len(bare) == 16:  # noqa: PLR2004 -- the digits of 64 bits
            return int(bare, 16) - _HALF
    except ValueError:
        pass
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)


def moment_of(timestamp: str) -> int:
    """Give a number that grows with the time that a text tells; 0 for one that tells none."""
    digits = timestamp.translate(_LEFT_OUT)[:_DIGITS]
    if not (digits.isascii() and digits.isdigit()):
        return 0
    return int(digits.ljust(_DIGITS, "0")) * _STEPS


def keys_of_hashes(hashes: Sequence[str]) -> list[int]:
    """Give `key64` of hashes, all of the right form."""
    digits = "".join([hash_[7:23] for hash_ in hashes])
    return [number - _HALF for (number,) in struct.iter_unpack(">Q", bytes.fromhex(digits))]


def keys_of_ids(ids: Sequence[str]) -> list[int]:
    """Give `key64` of ids, all UUIDs."""
    digits = "".join(ids).replace("-", "")
    return [number - _HALF for (number,) in struct.iter_unpack(">Q8x", bytes.fromhex(digits))]


def moments_of(timestamps: Sequence[str]) -> list[int]:
    """Give `moment_of` of times, all of the ledger's form."""
    digits = "\n".join(timestamps).encode("ascii").translate(None, b"-:.TZ")
    return [int(each) * _STEPS for each in digits.split()]
