"""Automaton for segments whose extglobs cannot be written out, such as `*(…)`, `+(…)`, `!(…)`.

Specified in scope section 1.

Invariant: a name is matched in one pass, with one step for each character. States are cached.
Invariant: `!(…)` matches exactly the texts that its alternatives do not match.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import count

from intent_lsp.core.scope.charclass import CharClass
from intent_lsp.core.scope.language import OTHER, ExtGlob, Item, Items, Wild, passes, samples
from intent_lsp.core.scope.limits import MAX_STATE_WORK, PatternLimitError

_MATCH = 1
_Test = str | Wild | CharClass
_MAX_STATES = 2_000
_MAX_EDGES = 20_000


class _State:
    """A state of the automaton after the characters consumed so far.

    `bits` are the active places, `runs` the negations under way, each with the state of its inner
    automaton. `letters` are the characters that may lead to different states; all others lead to
    `others`. If the state tests for a class, `letters` is None: any character may then lead to a
    different state.
    """

    __slots__ = ("accepts", "alive", "bits", "edges", "letters", "others", "runs")

    def __init__(
        self, bits: int, runs: frozenset[tuple[int, "_State"]], letters: frozenset[str] | None
    ) -> None:
        self.bits, self.runs, self.letters = bits, runs, letters
        self.accepts = bool(bits & _MATCH)
        self.alive = bool(bits or runs)
        self.edges: dict[str, _State] = {}
        self.others: _State | None = None


def explored(items: Items) -> "Automaton":
    """Return the automaton of a segment that is given as its items.

    If the segment has `!(…)`, all states are visited first. Raise PatternLimitError if they are too
    many. Without `!(…)`, no state is visited, since a state then costs no more than the segment's
    length.
    """
    automaton = Automaton((items,))
    if not automaton.plain:
        automaton.explore(sorted(set(samples((items,)))))
    return automaton


class Automaton:
    """The automaton of a segment's alternatives. `plain`: it has no negation.

    It has numbered places of three kinds. A place in `_reads` consumes a character that passes a
    test. At a place in `_negates`, a negation begins. A place in `_ways` leads to other places
    without a character. If place 0, the end, is reached, the text so far matches. A set of places
    is an integer with a bit for each.
    """

    def __init__(self, alternatives: Iterable[Items]) -> None:
        self._numbers = count(1)
        self._reads: dict[int, tuple[_Test, int]] = {}
        """By its number, a place's test and the place after it. A place of a `*` stays active."""
        self._negates: dict[int, tuple[Automaton, int]] = {}
        """By its number, the automaton that must not match a text, and the place after the text."""
        self._ways: dict[int, list[int]] = {}
        self._closure = cache(self._led_to)
        self._states: dict[tuple[int, frozenset[tuple[int, _State]]], _State] = {}
        self._edges = 0
        start = self._entry(alternatives, 0)
        self.plain = not self._negates
        self.start = self._enter(self._closure(start), [])
        """The state before the first character."""

    def matches(self, name: str) -> bool:
        """Whether the automaton matches the whole of `name`."""
        state = self.start
        for char in name:
            state = state.edges.get(char) or self.step(state, char)
            if not state.alive:
                return False
        return state.accepts

    def explore(self, samples: Sequence[str]) -> None:
        """Visit every state that texts of the characters `samples` lead to.

        Raise PatternLimitError if that takes too many steps.
        """
        left = MAX_STATE_WORK
        seen, todo = {self.start}, [self.start]
        while todo:
            state = todo.pop()
            for char in samples if state.letters is None else (*state.letters, OTHER):
                left -= 1 + state.bits.bit_count() + len(state.runs)
                if left < 0:
                    raise PatternLimitError("the pattern's part with `!(…)` is too complex")
                after = self.step(state, char)
                if after not in seen:
                    seen.add(after)
                    todo.append(after)

    def step(self, state: _State, char: str) -> _State:
        """Return the state to which the character `char` leads from `state`."""
        found = state.edges.get(char)
        if found is not None:
            return found
        unnamed = state.letters is not None and char not in state.letters
        if unnamed and state.others is not None:
            return state.others
        found = self._after(state, char)
        if unnamed:
            state.others = found
        else:
            self._remember(state, char, found)
        return found

    def _after(self, state: _State, char: str) -> _State:
        """Compute the state to which `char` leads from `state`, without using the cache."""
        bits = 0
        for number in _each(state.bits & ~_MATCH):
            test, after = self._reads[number]
            if passes(char, test):
                bits |= self._closure(after) | (1 << number if test is Wild.MANY else 0)
        runs: list[tuple[int, _State]] = []
        for number, before in state.runs:
            inner, after = self._negates[number]
            run = inner.step(before, char)
            runs.append((number, run))
            bits |= 0 if run.accepts else self._closure(after)
        return self._enter(bits, runs)

    def _enter(self, bits: int, runs: list[tuple[int, _State]]) -> _State:
        """Return the state of the active places `bits`, with the negations under way in `runs`.

        A negation is added to `runs` for each active place where one begins.
        """
        for number in _each(bits):
            if number in self._negates:
                bits ^= 1 << number
                runs.append((number, self._negates[number][0].start))
        key = bits, frozenset(self._fewest(runs))
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = _State(*key, self._letters(*key))
        return found

    def _letters(self, bits: int, runs: Iterable[tuple[int, _State]]) -> frozenset[str] | None:
        """Return the characters that a state tests for, or None if it tests for a class.

        `bits` are the state's active places. `runs` are its negations under way with their inner
        states; the characters that these test for are included.
        """
        letters: set[str] = set()
        for number in _each(bits & ~_MATCH):
            test, _ = self._reads[number]
            if isinstance(test, CharClass):
                return None
            if isinstance(test, str):
                letters.add(test)
        for _, inner in runs:
            if inner.letters is None:
                return None
            letters |= inner.letters
        return frozenset(letters)

    def _fewest(self, runs: list[tuple[int, _State]]) -> Iterator[tuple[int, _State]]:
        """Yield the negations under way, as (place, inner state), without redundant ones.

        Of two negations of the same place, one is redundant if its active inner places include all
        those of the other: every text that passes this one then passes the other too. Negations
        whose inner automata have negations are not compared.
        """
        for number, state in set(runs):
            covered = self._negates[number][0].plain and any(
                place == number and other.bits != state.bits and other.bits & ~state.bits == 0
                for place, other in runs
            )
            if not covered:
                yield number, state

    def _remember(self, state: _State, char: str, after: _State) -> None:
        """Cache that `char` leads from `state` to `after`. Clear the cache before if too large."""
        self._edges += 1
        if self._edges > _MAX_EDGES or len(self._states) > _MAX_STATES:
            # A match in progress still holds its state. That stays valid, but must not keep the
            # old graph in memory through its edges.
            forgotten, self._states, self._edges = list(self._states.values()), {}, 0
            for known in forgotten:
                known.edges, known.others = {}, None
        state.edges[char] = after

    def _led_to(self, number: int) -> int:
        """Return, as bits, the places that a place leads to without consuming a character.

        The place itself is included. But places in `_ways` are only passed through, and never
        included.
        """
        bits, seen, todo = 0, {number}, [number]
        while todo:
            place = todo.pop()
            if place not in self._ways:
                bits |= 1 << place
            ways = self._ways.get(place) or self._empty_ways(place)
            todo += [way for way in ways if way not in seen]
            seen.update(ways)
        return bits

    def _empty_ways(self, place: int) -> list[int]:
        """Return the next place if `place` is a `*` or a negation that matches "", else []."""
        if place in self._reads and self._reads[place][0] is Wild.MANY:
            return [self._reads[place][1]]
        if place in self._negates and not self._negates[place][0].start.accepts:
            return [self._negates[place][1]]
        return []

    def _entry(self, alternatives: Iterable[Items], after: int) -> int:
        """Add places of alternatives that lead to `after`. Return the place where they begin."""
        return self._fork([reduce(self._before, reversed(items), after) for items in alternatives])

    def _before(self, after: int, item: Item) -> int:
        """Add the places of an item that leads to `after`. Return the place where it begins."""
        if not isinstance(item, ExtGlob):
            number = next(self._numbers)
            self._reads[number] = item, after
            return number
        if item.kind == "!":
            number = next(self._numbers)
            self._negates[number] = Automaton(item.alternatives), after
            return number
        if item.kind in "@?":
            once = self._entry(item.alternatives, after)
            return once if item.kind == "@" else self._fork([after, once])
        again = self._fork([after])
        first = self._entry(item.alternatives, again)
        self._ways[again].append(first)
        return again if item.kind == "*" else first

    def _fork(self, ways: list[int]) -> int:
        number = next(self._numbers)
        self._ways[number] = ways
        return number


def _each(bits: int) -> Iterator[int]:
    """Yield the number of each place in a set."""
    while bits:
        number = bits.bit_length() - 1
        yield number
        bits ^= 1 << number
