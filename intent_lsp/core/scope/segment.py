"""One segment of a pattern, compiled to match one segment of a path.

Invariant: equal segments are equal values. A segment that can be written out without extglobs
(`flatten`) is matched by test lines, any other by an automaton.
Invariant: test lines and automata pass over a name once, character by character. A step of all
test lines together costs a few operations on one integer with a bit for each test.
"""

import itertools
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from intent_lsp.core.scope.charclass import CharClass
from intent_lsp.core.scope.language import ExtGlob, Item, Items, Wild, read_segment
from intent_lsp.core.scope.limits import MAX_AUTOMATON, PatternLimitError
from intent_lsp.core.scope.nfa import explored

T = TypeVar("T", bound=Hashable)


class TestLines(Generic[T]):
    """Sequences of tests, the lines, that are matched together against one input.

    Each test of a line must match one symbol of the input, in order. None in a line is a gap, where
    any number of symbols may be skipped.

    A state is an integer. A line of n tests has n + 1 bits in it; bit k is set if the input so far
    matches its first k tests. `masks` gives the bits of each test, `start` is the state before the
    input, and `final` has the last bit of each line.
    """

    __slots__ = ("_line_of", "_loops", "final", "masks", "start")

    def __init__(self, lines: Iterable[Sequence[T | None]]) -> None:
        at = 0
        places: dict[T, list[int]] = {}
        # A written-out `*@()*` has two gaps at one place.
        starts, loops = list[int](), set[int]()
        self._line_of: dict[int, int] = {}
        for index, line in enumerate(lines):
            starts.append(at)
            for test in line:
                if test is None:
                    loops.add(at)
                else:
                    places.setdefault(test, []).append(at)
                    at += 1
            self._line_of[at] = index
            at += 1
        self.masks: Mapping[T, int] = {test: _bits(found, at) for test, found in places.items()}
        self._loops = _bits(loops, at)
        self.start = _bits(starts, at)
        self.final = _bits([*self._line_of], at)

    def step(self, state: int, passed: int) -> int:
        """Return the state after one more symbol of the input.

        `passed` is the union of the masks of the tests that the symbol passes.
        """
        return ((state & passed) << 1) | (state & self._loops)

    def matched(self, state: int) -> Iterator[int]:
        """Yield the index of each test line that matches if the input ends in `state`."""
        ended = state & self.final
        while ended:
            end = ended.bit_length() - 1
            yield self._line_of[end]
            ended ^= 1 << end


MAX_FLATTENED = 64
"""The most alternatives without extglobs that a segment with extglobs is written out as."""


@dataclass(frozen=True)
class Segment:
    """A parsed segment: `items`, and `flat`, its alternatives written out without extglobs.

    `flat` is None if the segment cannot be written out and needs an automaton.
    """

    items: Items
    flat: tuple[Items, ...] | None = field(compare=False)

    @cached_property
    def literal(self) -> str | None:
        """The one name that the segment matches, or None if the segment is not plain text.

        A segment with a wildcard, a bracket expression or several alternatives is not plain text,
        nor is one that needs an automaton.
        """
        if self.flat is None or len(self.flat) != 1:
            return None
        plain = set(map(type, self.flat[0])) <= {str}
        return "".join(map(str, self.flat[0])) if plain else None

    @cached_property
    def anything(self) -> bool:
        """Whether the segment is `*`, or has the alternative `*`, so that it matches every name.

        False if it needs an automaton.
        """
        return self.flat is not None and (Wild.MANY,) in self.flat

    @cached_property
    def matches(self) -> Callable[[str], bool]:
        """A function that returns whether the segment matches the whole of a name."""
        if self.flat is None:
            return explored(self.items).matches
        return Bundle(self.flat).any_matches

    @cached_property
    def classes(self) -> frozenset[CharClass]:
        """The bracket expressions in the segment."""
        return frozenset(item for item in _walk(self.items) if isinstance(item, CharClass))

    @cached_property
    def prefix(self) -> str:
        """The literal text at the start, with which every matching name begins, perhaps ""."""
        return _head(self.items)

    @cached_property
    def suffix(self) -> str:
        """The literal text at the end, with which every matching name ends, perhaps ""."""
        return _head(self.items[::-1])[::-1]

    @cached_property
    def one_sided(self) -> bool:
        """Whether the segment is of the form `text*` or `*text`.

        It is then enough to compare the start or the end of a name.
        """
        ends = self.items[0], self.items[-1]
        return (
            Wild.MANY in ends
            and all(isinstance(item, str) for item in self.items if item is not Wild.MANY)
            and self.items.count(Wild.MANY) == 1
        )


