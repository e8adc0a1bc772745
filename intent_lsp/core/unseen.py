"""Characters that nobody sees: controls, invisible letters, and those that turn the direction.

Invariant: white space is seen; every other control character is not.
"""

import re
from typing import Final

UNSEEN: Final = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f"  # controls
    "\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f"
    "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f"  # zero width, bidi
    "\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"  # tags among them
)
"""The inside of a regular expression's `[…]`."""

SURROGATES: Final = "\\ud800-\\udfff"
"""Bytes of a file name that are not UTF-8; no file can be written with them."""

_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and the like: as a whole, or their letters would be left
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    f"|[{UNSEEN}]"
)


def seen(text: str) -> str:
    """Give a text as the eye sees it: without terminal sequences and invisible characters."""
    return _UNSEEN.sub("", text)
