"""Parser for one segment of a glob: characters, wildcards, classes, extglobs (scope section 1).

Invariant: every text within the limits can be parsed; an unclosed bracket or parenthesis is
literal. Only a segment with an empty class, which can match no name, gives None.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum

from msgspec import Struct

from intent_lsp.core.scope.charclass import CharClass, ReadClass, read_class
from intent_lsp.core.scope.limits import (
    MAX_EXTGLOB_DEPTH,
    MAX_EXTGLOBS,
    MAX_POSIX_CLASSES,
    PatternLimitError,
)


class Wild(Enum):
    """The wildcards `?` (one character) and `*` (any number)."""

    ONE = "?"
    MANY = "*"


class ExtGlob(Struct, frozen=True):
    """An extended glob: `@(…)`, `?(…)`, `*(…)`, `+(…)` or `!(…)`. `kind` is its first character."""

    kind: str
    alternatives: tuple["Items", ...]


Item = str | Wild | CharClass | ExtGlob
Items = tuple[Item, ...]

_EXTGLOBS = "?*+@!"
_STRUCTURE = re.compile(r"[\\\[()|]")
_WILDS: Mapping[str, Item] = {wild.value: wild for wild in Wild}
_MAGIC = frozenset("\\*?[]{}()!#+@|,")


class ExtGlobMark(Struct, frozen=True):
    """A token that may belong to an extglob: its opening, `|` or `)`.

    The text of an opening is its first character: `@` for `@(`.
    """

    text: str


_Token = str | Wild | CharClass | ExtGlobMark
_BAR, _CLOSE = ExtGlobMark("|"), ExtGlobMark(")")


OTHER = "\U0010fffe"
"""A character that no pattern names. It stands for all characters that have the same effect."""


def escape(path: str) -> str:
    r"""Return the pattern that matches `path` and nothing else.

    For example, `app/[slug]/page.tsx` becomes `app/\[slug\]/page.tsx`.
    """
    escaped = "".join("\\" + char if char in _MAGIC else char for char in path)
    if escaped[:1].isspace():
        escaped = "\\" + escaped
    if escaped[-1:].isspace() and len(path) > 1:
        escaped = escaped[:-1] + "\\" + escaped[-1]
    return escaped


def read_segment(text: str, *, folded: bool = False) -> Items | None:
    """Parse one segment of a glob into items. Return None if an empty class makes it match nothing.

    `folded`: literals become lower case and classes ignore case. Raise PatternLimitError if the
    segment exceeds a limit.
    """
    if not _STRUCTURE.search(text):
        letters = fold(text) if folded else text
        return _normal([_WILDS.get(char, char) for char in letters])
    tokens = _tokens(text, folded=folded)
    if tokens is None:
        return None
    closing = _closing(tokens)
    if len(closing) > MAX_EXTGLOBS:
        raise PatternLimitError(
            f"the pattern has more than {MAX_EXTGLOBS} extglobs between two slashes"
        )
    return _alternatives(tokens, closing, 0, len(tokens))[0]


def scan(
    text: str, braces: AbstractSet[int] = frozenset(), *, folded: bool = False
) -> Iterator[tuple[int, int, str | Wild | ReadClass | ExtGlobMark]]:
    """Yield (start, end, token) for each token of a segment.

    `braces` are the offsets of braces and commas that make up alternatives. Since braces are
    expanded first, these are literal, and so is a `[` whose bracket expression would contain one.
    `folded`: classes ignore case.
    """
    # As in minimatch, a segment that is only an empty extglob, such as `@()`, is literal.
    plain = len(text) == 3 and text[0] in "?*+@" and text.endswith("()")  # noqa: PLR2004 - `@()`
    at = 0
    while at < len(text):
        start, char = at, text[at]
        token: str | Wild | ReadClass | ExtGlobMark = char
        at += 1
        if char == "\\":
            # A back-slash at the end has nothing to escape and is literal.
            token = text[at : at + 1] or char
            at += 1
        elif char == "[" and (found := read_class(text, start, folded=folded)):
            if braces.isdisjoint(range(start, found.end)):
                token, at = found, found.end
        elif not plain and char in _EXTGLOBS and text.startswith("(", at):
            token = ExtGlobMark(char)
            at += 1
        elif char in "*?":
            token = Wild(char)
        elif char in "|)" and not plain:
            token = _BAR if char == "|" else _CLOSE
        yield start, at, token


def fold(text: str) -> str:
    """Return `text` in lower case. A character whose lower case is longer stays as it is.

    The length must not change, since `?` matches one character.
    """
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def passes(char: str, test: str | Wild | CharClass) -> bool:
    """Whether `test` matches a character: an equal character, any wildcard, or a class with it."""
    if isinstance(test, str):
        return char == test
    return isinstance(test, Wild) or char in test


def samples(alternatives: Iterable[Items]) -> Iterator[str]:
    """Yield characters for trying out the tests (literals, wildcards, classes) in `alternatives`.

    They are the literal characters, the first and last characters of the ranges in classes, and
    eight others of different kinds.
    """
    yield from ("a", "A", "0", " ", "-", "_", "é", OTHER)
    for item in itertools.chain.from_iterable(alternatives):
        if isinstance(item, str):
            yield item
        elif isinstance(item, ExtGlob):
            yield from samples(item.alternatives)
        elif isinstance(item, CharClass):
            yield from itertools.chain.from_iterable(item.ranges)


def _tokens(text: str, *, folded: bool) -> list[_Token] | None:
    """Return the tokens of a segment, or None if an empty class makes it match nothing.

    `folded`: case is ignored. Raise PatternLimitError if there are too many POSIX classes.
    """
    tokens: list[_Token] = []
    posix = 0
    for _, _, token in scan(text, folded=folded):
        if not isinstance(token, ReadClass):
            tokens.append(fold(token) if folded and isinstance(token, str) else token)
        elif token.members is None:
            return None
        else:
            posix += token.members.posix
            tokens.append(token.members)
    if posix > MAX_POSIX_CLASSES:
        raise PatternLimitError(
            f"the pattern has more than {MAX_POSIX_CLASSES} POSIX classes between two slashes"
        )
    return tokens


def _closing(tokens: Sequence[_Token]) -> dict[int, int]:
    """Return a map from the index of each extglob's opening to the index of its closing `)`."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if not isinstance(token, ExtGlobMark) or token is _BAR:
            continue
        if token is not _CLOSE:
            opened.append(at)
        elif opened:
            closing[opened.pop()] = at
    return closing


