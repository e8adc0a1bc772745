"""The place of a cursor inside brackets or braces of a YAML text that is being typed."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from msgspec import Struct, field

from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Position
from intent_lsp.formats.yaml.cursor_lines import quote_goes_on
from intent_lsp.formats.yaml.cursor_place import (
    ITEM,
    Beginning,
    CursorWord,
    NamedKey,
    Step,
    YamlCursor,
)
from intent_lsp.formats.yaml.line_parts import (
    FlowToken,
    TokenKind,
    flow_tokens,
    leaves,
    past_properties,
    word_at,
)

_LINES_AFTER = 200
"""The most lines below a cursor that are searched for the other keys of its mapping."""


class _Open(Struct, kw_only=True):
    """A bracket or brace that is open at some token.

    `key` is the key whose value is being read, or None. `last` is the token that was read last, or
    None directly behind the bracket, a comma or a key's colon. `keys` are the keys that were read.
    """

    braces: bool
    key: NamedKey | None = None
    last: FlowToken | None = None
    keys: list[NamedKey] = field(default_factory=list)

    @property
    def beginning(self) -> Beginning:
        """Where a word behind the last token begins."""
        if not self.braces:
            return Beginning.FLOW_ITEM
        return Beginning.FLOW_KEY if self.key is None else Beginning.COLON

    def take(self, token: FlowToken) -> None:
        """Read a token that opens and closes nothing."""
        if token.kind is TokenKind.COMMA:
            self.key = self.last = None
        elif token.kind is not TokenKind.COLON:
            self.last = token
            if self.key is not None and _is_scalar(token):
                self.keys[-1] = self.keys[-1]._replace(scalar=True)
        elif self.braces and self.key is None and self.last is not None:
            self.key, self.last = _named(self.last), None
            self.keys.append(self.key)


class FlowStart(Struct, frozen=True, kw_only=True):
    """Where the outermost bracket around a cursor opens, and the path to the bracket's node.

    `outside` is the indent of the bracket's line, or None if the bracket is the root of the text.
    """

    line: int
    column: int
    path: tuple[Step, ...]
    outside: int | None


def is_open(lines: Sequence[str], start: FlowStart, place: Position) -> bool:
    """Return whether the bracket at `start` is still open at `place`."""
    depth = 0
    # Most brackets are closed on their line: read the tokens first, which stop there.
    for token in flow_tokens(lines, start.line, start.column, start.outside):
        if _behind(token, place):
            break
        depth += _step(token)
        if depth <= 0:
            return False
    if start.outside is None:
        return depth > 0
    below = (line_body(each) for each in lines[start.line + 1 : place.line + 1])
    return depth > 0 and not any(leaves(text, start.outside) for text in below)


def is_closed(lines: Sequence[str], start: FlowStart) -> bool:
    """Return whether the bracket at `start` is closed anywhere in the text."""
    tokens = flow_tokens(lines, start.line, start.column, start.outside)
    return any(depth <= 0 for depth in accumulate(map(_step, tokens)))


def flow_cursor(lines: Sequence[str], start: FlowStart, place: Position) -> YamlCursor | None:
    """Return what is at `place`, which is behind the bracket that opens at `start`.

    Return None in a comment, an anchor or a tag, behind a value that has no comma after it, where
    the bracket at `start` is closed, and where the word's quote is closed on a later line. Return
    None also where a comma or a key is missing before what follows.
    """
    tokens = flow_tokens(lines, start.line, start.column, start.outside)
    stack, here = _read_until(tokens, place)
    text = line_body(lines[place.line]) if place.line < len(lines) else ""
    word = _word(text, here, place)
    if word is None or not stack or stack[-1].last is not None:
        return None
    following, typed = _following(here, tokens), here is not None and _covers(here, place)
    top, after = stack[-1], following[1:] if typed else following
    next_kind = after[0].kind if after else TokenKind.COMMA
    if quote_goes_on(lines, place.line, word) or not _fits(top, word, next_kind, typed=typed):
        return None
    column, as_key = word.start - len(word.quote), top.beginning is Beginning.FLOW_KEY
    return YamlCursor(
        line=place.line,
        path=(*start.path, *_steps(stack)),
        beginning=top.beginning,
        word=word,
        column=column,
        indent=text[: len(text) - len(text.lstrip(" \t"))],
        keys=(*top.keys, *(_later_keys(after) if as_key else ())),
        is_key=as_key and next_kind is TokenKind.COLON,
        flow=True,
        glued=top.beginning is Beginning.COLON and text[:column].endswith(":"),
        quote=next((each.keys[0].quote for each in reversed(stack) if each.keys), ""),
    )


def _read_until(
    tokens: Iterator[FlowToken], place: Position
) -> tuple[list[_Open], FlowToken | None]:
    """Return the brackets that are open at a place, and the first token that is `_behind` it.

    If the outermost bracket is closed before the place, no bracket is open and the token is None.
    The token is None also if no token is behind the place.
    """
    stack: list[_Open] = []
    for token in tokens:
        if _behind(token, place):
            return stack, token
        _take(stack, token)
        if not stack:
            break
    return stack, None


def _fits(top: _Open, word: CursorWord, following: TokenKind, *, typed: bool) -> bool:
    """Return whether a word in `top` may be completed.

    A word in quotes may. A word without quotes that begins with an anchor or a tag may not. Any
    other word may before a comma or a closing bracket. As a key in braces, it may also before a
    colon and, if `typed`, before another word.

    `following` is the kind of the token behind the word, or COMMA if there is none. `typed`: the
    cursor is at a token of the text.
    """
    if past_properties(word.typed, 0, len(word.typed)) != 0 and not word.quote:
        return False
    if word.quote or following in (TokenKind.COMMA, TokenKind.CLOSE):
        return True
    # A word before another one is a key that is half typed.
    return top.beginning is Beginning.FLOW_KEY and (following is TokenKind.COLON or typed)


def _steps(stack: Sequence[_Open]) -> Iterator[Step]:
    for each in stack:
        if not each.braces:
            yield ITEM
        elif each.key is not None:
            yield each.key.name


def _take(stack: list[_Open], token: FlowToken) -> None:
    if token.kind is TokenKind.OPEN:
        stack.append(_Open(braces=token.text == "{"))
    elif token.kind is not TokenKind.CLOSE:
        stack[-1].take(token)
    else:
        stack.pop()
        if stack:
            stack[-1].last = token


def _behind(token: FlowToken, place: Position) -> bool:
    """Return whether a token ends behind a place.

    A word or an unclosed string that ends at the place counts, too, since it is still being typed.
    """
    if token.line != place.line:
        return token.line > place.line
    if token.kind is TokenKind.WORD or not token.closed:
        return token.end >= place.character
    return token.end > place.character


def _covers(token: FlowToken, place: Position) -> bool:
    """Return whether a place is in a word or a string, or at its start or end.

    The token must not end before the place.
    """
    if token.line != place.line or token.kind not in (TokenKind.WORD, TokenKind.STRING):
        return False
    return token.start <= place.character


def _word(text: str, here: FlowToken | None, place: Position) -> CursorWord | None:
    """Return the word at a place, where `here` is the first token that does not end before it.

    It is empty between two tokens. Return None in a comment, and where `word_at` finds no word.
    """
    at = place.character
    if here is not None and _covers(here, place):
        return word_at(text, here.start, at, here.end, ",]}")
    if "#" in text[:at] and _commented(text, at):
        return None
    return CursorWord(start=at, typed="")


def _commented(text: str, at: int) -> bool:
    ends = [token.end for token in flow_tokens([text], 0, 0, None) if token.end <= at]
    return "#" in text[max(ends, default=0) : at]


def _following(here: FlowToken | None, tokens: Iterator[FlowToken]) -> Sequence[FlowToken]:
    """Return `here` and the tokens behind it, as far as they are in the cursor's own brackets.

    Those more than `_LINES_AFTER` lines below are left out. Return nothing if `here` is None.
    """
    if here is None:
        return ()
    found, depth = [here], _step(here)
    for token in tokens if depth >= 0 else ():
        depth += _step(token)
        if depth < 0 or token.line > here.line + _LINES_AFTER:
            break
        found.append(token)
    return found


def _later_keys(tokens: Sequence[FlowToken]) -> Iterator[NamedKey]:
    """Yield the keys among tokens behind the cursor, without those of inner mappings."""
    depth = 0
    for index, (token, after) in enumerate(pairwise(tokens)):
        depth += _step(token)
        word = token.kind in (TokenKind.WORD, TokenKind.STRING)
        if word and depth == 0 and after.kind is TokenKind.COLON:
            value = tokens[index + 2 : index + 3]
            yield _named(token)._replace(scalar=any(map(_is_scalar, value)))


def _named(token: FlowToken) -> NamedKey:
    if token.kind is TokenKind.STRING and token.closed:
        return NamedKey(token.text[1:-1], token.text[0])
    return NamedKey(token.text, "")


def _is_scalar(token: FlowToken) -> bool:
    """Return whether a token is a single value, and not an alias, anchor or tag."""
    word = token.kind in (TokenKind.WORD, TokenKind.STRING)
    return word and not token.text.startswith(("*", "&", "!"))


def _step(token: FlowToken) -> int:
    return (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
