"""Layout of a whole YAML text: indentation, spaces between tokens, comments and blank lines.

Invariant: the edits change white space alone. Inside a value, they change only the indent of its
lines. All lines of block text that are not blank move by the same number of columns.
Invariant: a text in order has no edits.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import yaml

from intent_lsp.formats.text_positions import LINE_END, TextPositions
from intent_lsp.formats.yaml.compose import LOADER
from intent_lsp.formats.yaml.layout.gaps import GapEditor, GapLine, SpaceEdit, gap_lines
from intent_lsp.formats.yaml.layout.levels import (
    STEP,
    Level,
    Levels,
    comment_column,
    prefers_indented_lists,
)
from intent_lsp.formats.yaml.nodes import BLOCK_STYLES

_OPENERS = (yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken)
_CLOSERS = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)
_OF_DOCUMENT = (yaml.DirectiveToken, yaml.DocumentStartToken, yaml.DocumentEndToken)
# Line breaks of YAML that are none for an editor (see text_positions).
_ODD_BREAK = re.compile("[\x85\u2028\u2029]")
_HEADER = re.compile(r"[|>][-+]?([0-9])?")
_SPACES = re.compile(r" *")


def space_edits(text: str, written: str) -> tuple[SpaceEdit, ...] | None:
    """Return the edits that tidy the white space of a YAML text.

    `written` is the text as people wrote it, `text` its plain YAML (see `plain_yaml`). They may
    differ in white space and in the characters of values, but every token has the same offset in
    both. `text` must parse, and must have no byte order mark. Return None for a text with a key
    that begins with `?`, or with a line break between its values that only YAML takes for one, such
    as U+2028.
    """
    tokens: Sequence[yaml.Token] = tuple(yaml.scan(text, Loader=LOADER))
    if _is_odd(text, tokens):
        return None
    layout = _Layout(text, tokens, GapEditor(written))
    for token in tokens:
        layout.take(token, *_offsets(token))
    return tuple(layout.gaps.edits)


def comments_of(text: str) -> tuple[str, ...]:
    """Return the comments of a YAML text that parses, each without its sign and outer white space.

    A comment behind `|` or `>` is left out.
    """
    return tuple(
        text[line.comment + 1 : line.end].strip()
        for start, end in _gaps(text, yaml.scan(text, Loader=LOADER))
        for line in gap_lines(text, start, end)
        if line.comment is not None
    )


def _offsets(token: yaml.Token) -> tuple[int, int]:
    """Return the start and end offset of a token; they are equal for one without a text."""
    return token.start_mark.index, token.end_mark.index


def _gaps(text: str, tokens: Iterable[yaml.Token]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each gap between the tokens of a text, and of that at its end."""
    done = 0
    for token in tokens:
        start, end = _offsets(token)
        if isinstance(token, yaml.StreamEndToken):
            yield done, len(text)
        elif end > start:
            yield done, start
            done = end


def _is_odd(text: str, tokens: Sequence[yaml.Token]) -> bool:
    explicit = any(
        isinstance(token, yaml.KeyToken) and token.end_mark.index > token.start_mark.index
        for token in tokens
    )
    return explicit or any(_ODD_BREAK.search(text, *gap) for gap in _gaps(text, tokens))