def _alternatives(
    tokens: Sequence[_Token], closing: Mapping[int, int], start: int, end: int, depth: int = 0
) -> tuple[Items, ...]:
    """Return the alternatives that the tokens from `start` up to but not including `end` spell.

    `closing` maps the index of each extglob's opening to that of its `)`; an opening without one is
    literal. `depth` is the number of extglobs around the tokens; if it is 0, the tokens are a whole
    segment and the only alternative. Raise PatternLimitError if extglobs are nested too deeply.
    """
    if depth > MAX_EXTGLOB_DEPTH:
        raise PatternLimitError(
            f"the pattern's extglobs are nested more than {MAX_EXTGLOB_DEPTH} deep"
        )
    found: list[list[Item]] = [[]]
    at = start
    while at < end:
        token = tokens[at]
        if token is _BAR and depth:
            found.append([])
        elif isinstance(token, ExtGlobMark) and at in closing:
            inner = _alternatives(tokens, closing, at + 1, closing[at], depth + 1)
            found[-1].append(ExtGlob(token.text, inner))
            at = closing[at]
        else:
            found[-1] += _spelled(token)
        at += 1
    return tuple(_normal(items) for items in found)


def _spelled(token: _Token) -> Items:
    """Return a token as items. A part of an unclosed extglob becomes its literal characters."""
    if not isinstance(token, ExtGlobMark):
        return (token,)
    return (token.text,) if token is _BAR or token is _CLOSE else (token.text, "(")


def _normal(items: Sequence[Item]) -> Items:
    """Return the items with each run of wildcards reduced: its `?`s, then at most one `*`."""
    normal: list[Item] = []
    for wild, run in itertools.groupby(items, key=lambda item: isinstance(item, Wild)):
        found = [*run]
        if wild and Wild.MANY in found:
            found = [*(item for item in found if item is not Wild.MANY), Wild.MANY]
        normal += found
    return tuple(normal)
