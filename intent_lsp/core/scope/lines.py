"""Bit-parallel matcher: runs many sequences of tests with gaps against one input at once.

Invariant: a step costs a few operations on one integer with a bit for each test, whatever the lines
are. No line can make it slow.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TestLine(Generic[T]):
    """A sequence of tests, one for each symbol of the input.

    `gaps` holds the positions (0: before the first test) where any number of symbols may stand.
    """

    tests: tuple[T, ...]
    gaps: frozenset[int]


class TestLines(Generic[T]):
    """A set of test lines that are matched together.

    A state is an integer. Each line has a bit for each number of its tests, from none to all; the
    bit is set if so many of its tests have matched. `masks` gives the bits of each test.
    """

    __slots__ = ("_ends", "_loops", "_starts", "final", "masks", "start")

    def __init__(self, lines: Sequence[TestLine[T]]) -> None:
        at = 0
        places: dict[T, list[int]] = {}
        starts, loops, self._ends = [], [], list[int]()
        for line in lines:
            starts.append(at)
            loops += [at + gap for gap in line.gaps]
            for place, test in enumerate(line.tests, at):
                places.setdefault(test, []).append(place)
            at += len(line.tests)
            self._ends.append(at)
            at += 1
        self.masks: Mapping[T, int] = {test: _bits(found, at) for test, found in places.items()}
        self._loops = _bits(loops, at)
        self.start = _bits(starts, at)
        self.final = _bits(self._ends, at)

    def step(self, state: int, passed: int) -> int:
        """Return the state after one symbol.

        `passed` is the union of the masks of the tests that it passes.
        """
        return ((state & passed) << 1) | (state & self._loops)

    def matched(self, state: int) -> list[int]:
        """Return the indices of the lines that match if the input ends in `state`."""
        ended = state & self.final
        if not ended:
            return []
        digits = bin(ended)[:1:-1]
        return [index for index, end in enumerate(self._ends) if digits[end : end + 1] == "1"]


def _bits(places: Sequence[int], size: int) -> int:
    """Return the integer whose bits at `places` are set."""
    if len(places) < 3:  # noqa: PLR2004 - for a few bits, shifting is quicker
        return sum(1 << place for place in places)
    buffer = bytearray(size // 8 + 1)
    for place in places:
        buffer[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(buffer, "little")