class _Layout:
    """Finds the edits of one text, token by token."""

    def __init__(self, text: str, tokens: Sequence[yaml.Token], gaps: GapEditor) -> None:
        self._text, self._places = text, TextPositions(text)
        self.gaps = gaps
        self._levels = Levels(indented=prefers_indented_lists(tokens))
        # The levels around the token before, its end, and that token.
        self._former: tuple[Level, ...] = ()
        self._end = 0
        self._last: yaml.Token | None = None
        self._is_key = False
        # The column inside each open bracket, and of the bracket that closes it.
        self._flow: list[tuple[int, int]] = []

    def take(self, token: yaml.Token, start: int, end: int) -> None:
        """Take the next token, which is at these offsets."""
        if isinstance(token, yaml.StreamEndToken):
            self._finish()
        elif isinstance(token, yaml.BlockMappingStartToken | yaml.BlockSequenceStartToken):
            is_list = isinstance(token, yaml.BlockSequenceStartToken)
            self._levels.open(self._column(start), is_list=is_list)
        elif isinstance(token, yaml.BlockEndToken):
            self._levels.close()
        elif isinstance(token, yaml.KeyToken):
            self._is_key = True
            if not self._flow:
                self._levels.key()
        elif end > start:
            self._place(token, start, end)

    def _place(self, token: yaml.Token, start: int, end: int) -> None:
        """Set the gap before a token that has text, and the lines inside it."""
        if isinstance(token, yaml.BlockEntryToken):
            self._levels.dash(self._column(start))
        column = self._new_column(token)
        lines = gap_lines(self._text, self._end, start)
        if len(lines) > 1 or self._is_at_line_start():
            self._set_lines(lines, (self._column(start), column))
        else:
            self.gaps.between(self._end, start, space=_spaced(self._last, token))
        if isinstance(token, _OPENERS):
            self._open_flow()
        elif isinstance(token, _CLOSERS):
            self._flow.pop()
        elif isinstance(token, yaml.ScalarToken):
            _move_lines(self._text, start, end, self._levels.top, self.gaps)
        self._former, self._end, self._last = self._levels.now, end, token
        self._is_key = False

    def _new_column(self, token: yaml.Token) -> int:
        """Return the new column of a token that is the first one on its line."""
        top = self._levels.top
        if isinstance(token, _OF_DOCUMENT):
            return 0
        if self._flow:
            return self._flow[-1][isinstance(token, _CLOSERS)]
        if top is not None and (self._is_key or isinstance(token, yaml.BlockEntryToken)):
            return top.new
        return self._levels.column_inside()

    def _open_flow(self) -> None:
        if self._flow:
            closing = self._flow[-1][0]
        else:
            top = self._levels.top
            closing = 0 if top is None else top.new + (STEP if top.is_list else 0)
        self._flow.append((closing + STEP, closing))

    def _set_lines(self, lines: tuple[GapLine, ...], following: tuple[int, int]) -> None:
        """Set a gap of several lines; `following` are the columns of the token below, old and new.

        The last line is the indent of that token.
        """
        whole, indent = lines[:-1], lines[-1]
        if not self._is_at_line_start():
            self.gaps.trailing(whole[0])
            whole = whole[1:]
        column = self._comment_column(following)
        self.gaps.whole(whole, column, blank=self._end == 0)
        self.gaps.put(indent.start, indent.end, " " * following[1])

    def _finish(self) -> None:
        """Set the gap at the end of the text."""
        text = self._text
        lines = gap_lines(text, self._end, len(text))
        if self._last is None and all(line.comment is None for line in lines):
            return
        if not self._is_at_line_start():
            if self._is_block_text():
                # A line end would become a part of the text.
                return
            self.gaps.trailing(lines[0])
            if len(lines) == 1:
                self.gaps.end_line(len(text))
            lines = lines[1:]
        self.gaps.last(lines, self._comment_column((0, 0)), blank=self._end == 0)
        if lines and lines[-1].comment is not None:
            self.gaps.end_line(len(text))

    def _comment_column(self, following: tuple[int, int]) -> Callable[[int], int]:
        former = self._former
        if self._flow:
            inside = self._flow[-1][0]
            return lambda _: inside
        if self._is_block_text() and former and former[-1].is_list:
            # At the column behind the dash a comment would be a line of the text.
            below = former[-1].old + STEP - 1
            return lambda column: comment_column(min(column, below), former, following)
        return lambda column: comment_column(column, former, following)

    def _is_block_text(self) -> bool:
        last = self._last
        return isinstance(last, yaml.ScalarToken) and last.style in BLOCK_STYLES

    def _is_at_line_start(self) -> bool:
        return self._end == 0 or self._text[self._end - 1] in "\r\n"

    def _column(self, offset: int) -> int:
        return self._places.position(offset).character


def _spaced(last: yaml.Token | None, token: yaml.Token) -> bool | None:
    """Return True if one space belongs between two tokens on a line, or False if none does.

    Return None if one space belongs there only if there is any now. `last` is the first of the two,
    `token` the second.
    """
    if isinstance(token, yaml.FlowEntryToken):
        return False
    if isinstance(token, yaml.ValueToken):
        # Behind an alias or an anchor, a colon would be a part of the name.
        return False if isinstance(last, (yaml.ScalarToken, *_CLOSERS)) else None
    if isinstance(token, _CLOSERS):
        return None
    if isinstance(last, yaml.BlockEntryToken | yaml.ValueToken | yaml.FlowEntryToken):
        return True
    return None


def _move_lines(text: str, start: int, end: int, level: Level | None, gaps: GapEditor) -> None:
    """Add to `gaps` what moves the further lines of a value with the collection that it is in.

    The value is between two offsets, and `level` is the collection; without one, nothing moves.
    Block text is indented by two columns more than the collection, unless its header, such as `|4`,
    says by how many.
    """
    if level is None:
        return
    shift = level.scanned_new - level.scanned_old
    header, lines = _HEADER.match(text, start), tuple(_further_lines(text, start, end))
    # Only block text begins so: a value without quotes cannot.
    if header is None:
        for at, width, rest in lines:
            if rest.strip() and not rest.startswith("\t"):
                gaps.put(at, at + width, " " * max(width + shift, 0))
        return
    depth = next((width for _, width, rest in lines if rest), None)
    if depth is None:
        return
    if header[1] is None:
        shift = level.scanned_new + STEP - depth
    for at, width, rest in lines:
        # A line of spaces alone is blank as long as it is not longer than the indent.
        moved = width + shift if rest or width > depth else min(width, depth + shift)
        gaps.put(at, at + width, " " * moved)


def _further_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the offset, the number of spaces and the rest of each line below the first one."""
    ends = [found.end() for found in LINE_END.finditer(text, start, end)]
    for at, following in pairwise([*ends, end]):
        spaces = _SPACES.match(text, at, following)
        width = len(spaces[0]) if spaces else 0
        if at < following:
            yield at, width, text[at + width : following].rstrip("\r\n")
