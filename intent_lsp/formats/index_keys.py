"""The numbers that an index keeps instead of texts: for hashes, ids and moments.

Invariant: total, and fits into SQLite's signed 64 bits, whatever the text.
"""

import hashlib
from typing import Final

_STEPS: Final = 64
"""How many records of one file a millisecond holds before they run into the next."""

_DIGITS: Final = 17
_LEFT_OUT: Final = str.maketrans("", "", "-:.TZtz+ ")


def key64(text: str) -> int:
    """Give the first 64 bits of a hash or an id, of another text those of its SHA-256."""
    bare = text.removeprefix("sha256:").replace("-", "")[:16]
    try:
        if len(bare) == 16:  # noqa: PLR2004 -- the digits of 64 bits
            return int(bare, 16) - 2**63
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
