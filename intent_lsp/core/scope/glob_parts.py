"""Parts of a glob as people write it: names, separators, wildcards, braces and exclusions.

Invariant: parts are in order and do not overlap, and no text makes `glob_parts` raise.
Invariant: a glob whose parts are names and separators alone matches one path at most, unless it
ends in `/`.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from enum import Enum, auto
from functools import lru_cache
from itertools import groupby

from msgspec import Struct

from intent_lsp.core.scope.braces import brace_syntax
from intent_lsp.core.scope.language import ExtGlobMark, scan
from intent_lsp.core.scope.limits import MAX_PATTERN, PatternLimitError
from intent_lsp.core.scope.pattern import opens_extglob, trim


class GlobPartKind(Enum):
    """What one part of a glob is. A WILDCARD stands for characters that it does not spell out.

    A wildcard is `*`, `**`, `?`, a bracket expression, or of an extglob its opening (such as `@(`),
    a `|` or its `)`. A BRACE is a brace or comma that separates alternatives. An EXCLUSION is a
    leading `!`.
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
        inside = kinds[begin:end]
        braces = {at for at, kind in enumerate(inside) if kind is GlobPartKind.BRACE}
        for at in _wildcards(segment, braces):
            kinds[begin + at] = GlobPartKind.WILDCARD
        if end < len(glob):
            kinds[end] = GlobPartKind.SEPARATOR
        begin = end + 1
    return kinds


def _wildcards(segment: str, braces: AbstractSet[int]) -> Iterator[int]:
    """Yield the offsets of the characters of a segment that belong to wildcards.

    `braces` are the offsets of the braces and commas that make up alternatives; none is yielded.
    """
    # Of each extglob that is open: the offsets of its sign, its bracket and its bars.
    opened: list[list[int]] = []
    for start, end, token in scan(segment, braces):
        match token:
            case ExtGlobMark("|") if opened:
                opened[-1].append(start)
            case ExtGlobMark(")") if opened:
                yield from (*opened.pop(), start)
            case str() | ExtGlobMark("|" | ")"):
                pass
            case ExtGlobMark():
                opened.append([start, start + 1])
            case _:
                yield from range(start, end)
    for sign, *_ in opened:
        # An extglob that is not closed is literal, but for the wildcard that it begins with.
        if segment[sign] in "*?":
            yield sign


def _joined(kinds: list[GlobPartKind], start: int) -> Iterator[GlobPart]:
    """Yield a part for each run of equal kinds. The first begins at `start`."""
    for kind, run in groupby(kinds):
        end = start + len([*run])
        yield GlobPart(kind, start, end)
        start = end
