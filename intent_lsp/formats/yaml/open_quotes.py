"""Quotes that are being typed: where the quoted text ends, and what the quote is still to take in.

An editor may close a quote by itself, at once. A quote that is not closed may seem to be, by the
next quote on its line.

Invariant: only the line of the cursor is read.
"""

import re

from msgspec.structs import replace

from intent_lsp.formats.yaml.cursor_place import CursorWord

_QUOTED = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+\"""")
_ESCAPED = re.compile(r"\\.")
_COMMENT = re.compile(r"[ \t]#")


def quoted_word(text: str, start: int, cursor: int, enders: str) -> CursorWord | None:
    """Return the word behind the quote in column `start`, or None if it is closed before `cursor`.

    A word whose closing quote is not there ends at the cursor. `text` is the line. `enders` are the
    characters that end a value between brackets, and "" in block form, where a value ends with its
    line. A comment ends it in both.
    """
    comment = _COMMENT.search(text, cursor)
    line = text if comment is None else text[: comment.start()]
    found = _QUOTED.match(text, start)
    if found is not None and cursor >= found.end():
        return None
    word = CursorWord(start=start + 1, typed=text[start + 1 : cursor], quote=text[start])
    behind = "" if found is None else line[found.end() :]
    glued = behind[:1] not in ("", " ", "\t", ":", *enders)
    # No value goes on behind a closing quote: it is an apostrophe of a value to be quoted. But a
    # quote that the editor has closed at once stands before the value that is to be quoted.
    apostrophe = found is not None and glued and cursor != found.end() - 1
    if found is None or apostrophe or _is_odd(line[start:], text[start]):
        return replace(word, behind=_value(line[cursor:], enders))
    rest = text[cursor : found.end() - 1]
    return replace(word, rest=rest, closed=True, behind=_value(behind, enders) if glued else "")


def _is_odd(text: str, quote: str) -> bool:
    """Return whether a text has an odd number of a quote, escaped ones aside."""
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
