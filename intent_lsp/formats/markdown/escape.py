r"""Foreign values inside Markdown: spelled so that they mean nothing to it, and can be read back.

Invariant: what could end a value, a cell or a line, or mean something else, is `\n`, `\x7c`, ….
Invariant: no value holds a secret of a known shape.
"""

import re
from typing import Final

from intent_lsp.core.redaction import redacted
from intent_lsp.core.text import SURROGATES, UNSEEN, escape_char

_SHORT: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# HTML, links and what tables and code spans are made of; every space but the plain one; a space
# at an end, which is taken off. `[redacted]` stays, and is no link.
ANYWHERE = (
    rf"""[\\`"|<>@&{UNSEEN}{SURROGATES}]|[^\S ]|\A | \Z|:(?=//)"""
    r"|\[(?!redacted\])|(?<!\[redacted)\]|(?<=\[redacted\])\("
)
_IN_CODE = re.compile(ANYWHERE)
# Outside of a code span also emphasis, headings' ends, bare links and our own dash.
_IN_PROSE = re.compile(rf"{ANYWHERE}|[*~#—]|(?<!\w)_++|(?<!_)_++(?![^\W_])|(?i:(?<=www)\.)")


def in_code(text: str) -> str:
    """Spell a value that stands in a code span, be it in a cell of a table."""
    return spelled(text, _IN_CODE)


def in_prose(text: str) -> str:
    """Spell a value that stands in a heading or a paragraph, after a word of ours."""
    return spelled(text, _IN_PROSE)


def spelled(text: str, special: re.Pattern[str]) -> str:
    """Spell a value of which whatever `special` finds would mean something where it stands."""
    return special.sub(lambda found: "".join(map(_escape, found.group())), redacted(text))


def _escape(char: str) -> str:
    return _SHORT.get(char) or escape_char(char)
