"""The alternatives of a pattern as rows of segments, matched together against a path.

Invariant: matching takes time linear in the path, whatever the rows are (scope section 3).
"""

import re
from collections.abc import Callable, Mapping, Sequence

from intent_lsp.core.scope.language import Items, Wild
from intent_lsp.core.scope.limits import MAX_GLOBSTARS, PatternLimitError
from intent_lsp.core.scope.segment import Bundle, Segment, TestLines, segment_of

_SLASHES = re.compile(r"/+")
_NO_NAMES = ("", ".", "..")

PatternRow = tuple[Segment | None, ...]
"""The segments of one alternative of a pattern. None stands for `**`."""

_ANYTHING = Segment((Wild.MANY,), ((Wild.MANY,),))
"""The segment `*`."""


def read_row(text: str, *, folded: bool) -> PatternRow | str:
    """Return the segments of one alternative of a pattern.

    If no path can match it, return its first part between slashes that no name can match; it may be
    empty. `folded`: case is ignored. Raise PatternLimitError if the alternative exceeds a limit.
    """
    parts = _SLASHES.split(text)
    if parts.count("**") > MAX_GLOBSTARS:
        raise PatternLimitError(f"the pattern has more than {MAX_GLOBSTARS} `**`")
    kept = _without_parents(parts)
    row = [None if part == "**" else segment_of(part, folded=folded) for part in kept]
    dead = (part for part, segment in zip(kept, row, strict=True) if _is_dead(part, segment))
    return next(dead, tuple(row))


def literal_path(row: PatternRow) -> str | None:
    """Return the path that an alternative matches if all its segments are literal, else None."""
    names = [segment.literal for segment in row if segment is not None]
    known = [name for name in names if name is not None]
    return "/".join(known) if len(known) == len(row) else None


class SegmentTable:
    """Segments, each with a mask of bits, that are matched together against one name.

    Literal segments are looked up in a dict. So are segments `text*` and `*text`, in one dict for
    each length of `text`. Of the others, those that can be written out without extglobs are matched
    together by a Bundle, and the rest one by one, each by its Automaton.
    """

    __slots__ = ("_automata", "_bundle", "_bundled", "_heads", "_names", "_tails")

    def __init__(self, masks: Mapping[Segment, int]) -> None:
        self._names: dict[str, int] = {}
        self._heads: dict[int, dict[str, int]] = {}
        self._tails: dict[int, dict[str, int]] = {}
        self._automata: list[tuple[Callable[[str], bool], int]] = []
        flat = list[Items]()
        self._bundled: list[int] = []
        for segment, mask in masks.items():
            if segment.literal is not None:
                self._names[segment.literal] = self._names.get(segment.literal, 0) | mask
            elif segment.one_sided:
                text = segment.prefix or segment.suffix
                sized = (self._tails if segment.suffix else self._heads).setdefault(len(text), {})
                sized[text] = sized.get(text, 0) | mask
            elif segment.flat is None:
                self._automata.append((segment.matches, mask))
            else:
                flat += segment.flat
                self._bundled += [mask] * len(segment.flat)
        self._bundle = Bundle(flat) if flat else None

    def passed_by(self, name: str) -> int:
        """Return the bits of all tests whose segment matches the whole of `name`."""
        found = self._names.get(name, 0)
        for size, heads in self._heads.items():
            found |= heads.get(name[:size], 0)
        for size, tails in self._tails.items():
            found |= tails.get(name[-size:], 0)
        for matches, mask in self._automata:
            if matches(name):
                found |= mask
        if self._bundle is not None:
            for index in self._bundle.matching(name):
                found |= self._bundled[index]
        return found


class PatternRows:
    """The alternatives of a pattern (its rows), matched together.

    `lines` are the rows as lines of TestLines: each segment of a row is a test, and a segment of a
    path passes it or not. `anything` are the bits of the tests that every name passes. `passed_by`
    returns the bits of all tests that a given name passes.
    """

    __slots__ = ("_first", "anything", "lines", "passed_by")

    def __init__(self, rows: Sequence[PatternRow]) -> None:
        # A `**` at the end must match at least one segment, so it is a gap and one more test.
        self.lines: TestLines[Segment] = TestLines(
            row if row[-1] is not None else (*row, _ANYTHING) for row in rows
        )
        masks = self.lines.masks
        self.passed_by = SegmentTable(masks).passed_by
        # No two segments share a bit.
        self.anything = sum(mask for segment, mask in masks.items() if segment.anything)
        heads = [None if row[0] is None else row[0].literal for row in rows]
        # Most patterns begin with the name of a directory and most paths lie in another one, so
        # that comparing the first segment settles most calls.
        self._first = None if None in heads else frozenset(heads)

    def matches(self, names: Sequence[str]) -> bool:
        """Whether one of the alternatives matches the path with the segments `names`."""
        if self._first is not None and names[0] not in self._first:
            return False
        return bool(self._run(names) & self.lines.final)

    def reaches(self, names: Sequence[str]) -> bool:
        """Whether an alternative may match the path of the segments `names`, or one below it."""
        return bool(self._run(names))

    def ending(self, state: int) -> int:
        """Return the bits of the tests that a last segment must pass for the whole path to match.

        The path matches if the segment passes one of them. `state` is the state before that
        segment.
        """
        return state & self.lines.final >> 1

    def _run(self, names: Sequence[str]) -> int:
        lines, state = self.lines, self.lines.start
        for name in names:
            state = lines.step(state, self.passed_by(name)) if name else 0
            if not state:
                break
        return state


def _is_dead(part: str, segment: Segment | None) -> bool:
    """Whether no name can match a part between slashes, given as `segment` too; False for `**`."""
    # No path has a segment `.`, `..` or an empty one. A segment may be one only once its escapes
    # are read, as `\.` is, so the literals are tested too.
    if part == "**":
        return False
    return segment is None or part in _NO_NAMES or segment.literal in _NO_NAMES


def _without_parents(parts: Sequence[str]) -> list[str]:
    """Return segments with `a/../b` reduced to `b`, and `**/**` to `**`, as minimatch does."""
    kept: list[str] = []
    for part in parts:
        if part == "**" and kept[-1:] == ["**"]:
            continue
        if part == ".." and kept and kept[-1] not in ("", ".", "..", "**"):
            kept.pop()
            continue
        kept.append(part)
    return kept or [""]
