"""Parts of a glob as people write it: names, separators, wildcards, braces and exclusions.

Invariant: parts are in order and do not overlap, and no text makes `glob_parts` raise.
Invariant: a glob whose parts are names and separators alone matches one path at most.
"""

from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache

from msgspec import Struct

from intent_lsp.core.scope.braces import brace_syntax
from intent_lsp.core.scope.charclass import read_class
from intent_lsp.core.scope.limits import MAX_PATTERN, PatternLimitError
from intent_lsp.core.scope.pattern import opens_extglob, trim

_EXTGLOB_SIGNS = "?*+@!"
_EMPTY_EXTGLOB = 3


class GlobPartKind(Enum):
    """What one part of a glob is. A WILDCARD stands for characters that it does not spell out.

    A wildcard is `*`, `**`, `?`, a bracket expression, or what encloses and separates the
    alternatives of an extglob. A BRACE is a brace or comma that separates alternatives. An
    EXCLUSION is a leading `!`.
    """

    NAME = auto()
    SEPARATOR = auto()
    WILDCARD = auto()
    BRACE = auto()
    EXCLUSION = auto()


class GlobPart(Struct, frozen=True):
    """One part of a glob, from offset `start` up to but not including `end` in its text."""

    kind: GlobPartKind
    start: int
    end: int


@lru_cache(maxsize=16_384)
def glob_parts(text: str) -> tuple[GlobPart, ...]:
    """Return the parts of a glob, from a cache if possible.

    White space around the glob is in no part. Return () for an empty glob, one that begins with
    `#`, one of more than MAX_PATTERN characters, and one for which `brace_syntax` raises
    PatternLimitError.
    """
    glob = trim(text)
    if not glob or glob.startswith("#") or len(glob) > MAX_PATTERN:
        return ()
    try:
        kinds = _kinds(glob)
    except PatternLimitError:
        return ()
    return tuple(_joined(kinds, len(text) - len(text.lstrip())))


def _kinds(glob: str) -> list[GlobPartKind]:
    """Return the kind of each character of a glob. Raise PatternLimitError over a limit."""
    kinds = [GlobPartKind.NAME] * len(glob)
    begin = 0
    while glob.startswith("!", begin) and not opens_extglob(glob[begin:]):
        kinds[begin] = GlobPartKind.EXCLUSION
        begin += 1
    for at in brace_syntax(glob[begin:]):
        kinds[begin + at] = GlobPartKind.BRACE
    for segment in glob[begin:].split("/"):
        end = begin + len(segment)
        _SegmentReader(segment, kinds, begin).read()
        if end < len(glob):
            kinds[end] = GlobPartKind.SEPARATOR
        begin = end + 1
    return kinds


class _SegmentReader:
    """Finds the wildcards of one segment, whose kinds begin at the index `begin` of `kinds`."""

    def __init__(self, segment: str, kinds: list[GlobPartKind], begin: int) -> None:
        self._text, self._kinds, self._begin = segment, kinds, begin
        # Of each extglob that is open: the offsets of its sign, its bracket and its bars.
        self._opened: list[list[int]] = []

    def read(self) -> None:
        """Set the kinds of all wildcards."""
        text, at = self._text, 0
        end = len(text)
        if end == _EMPTY_EXTGLOB and text[0] in "?*+@" and text.endswith("()"):
            # Of a segment that is only an empty extglob, such as `*()`, the brackets are literal.
            end = 1
        while at < end:
            at = self._next(at)
        for signs in self._opened:
            # An extglob that is not closed is literal, but for the wildcard that it begins with.
            self._mark(*(at for at in signs[:1] if text[at] in "*?"))

    def _next(self, at: int) -> int:
        """Read what is at an offset, and return the offset of what follows it."""
        text, char = self._text, self._text[at]
        if self._kinds[self._begin + at] is GlobPartKind.BRACE:
            return at + 1
        if char == "\\":
            return at + 2
        if char == "[":
            end = self._class_end(at)
            self._mark(*range(at, end if end > at + 1 else at))
            return end
        if char in _EXTGLOB_SIGNS and text.startswith("(", at + 1):
            self._opened.append([at, at + 1])
            return at + 2
        self._single(char, at)
        return at + 1

    def _single(self, char: str, at: int) -> None:
        if char in "*?":
            self._mark(at)
        elif char == "|" and self._opened:
            self._opened[-1].append(at)
        elif char == ")" and self._opened:
            self._mark(*self._opened.pop(), at)

    def _class_end(self, start: int) -> int:
        """Return the end of the bracket expression at `start`, or the next offset if there is none.

        One that contains a brace or comma of a brace set does not count: braces are expanded first.
        """
        found = read_class(self._text, start)
        begin = self._begin
        if found is None or GlobPartKind.BRACE in self._kinds[begin + start : begin + found.end]:
            return start + 1
        return found.end

    def _mark(self, *offsets: int) -> None:
        for at in offsets:
            self._kinds[self._begin + at] = GlobPartKind.WILDCARD


def _joined(kinds: list[GlobPartKind], lead: int) -> Iterator[GlobPart]:
    """Yield a part for each run of equal kinds, `lead` characters further on."""
    start = 0
    for end in range(1, len(kinds) + 1):
        if end == len(kinds) or kinds[end] is not kinds[start]:
            yield GlobPart(kinds[start], lead + start, lead + end)
            start = end
