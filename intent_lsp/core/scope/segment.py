"""One segment of a pattern, ready to be asked whether it matches one segment of a path.

Invariant: equal segments are equal values; what answers is chosen by what is in the segment: lines
of tests, or an automaton. Invariant: either reads a name once, letter by letter.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from intent_lsp.core.scope.charclass import CharClass
from intent_lsp.core.scope.language import ExtGlob, Items, Wild, read_segment
from intent_lsp.core.scope.limits import MAX_AUTOMATON, PatternLimitError
from intent_lsp.core.scope.lines import TestLine, TestLines
from intent_lsp.core.scope.nfa import explored

MAX_FLATTENED = 64
Test = str | Wild | CharClass


@dataclass(frozen=True)
class Segment:
    """Items of one segment, and the same without extglobs where that can be (`flat`)."""

    items: Items
    flat: tuple[Items, ...] | None = field(compare=False)

    @cached_property
    def literal(self) -> str | None:
        """The one name that the segment matches, when it has no magic."""
        if self.flat is None or len(self.flat) != 1:
            return None
        plain = set(map(type, self.flat[0])) <= {str}
        return "".join(map(str, self.flat[0])) if plain else None

    @cached_property
    def anything(self) -> bool:
        """Whether the segment matches every name."""
        return self.flat is not None and (Wild.MANY,) in self.flat

    @cached_property
    def matches(self) -> Callable[[str], bool]:
        """Ask whether a whole name matches."""
        if self.flat is None:
            return explored(self.items).matches
        return Bundle(self.flat).any_matches

    @cached_property
    def classes(self) -> frozenset[CharClass]:
        """The bracket expressions in it."""
        if not {CharClass, ExtGlob} & set(map(type, self.items)):
            return frozenset()
        return frozenset(item for item in _walk(self.items) if isinstance(item, CharClass))

    @cached_property
    def prefix(self) -> str:
        """What every name that matches begins with."""
        return _head(self.items)

    @cached_property
    def suffix(self) -> str:
        """What every name that matches ends with."""
        return _head(self.items[::-1])[::-1]

    @cached_property
    def one_sided(self) -> bool:
        """Whether it is one `*` and a text before or after it, which then decides."""
        ends = self.items[0], self.items[-1]
        return (
            Wild.MANY in ends
            and all(isinstance(item, str) for item in self.items if item is not Wild.MANY)
            and self.items.count(Wild.MANY) == 1
        )


@lru_cache(maxsize=65_536)
def segment_of(text: str, *, folded: bool = False) -> Segment | None:
    """Read one segment; None when it can match no name. Raises OverLimitError."""
    items = read_segment(text, folded=folded)
    if items is None:
        return None
    flat = flatten(items)
    if flat is None and sum(1 for _ in _walk(items)) > MAX_AUTOMATON:
        raise PatternLimitError(f"more than {MAX_AUTOMATON} parts in a segment with extglobs")
    segment = Segment(items, flat)
    if flat is None:
        # Whether its automaton stays small shows only when it is built.
        _ = segment.matches
    return segment


class Bundle:
    """Segments without extglobs, asked all at once.

    One pass over the name, in which each letter costs the same whatever the segments are.
    """

    __slots__ = ("_classes", "_lines", "_wild")

    def __init__(self, alternatives: Sequence[Items]) -> None:
        self._lines: TestLines[Test] = TestLines([line_of(items) for items in alternatives])
        self._wild = self._lines.masks.get(Wild.ONE, 0)
        self._classes = [
            (test, mask) for test, mask in self._lines.masks.items() if isinstance(test, CharClass)
        ]

    def any_matches(self, name: str) -> bool:
        """Whether one of them matches the whole name."""
        return bool(self._run(name) & self._lines.final)

    def matching(self, name: str) -> list[int]:
        """Give the indices of those that match the whole name."""
        return self._lines.matched(self._run(name))

    def _run(self, name: str) -> int:
        lines, state = self._lines, self._lines.start
        passed = self._passed("".join(set(name)))
        for char in name:
            state = lines.step(state, passed[char])
            if not state:
                break
        return state

    def _passed(self, chars: str) -> dict[str, int]:
        """Give for each letter the tests that it passes."""
        passed = {char: self._lines.masks.get(char, 0) | self._wild for char in chars}
        for members, bits in self._classes:
            for char in members.among(chars):
                passed[char] |= bits
        return passed


def _walk(items: Items) -> Iterator[object]:
    for item in items:
        yield item
        if isinstance(item, ExtGlob):
            for alternative in item.alternatives:
                yield from _walk(alternative)


def _head(items: Items) -> str:
    head: list[str] = []
    for item in items:
        if not isinstance(item, str):
            break
        head.append(item)
    return "".join(head)


def flatten(items: Items) -> tuple[Items, ...] | None:
    """Spell out `@(a|b)` and `?(a)` as alternatives; None when an extglob repeats or negates."""
    if ExtGlob not in set(map(type, items)):
        return (items,)
    parts: list[tuple[Items, ...]] = []
    size = 1
    for item in items:
        if not isinstance(item, ExtGlob):
            parts.append(((item,),))
            continue
        alternatives = item.alternatives if item.kind == "@" else ((), *item.alternatives)
        size *= len(alternatives)
        if item.kind not in "@?" or size > MAX_FLATTENED or any(map(_has_extglob, alternatives)):
            return None
        parts.append(alternatives)
    flat = (tuple(itertools.chain.from_iterable(row)) for row in itertools.product(*parts))
    return tuple(dict.fromkeys(flat))


def line_of(items: Items) -> TestLine[Test]:
    """Give the items as a line of tests, in which a `*` is a gap."""
    tests: list[Test] = []
    gaps: set[int] = set()
    for item in items:
        if item is Wild.MANY:
            gaps.add(len(tests))
        elif not isinstance(item, ExtGlob):
            tests.append(item)
    return TestLine(tuple(tests), frozenset(gaps))


def _has_extglob(items: Items) -> bool:
    return ExtGlob in set(map(type, items))
