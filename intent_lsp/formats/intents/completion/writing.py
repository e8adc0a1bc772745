"""Writes keys and values at a cursor: in the quotes and the form in which they are being typed.

Invariant: a value reads back as the text that was proposed, once its quotes are closed.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from intent_lsp.formats.intents.completion.proposal import ProposedEdit
from intent_lsp.formats.intents.completion.shapes import (
    LeafShape,
    ListShape,
    Shape,
    TableShape,
    ValueKind,
)
from intent_lsp.formats.yaml.cursor_place import Beginning, CursorWord, YamlCursor
from intent_lsp.formats.yaml.nodes import QUOTES, double_quoted, plain_allowed

_SPECIAL = re.compile(r"[\\$}]")
_STEP = 2


class ProposedValue(Struct, frozen=True, kw_only=True):
    """A value to propose: its `text`, and `last`, which replaces the last segment typed.

    `last` is None for a value that is not typed segment by segment. `goes_on`: more will be typed
    behind it. `quoted`: it gets quotes if nothing is typed yet. `listed`: a list is missing around
    it.
    """

    text: str
    last: str | None = None
    goes_on: bool = False
    quoted: bool = False
    listed: bool = False


def literal(text: str) -> str:
    """Return a text with a backslash before each character that has a meaning in a snippet."""
    return _SPECIAL.sub(lambda found: "\\" + found.group(), text)


def write_value(cursor: YamlCursor, value: ProposedValue) -> ProposedEdit | None:
    """Return how a value is written at a cursor, or None if it cannot be written there."""
    before, after = _around(cursor, listed=value.listed)
    word = cursor.word
    if word.quote:
        return _in_quotes(word, value, before, after)
    plain = plain_allowed(value.text)
    if word.typed and plain and value.last is not None and not (before or after):
        return _segment(word, value.last, literal(value.last), value.last)
    quote = cursor.quote or ('"' if (value.quoted and not word.typed) or not plain else "")
    if word.rest and (quote or after):
        # An editor that keeps the rest of the word would have it behind the closing quote.
        return None
    source, snippet = _source(value, quote)
    return ProposedEdit(
        start=word.start,
        end=word.end,
        text=before + source + after,
        snippet=literal(before) + snippet + literal(after),
        matched=value.text,
    )


def _in_quotes(
    word: CursorWord, value: ProposedValue, before: str, after: str
) -> ProposedEdit | None:
    """Return how a value is written in the quotes being typed, or None if it cannot be written.

    `before` and `after` are what has to be written before and after the quoted value.
    """
    if word.behind and not word.typed:
        # The quote was typed for the value that stands behind it.
        return None
    if not (before or after):
        return _inside(word, value)
    if not value.listed or word.rest or word.behind:
        return None
    return _quoted_in_list(word, value, before, after)


def write_closing_quote(cursor: YamlCursor, *, listed: bool) -> ProposedEdit | None:
    """Return the edit that completes the quotes of a value that has only one of them.

    If a quote was typed in front of a value, the closing one is added: `"src/**` → `"src/**"`. A
    word whose only quote is at its end gets both: `src"` → `"src"`. Return None for any other word,
    or if the cursor is inside a word. `listed`: a list is missing around the value, and is added.
    """
    word = cursor.word
    quote = word.quote or word.typed[-1:]
    if word.rest or not (word.behind if word.quote else _ends_in_quote(word.typed)):
        return None
    inner = word.typed if word.quote else _escaped(word.typed[:-1], quote)
    before, after = _around(cursor, listed=listed)
    text = f"{inner}{_escaped(word.behind, quote)}{quote}{after}"
    start, done = word.start, 0
    if before or after or not word.quote:
        start, text = start - len(word.quote), f"{before}{quote}{text}"
    else:
        # As for names in a path: editors want edits that begin at the same place.
        done = word.typed.rfind("/") + 1
    typed = word.typed if start == word.start else f"{word.quote}{word.typed}"
    return ProposedEdit(
        start=start + done,
        end=word.whole_end,
        text=text[done:],
        snippet=literal(text[done:]),
        matched=typed[done:] + word.behind,
        over=True,
    )


def _ends_in_quote(typed: str) -> bool:
    quote = typed[-1:]
    return quote in QUOTES and len(typed) > 1 and typed.count(quote) == 1


def write_key(cursor: YamlCursor, name: str, skeleton: str) -> ProposedEdit:
    """Return how a key is written at a cursor. `skeleton` is its value as a snippet, behind `:`."""
    word = cursor.word
    name_alone = cursor.is_key or (word.quote != "" and word.closed)
    quote = word.quote or cursor.quote
    opened, closed = ("" if word.quote else quote), quote
    head = name if name_alone else f"{opened}{name}{closed}:"
    if cursor.deeper or cursor.dash_below:
        # The value is on the lines below.
        skeleton = ""
    one_line = "" if not skeleton or skeleton.startswith("\n") else " "
    return ProposedEdit(
        start=word.start,
        end=word.end,
        text=head if name_alone else head + one_line,
        snippet=literal(head) if name_alone else literal(head) + skeleton,
        matched=name,
    )


class Skeletons:
    """Skeletons of values at a cursor, as snippets.

    `form` is by how much a list of single values indents its dashes below its key, or None if it is
    in brackets. `defaults` maps kinds of values to the text that is offered for them.
    """

    def __init__(
        self, cursor: YamlCursor, form: int | None, defaults: Mapping[ValueKind, str]
    ) -> None:
        self._flow, self._quote = cursor.flow, cursor.quote
        self._form, self._defaults = form, defaults
        # Below the key: as deep as the key, counted from the first character of its line.
        self._depth = cursor.column - len(cursor.indent)

    def of(self, shape: Shape) -> str:
        """Return the skeleton of the value of a key at the cursor: what follows the colon."""
        below = " " * (self._depth + _STEP)
        match shape:
            case LeafShape():
                return " " + self._leaf(shape, "0")
            case TableShape():
                return " {$0}" if self._flow else f"\n{below}$0"
            case ListShape(item=TableShape() as item):
                return self._tables(item, below)
            case ListShape(item=item):
                inside = self._leaf(item, "0", listed=True) if isinstance(item, LeafShape) else "$0"
                if self._flow or self._form is None:
                    return f" [{inside}]"
                return f"\n{' ' * (self._depth + self._form)}- {inside}"

    def pairs(self, table: TableShape) -> list[str]:
        """Return the keys that a new table begins with, each with its value and without indent."""
        return [self._pair(table, key, place) for place, key in enumerate(table.first, 1)]

    def _pair(self, table: TableShape, key: str, place: int) -> str:
        """Return a key of a table with its value, which holds the tab stop number `place`."""
        shape, number = table.shapes[key], str(place)
        if isinstance(shape, LeafShape):
            value = self._leaf(shape, number)
        else:
            item = shape.item if isinstance(shape, ListShape) else None
            value = (
                f"[{self._leaf(item, number, listed=True) if isinstance(item, LeafShape) else ''}]"
            )
        return f"{self._quote}{key}{self._quote}: {value}"

    def _tables(self, item: TableShape, below: str) -> str:
        pairs = self.pairs(item)
        if self._flow:
            return " [{" + ", ".join(pairs) + "}]"
        return "".join(
            f"\n{below}{'  ' if place else '- '}{pair}" for place, pair in enumerate(pairs)
        )

    def _leaf(self, leaf: LeafShape, number: str, *, listed: bool = False) -> str:
        default = literal(self._defaults.get(leaf.kind, ""))
        # Only an empty tab stop can be the last one.
        filled = "1" if number == "0" else number
        inside = f"${{{filled}:{default}}}" if default else f"${number}"
        if leaf.words:
            inside = f"${{{filled}|{','.join(leaf.words)}|}}"
        plain = (ValueKind.WORD, ValueKind.NEW_ID, ValueKind.SPECIFICATION)
        bare = leaf.kind in plain or (leaf.kind is ValueKind.TEXT and not listed)
        quote = self._quote if bare else self._quote or '"'
        return f"{quote}{inside}{quote}"


def _inside(word: CursorWord, value: ProposedValue) -> ProposedEdit:
    """Return how a value is written inside the quotes that are being typed."""
    body = _escaped(value.last if value.last is not None else value.text, word.quote)
    # A quote in the middle would leave the text behind it outside.
    end = "" if word.closed or (word.behind and value.last is not None) else word.quote
    text = body + ("" if value.goes_on else end)
    snippet = literal(body) + ("$0" + end if value.goes_on and end else end)
    if value.last is None:
        return ProposedEdit(
            start=word.start,
            end=word.end if word.closed else word.whole_end,
            text=text,
            snippet=snippet,
            matched=value.text,
            over=word.behind != "" and not word.closed,
        )
    # What was typed is compared as it stands in the quotes.
    return _segment(word, text, snippet, body)


def _quoted_in_list(
    word: CursorWord, value: ProposedValue, before: str, after: str
) -> ProposedEdit:
    """Return how a value in quotes is written, together with the list that is missing around it.

    The quote that was typed, and the one with which the editor has closed it, are replaced.
    `before` and `after` are the source of the list before and after the value.
    """
    body = _escaped(value.text, word.quote)
    stop = "$0" if value.goes_on else ""
    return ProposedEdit(
        start=word.start - 1,
        end=word.whole_end,
        text=f"{before}{word.quote}{body}{word.quote}{after}",
        snippet=literal(before + word.quote + body) + stop + literal(word.quote + after),
        matched=word.quote + value.text,
        over=True,
    )


def _segment(word: CursorWord, text: str, snippet: str, matched: str) -> ProposedEdit:
    """Return how the last segment of a word is written, up to the next `/` behind the cursor.

    `text`, `snippet` and `matched` are those of the `ProposedEdit`.
    """
    slash = word.rest.find("/")
    end = word.end if slash < 0 else word.cursor + slash + (1 if matched.endswith("/") else 0)
    start = word.start + word.typed.rfind("/") + 1
    return ProposedEdit(start=start, end=end, text=text, snippet=snippet, matched=matched)


def _source(value: ProposedValue, quote: str) -> tuple[str, str]:
    """Return the source of a whole value, as text and as a snippet.

    `quote` is the quote around it, or "". If more will be typed behind the value, the text has
    quotes only where they are needed.
    """
    if not quote:
        return value.text, literal(value.text)
    body = _escaped(value.text, quote)
    whole = f"{quote}{body}{quote}"
    if not value.goes_on:
        return whole, literal(whole)
    bare = value.text if plain_allowed(value.text) else whole
    return bare, f"{quote}{literal(body)}$0{quote}"


def _escaped(text: str, quote: str) -> str:
    return text.replace("'", "''") if quote == "'" else double_quoted(text)[1:-1]


def _around(cursor: YamlCursor, *, listed: bool) -> tuple[str, str]:
    """Return the missing source before and after a value: a blank, or the form of a list."""
    glue = " " if cursor.glued else ""
    if not listed:
        return glue, ""
    return ("- ", "") if cursor.beginning is Beginning.LINE else (f"{glue}[", "]")
