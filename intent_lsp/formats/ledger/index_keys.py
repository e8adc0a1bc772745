"""Integer keys that the index stores for hashes, ids and timestamps.

Invariant: every key fits into SQLite's signed 64 bits.
"""

import hashlib
from typing import Final

_STEPS: Final = 64
"""How many records of one file can share a millisecond before they reach the next one's keys."""

_DIGITS: Final = 17
_HALF: Final = 2**63
_LEFT_OUT: Final = b"-:.TZtz+ "


def key64(text: str) -> int:
    """Return a signed 64-bit key for a text. Never raises.

    For a hash or a UUID, it is the number that the first 16 hexadecimal digits spell, minus 2**63.
    For any other text, it is the start of a hash of the text.
    """
    bare = text.removeprefix("sha256:").replace("-", "")[:16]
    try:
        if len(bare) == 16:  # noqa: PLR2004 -- the digits of 64 bits
            return int(bare, 16) - _HALF
    except ValueError:
        pass
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], signed=True)


def moment_of(timestamp: str) -> int:
    """Return an integer that grows with the time of a timestamp in the ledger's format.

    It is the digits of the time, from the year to the millisecond, as one number times 64. The
    factor leaves room for the keys of several records in one millisecond. The result is 0 for "".
    Never raises.
    """
    digits = timestamp.encode("utf-8", "replace").translate(None, _LEFT_OUT)[:_DIGITS]
    return int(digits.ljust(_DIGITS, b"0")) * _STEPS if digits.isdigit() else 0
