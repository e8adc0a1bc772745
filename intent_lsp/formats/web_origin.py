"""An origin of web pages, as browsers send it and people allow it: `SCHEME://HOST[:PORT]`.

Invariant: what names no single origin (`null`, `*`, a list) is none.
"""

import re
from typing import Final

_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s,*@]+", re.ASCII)


def read_origin(spelled: str) -> str | None:
    """Read an origin, in lower case; None for what is none."""
    origin = spelled.lower()
    return origin if _ORIGIN.fullmatch(origin) else None
