"""The files that a person's prompt mentions with `@`, which hosts show to the model unasked."""

import re
from collections.abc import Iterator
from typing import Final

MENTIONS_AT_MOST: Final = 100
"""The most mentions of one prompt that are looked up."""

_MENTION: Final = re.compile(r"(?<![\w@])@(?:\"([^\"\n]+)\"|([^\s\"@]+))")
_AFTER: Final = ".,;:!?)]}'`"


def mentioned(prompt: str) -> Iterator[str]:
    """Yield the names behind the first MENTIONS_AT_MOST `@` of a prompt that begin a word.

    A name may be in double quotes. Else punctuation at its end, and a `#` and what follows, do not
    belong to it.
    """
    for count, found in enumerate(_MENTION.finditer(prompt)):
        if count == MENTIONS_AT_MOST:
            return
        name = found[1] or found[2].rstrip(_AFTER).partition("#")[0]
        if name and "\0" not in name:
            yield name
