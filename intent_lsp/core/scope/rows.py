"""The alternatives of patterns as rows of segments, and which of them match a path.

The rows of one pattern are matched together, those of many patterns in a trie.

Invariant: matching takes time linear in the path, whatever the rows are (scope section 3).
Invariant: the trie returns the same patterns as matching each on its own. A walk tests only
patterns that the path's segments lead to.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import Generic, TypeVar

from intent_lsp.core.scope.language import Items, Wild
from intent_lsp.core.scope.limits import MAX_GLOBSTARS, PatternLimitError
from intent_lsp.core.scope.segment import Bundle, Segment, TestLines, segment_of

_SLASHES = re.compile(r"/+")

V = TypeVar("V")

PatternRow = tuple[Segment | None, ...]
"""The segments of one alternative of a pattern. None stands for `**`."""

_ANYTHING = Segment((Wild.MANY,), ((Wild.MANY,),))
"""The segment `*`."""


def read_row(text: str, *, folded: bool) -> PatternRow | None:
    """Return the segments of one alternative of a pattern, or None if no path can match it.

    `folded`: case is ignored. Raise PatternLimitError if the alternative exceeds a limit.
    """
    parts = _SLASHES.split(text)
    if parts.count("**") > MAX_GLOBSTARS:
        raise PatternLimitError(f"the pattern has more than {MAX_GLOBSTARS} `**`")
    row: list[Segment | None] = []
    dead = False
    for part in _without_parents(parts):
        segment = None if part == "**" else segment_of(part, folded=folded)
        dead = dead or (part != "**" and (segment is None or part in ("", ".", "..")))
        row.append(segment)
    # No path has a segment `.`, `..` or an empty one. A segment may be one only once its escapes
    # are read, as `\.` is, so the literals are tested too.
    names = (segment.literal for segment in row if segment is not None)
    return None if dead or any(name in ("", ".", "..") for name in names) else tuple(row)


def literal_path(row: PatternRow) -> str | None:
    """Return the path that an alternative matches if all its segments are literal, else None."""
    names = [segment.literal for segment in row if segment is not None]
    known = [name for name in names if name is not None]
    return "/".join(known) if len(known) == len(row) else None


class SegmentTable(Generic[V]):
    """Segments with a value each, matched together against one name.

    Names are looked up in a dict, and so are the texts of segments `text*` and `*text`, by their
    length. The other segments that can be written out are bundled. Each automaton is asked.
    """

    __slots__ = ("_automata", "_bundle", "_bundled", "_heads", "_names", "_tails")

    def __init__(self, values: Mapping[Segment, V]) -> None:
        self._names: dict[str, list[V]] = {}
        self._heads: dict[int, dict[str, list[V]]] = {}
        self._tails: dict[int, dict[str, list[V]]] = {}
        self._automata: list[tuple[Callable[[str], bool], V]] = []
        flat = list[Items]()
        self._bundled: list[V] = []
        for segment, value in values.items():
            if segment.literal is not None:
                self._names.setdefault(segment.literal, []).append(value)
            elif segment.one_sided:
                text = segment.prefix or segment.suffix
                sized = (self._tails if segment.suffix else self._heads).setdefault(len(text), {})
                sized.setdefault(text, []).append(value)
            elif segment.flat is None:
                self._automata.append((segment.matches, value))
            else:
                flat += segment.flat
                self._bundled += [value] * len(segment.flat)
        self._bundle = Bundle(flat) if flat else None

    def matching(self, name: str) -> list[V]:
        """Return the values of the segments that match the whole of `name`, some perhaps twice."""
        found = [*self._names.get(name, ())]
        for size, heads in self._heads.items():
            found += heads.get(name[:size], ())
        for size, tails in self._tails.items():
            found += tails.get(name[-size:], ())
        for matches, value in self._automata:
            if matches(name):
                found.append(value)
        if self._bundle is not None:
            found += map(self._bundled.__getitem__, self._bundle.matching(name))
        return found


class PatternRows:
    """The alternatives of a pattern (its rows), matched together.

    `lines` are the rows as test lines: a walk over a tree steps from directory to directory in
    them. `anything` are the bits of the tests that every segment of a path passes.
    """

    __slots__ = ("_first", "_table", "anything", "lines")

    def __init__(self, rows: Sequence[PatternRow]) -> None:
        # A `**` at the end must match at least one segment, so it is a gap and one more test.
        self.lines: TestLines[Segment] = TestLines(
            row if row[-1] is not None else (*row, _ANYTHING) for row in rows
        )
        self._table = SegmentTable(self.lines.masks)
        whole = (mask for segment, mask in self.lines.masks.items() if segment.anything)
        self.anything = reduce(or_, whole, 0)
        heads = [None if row[0] is None else row[0].literal for row in rows]
        # Most patterns begin with the name of a directory and most paths lie in another one, so
        # that comparing the first segment settles most calls.
        self._first = None if None in heads else frozenset(heads)

    def matches(self, names: Sequence[str]) -> bool:
        """Whether one of the alternatives matches the path with the segments `names`."""
        if self._first is not None and names[0] not in self._first:
            return False
        return bool(self._run(names) & self.lines.final)

    def goes_on(self, names: Sequence[str]) -> bool:
        """Whether an alternative may match paths below the path with the segments `names`."""
        return bool(self._run(names) & ~self.lines.final)

    def ending(self, state: int) -> int:
        """Return the bits of the tests that a last segment must pass for the whole path to match.

        The path matches if the segment passes one of them. `state` is that before the segment.
        """
        return state & self.lines.final >> 1

    def passed_by(self, name: str) -> int:
        """Return the bits of all tests that one segment of a path, `name`, passes."""
        return reduce(or_, self._table.matching(name), 0)

    def _run(self, names: Sequence[str]) -> int:
        lines, state = self.lines, self.lines.start
        for name in names:
            state = lines.step(state, self.passed_by(name)) if name else 0
            if not state:
                break
        return state


_HEAVIEST = 1 << 18
_STEPS_REMEMBERED = 1 << 14


class TrieNode:
    """A node of the trie: the patterns that end here, and the nodes that a name leads to.

    `ends` are patterns that match the path so far, `tails` those that match every path below.
    `below` are the nodes that segments lead to, `globstar` is the node of a `**` that begins at
    this node. `loops`: the node belongs to a `**`, so that every name leads back to it.
    """

    __slots__ = ("below", "ends", "globstar", "loops", "table", "tails")

    def __init__(self, *, loops: bool = False) -> None:
        self.table = SegmentTable[TrieNode]({})
        self.loops = loops
        self.below: dict[Segment, TrieNode] = {}
        self.globstar: TrieNode | None = None
        self.ends: list[int] = []
        self.tails: list[int] = []

    def reached(self, name: str) -> Sequence["TrieNode"]:
        """Return the nodes that the segment `name` of a path leads to from this node."""
        found = self.table.matching(name)
        return [self, *found] if self.loops else found

    def seal(self) -> "list[TrieNode]":
        """Prepare this node for matching; no pattern may be added any more. Return its children.

        Children are the nodes directly below it. They are not prepared by this call.
        """
        self.table = SegmentTable(self.below)
        return [node for node in (self.globstar, *self.below.values()) if node is not None]


class Trie:
    """Finds the patterns that match a path. `rows` are alternatives, with their pattern's number.

    Many paths share a directory, so the state of the walk at each directory is cached: the patterns
    that match everything below it, and the nodes that it leads to.
    """

    __slots__ = ("_directories", "_reached", "_root", "_weight")

    def __init__(self, rows: Iterable[tuple[int, PatternRow]]) -> None:
        self._root = TrieNode()
        for number, row in rows:
            _add(self._root, number, row)
        todo = [self._root]
        while todo:
            todo += todo.pop().seal()
        self._directories: dict[tuple[str, ...], tuple[frozenset[int], Sequence[TrieNode]]] = {}
        self._weight = 0
        # Names repeat in a tree.
        self._reached = lru_cache(_STEPS_REMEMBERED)(TrieNode.reached)

    def matching(self, names: Sequence[str]) -> frozenset[int]:
        """Return the numbers of the patterns that match a path, given as its segments."""
        *above, name = names
        directory = tuple(above)
        known = self._directories.get(directory)
        if known is None:
            # Another thread may empty the cache at any time, so nothing is looked up again.
            if self._weight > _HEAVIEST:
                self._directories, self._weight = {}, 0
            known = self._directories[directory] = self._walked(above)
            self._weight += 1 + sum(map(len, known))
        found, active = known
        return found.union(*[node.ends for node in self._below(active, name)])

    def _walked(self, above: Iterable[str]) -> tuple[frozenset[int], Sequence[TrieNode]]:
        """Walk through the trie along the segments of a directory. Return the state there."""
        active = _entered([self._root])
        found = set(self._root.tails)
        for name in above:
            active = _entered(self._below(active, name))
            found.update(*[node.tails for node in active])
        return frozenset(found), active

    def _below(self, nodes: Iterable[TrieNode], name: str) -> Collection[TrieNode]:
        """Return the nodes that a name leads to from any of `nodes`."""
        # Several ways may lead to one node. Keep it once, or the walk would not be linear.
        return dict.fromkeys(below for node in nodes for below in self._reached(node, name))


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


def _entered(nodes: Collection[TrieNode]) -> Sequence[TrieNode]:
    """Return nodes, and those of the `**` that begin at them, which may match no segment."""
    entered = dict.fromkeys(nodes)
    entered.update((node.globstar, None) for node in nodes if node.globstar is not None)
    return list(entered)


def _add(node: TrieNode, number: int, row: PatternRow) -> None:
    """Add one alternative of the pattern `number` to the trie below `node`.

    A `**` at the end of the alternative is a tail: it matches everything below.
    """
    *above, last = row
    for segment in above if last is None else row:
        if segment is not None:
            node = node.below.setdefault(segment, TrieNode())
            continue
        if node.globstar is None:
            node.globstar = TrieNode(loops=True)
        node = node.globstar
    (node.tails if last is None else node.ends).append(number)
