"""Quotes that are being typed: where the quoted text ends, and what the quote is still to take in.

An editor may close a quote by itself, at once. A quote that is not closed may seem to be, by the
next quote on its line.

Invariant: only the line of the cursor is read.
"""

import re
from typing import NamedTuple

_QUOTED = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+\"""")
_ESCAPED = re.compile(r"\\.")
_COMMENT = re.compile(r"[ \t]#")


class OpenQuote(NamedTuple):
    """A quote before a cursor: where its text ends, and whether its closing quote is there.

    `end` is the column of the closing quote if it is `closed`, else that of the cursor. `behind` is
    the text directly behind that the quote does not take in yet, although it belongs to the value.
    """

    end: int
    closed: bool
    behind: str


def open_quote(text: str, start: int, cursor: int, enders: str) -> OpenQuote | None:
    """Return what is known of the quote in column `start`, or None if it is closed before `cursor`.

    `text` is the line. `enders` are the characters that end a value between brackets, and "" in
    block form, where a value ends with its line. A comment ends it in both.
    """
    comment = _COMMENT.search(text, cursor)
    line = text if comment is None else text[: comment.start()]
    found = _QUOTED.match(text, start)
    if found is not None and cursor >= found.end():
        return None
    if found is None or _is_odd(line[start:], text[start]):
        return OpenQuote(cursor, closed=False, behind=_value(line[cursor:], enders))
    closing, behind = found.end() - 1, line[found.end() :]
    glued = behind[:1] not in ("", " ", "\t", ":", *enders)
    if glued and closing != cursor:
        # No value goes on behind a closing quote: it is an apostrophe of a value to be quoted.
        return OpenQuote(cursor, closed=False, behind=_value(line[cursor:], enders))
    # A quote that the editor has closed at once stands before the value that is to be quoted.
    return OpenQuote(closing, closed=True, behind=_value(behind, enders) if glued else "")


def _is_odd(text: str, quote: str) -> bool:
    """Return whether one of the quotes in a text has no other that closes it."""
    bare = _ESCAPED.sub("", text) if quote == '"' else text
    return bare.count(quote) % 2 == 1


def _value(text: str, enders: str) -> str:
    """Return a text up to the end of the value, without white space at its end.

    Brackets in the value may hold what ends it, unless they are not closed.
    """
    depth = 0
    ends = [at for at, each in enumerate(text) if each in enders]
    for at, each in enumerate(text if ends else ""):
        if depth == 0 and each in enders:
            ends = [at]
            break
        depth = max(0, depth + (each in "{[(") - (each in ")]}"))
    return text[: ends[0] if ends else len(text)].rstrip(" \t")
