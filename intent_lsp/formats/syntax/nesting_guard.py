"""How deep a YAML text may be nested before anybody parses it.

Invariant: a text that is not deep opens fewer levels than the grammar's scanner has room for.
"""

import re
from typing import Final

_COLUMNS: Final = 80
"""Columns before a line's content: a mapping and a sequence can begin at each of them."""

_SIGNS: Final = 40
"""Signs of one line that open a level each."""

_INDENTED: Final = re.compile(rb"^[ \t]{%d}[ \t]*[^ \t\r\n]" % (_COLUMNS + 1), re.MULTILINE)
_SIGN: Final = re.compile(rb"(?:^|(?<=[ \t]))[-?:](?=[ \t]|$)")


def is_deep(source: bytes) -> bool:
    """Whether a text may be nested deeper than about 200 levels: the scanner fails at 250."""
    if _INDENTED.search(source):
        return True
    return any(
        len(line) > _SIGNS and len(_SIGN.findall(line)) > _SIGNS for line in source.splitlines()
    )