class Bundle:
    """Segments without extglobs, matched together against one name.

    The time grows with the name's length, not with the number of segments.
    """

    __slots__ = ("_classes", "_lines", "_wild")

    def __init__(self, alternatives: Sequence[Items]) -> None:
        # A `*` is a gap, each other item a test.
        self._lines: TestLines[Item] = TestLines(
            [None if item is Wild.MANY else item for item in items] for items in alternatives
        )
        self._wild = self._lines.masks.get(Wild.ONE, 0)
        self._classes = [
            (test, mask) for test, mask in self._lines.masks.items() if isinstance(test, CharClass)
        ]

    def any_matches(self, name: str) -> bool:
        """Whether one of the segments matches the whole of `name`."""
        return bool(self._run(name) & self._lines.final)

    def matching(self, name: str) -> Iterator[int]:
        """Yield the indices of the segments that match the whole of `name`."""
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
        """Return, for each of `chars`, the mask of the tests that the character passes."""
        passed = {char: self._lines.masks.get(char, 0) | self._wild for char in chars}
        for members, bits in self._classes:
            for char in members.among(chars):
                passed[char] |= bits
        return passed


@lru_cache(maxsize=65_536)
def segment_of(text: str, *, folded: bool = False) -> Segment | None:
    """Return a compiled segment, from a cache if possible, or None if it can match no name.

    `folded`: case is ignored. Raise PatternLimitError if the segment exceeds a limit.
    """
    items = read_segment(text, folded=folded)
    if items is None:
        return None
    flat = flatten(items)
    if flat is None and sum(1 for _ in _walk(items)) > MAX_AUTOMATON:
        raise PatternLimitError(f"a path segment with extglobs has more than {MAX_AUTOMATON} parts")
    segment = Segment(items, flat)
    if flat is None:
        # Build the automaton now: it raises PatternLimitError if it grows too large, and that
        # must happen while the pattern is compiled.
        _ = segment.matches
    return segment


def flatten(items: Items) -> tuple[Items, ...] | None:
    """Return the alternatives of `items`, with each `@(a|b)` and `?(a)` written out.

    Return None if an extglob repeats, negates or contains another, or if there would be more than
    MAX_FLATTENED alternatives.
    """
    parts: list[tuple[Items, ...]] = []
    for item in items:
        if not isinstance(item, ExtGlob):
            parts.append(((item,),))
            continue
        inner = itertools.chain.from_iterable(item.alternatives)
        if item.kind not in "@?" or any(isinstance(each, ExtGlob) for each in inner):
            return None
        parts.append(item.alternatives if item.kind == "@" else ((), *item.alternatives))
    if math.prod(map(len, parts)) > MAX_FLATTENED:
        return None
    flat = (tuple(itertools.chain.from_iterable(row)) for row in itertools.product(*parts))
    return tuple(dict.fromkeys(flat))


def _bits(places: Collection[int], size: int) -> int:
    """Return an integer with the bits at `places` set. Each place must be less than `size`."""
    if len(places) < 3:  # noqa: PLR2004 - for a few bits, shifting is quicker
        return sum(1 << place for place in places)
    buffer = bytearray(size // 8 + 1)
    for place in places:
        buffer[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(buffer, "little")


def _walk(items: Items) -> Iterator[object]:
    """Yield every item, with the items inside extglobs after the extglob."""
    for item in items:
        yield item
        if isinstance(item, ExtGlob):
            for alternative in item.alternatives:
                yield from _walk(alternative)


def _head(items: Items) -> str:
    """Return the literal characters of `items` before the first wildcard, class or extglob."""
    head = itertools.takewhile(lambda item: isinstance(item, str), items)
    return "".join(map(str, head))
