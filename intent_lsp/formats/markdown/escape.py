r"""Escapes of foreign values in Markdown, so that they are not markup and can be parsed back.

Invariant: characters that could end a value, a cell or a line, or act as markup, are escaped as
`\n`, `\x7c`, ….
Invariant: no value holds a secret of a known form.
"""

import re
from typing import Final

from intent_lsp.core.redaction import redacted
from intent_lsp.core.text import SURROGATES, UNSEEN, escape_char

_SHORT: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# These are the characters of HTML, links, tables and code spans; every white space but the plain
# blank; and a blank at either end, which Markdown strips. `[redacted]` stays as it is, and is kept
# from becoming a link.
ANYWHERE = (
    rf"""[\\`"|<>@&{UNSEEN}{SURROGATES}]|[^\S ]|\A | \Z|:(?=//)"""
    r"|\[(?!redacted\])|(?<!\[redacted)\]|(?<=\[redacted\])\("
)
_IN_CODE = re.compile(ANYWHERE)
# Outside of code spans, emphasis, closing marks of headings, bare links and our own dash need
# escapes, too.
_IN_PROSE = re.compile(rf"{ANYWHERE}|[*~#—]|(?<!\w)_++|(?<!_)_++(?![^\W_])|(?i:(?<=www)\.)")


def in_code(text: str) -> str:
    """Return a value escaped for a code span, also in a table cell, with its secrets redacted."""
    return spelled(text, _IN_CODE)


def in_prose(text: str) -> str:
    """Return a value escaped for a heading or a paragraph, with its secrets redacted.

    The value must not be the first word there, because list marks such as `-` are not escaped.
    """
    return spelled(text, _IN_PROSE)


def spelled(text: str, special: re.Pattern[str]) -> str:
    """Return the text of a value for Markdown: secrets redacted, what `special` matches escaped."""
    return special.sub(lambda found: "".join(map(_escape, found.group())), redacted(text))


def _escape(char: str) -> str:
    return _SHORT.get(char) or escape_char(char)
