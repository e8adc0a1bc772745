"""Trie over the segments of many patterns: returns which of them match a path.

Invariant: the trie returns the same patterns as matching each on its own.
Invariant: a walk tests only patterns that the path's segments lead to. Names are looked up in a
dict; wildcards are indexed by a piece of text that a matching name must contain.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from intent_lsp.core.scope.language import Items
from intent_lsp.core.scope.rows import PatternRow
from intent_lsp.core.scope.segment import Segment

_HEAVIEST = 1 << 18
_GRAM = 3
_MANY = 1 << 30
Filed = tuple[Callable[[str], object] | None, "TrieNode"]


class WildcardTable:
    """The wildcard segments that leave one trie node, each with the node that it leads to.

    Each is indexed by one text that a matching name must contain: its prefix, its suffix or a
    three-character substring, whichever the fewest of the segments share. A segment without such a
    text is tried for every name.
    """

    __slots__ = ("_grams", "_heads", "_rest", "_tails")

    def __init__(self, magic: "Mapping[Segment, TrieNode]") -> None:
        heads = Counter(segment.prefix for segment in magic)
        tails = Counter(segment.suffix for segment in magic)
        grams = Counter(gram for segment in magic for gram in _held(segment.items))
        self._heads: dict[int, dict[str, list[Filed]]] = {}
        self._tails: dict[int, dict[str, list[Filed]]] = {}
        self._grams: dict[str, list[Filed]] = {}
        self._rest: list[Filed] = []
        for segment, node in magic.items():
            head, tail = segment.prefix, segment.suffix
            gram = min(_held(segment.items), key=grams.__getitem__, default="")
            # A one-sided segment is `text*` or `*text`. It is always filed under that text, since
            # none of its substrings is rarer, so that finding it is already the match.
            filed = None if segment.one_sided else segment.matches, node
            if head and heads[head] <= min(tails[tail] if tail else _MANY, grams[gram] or _MANY):
                self._heads.setdefault(len(head), {}).setdefault(head, []).append(filed)
            elif tail and tails[tail] <= (grams[gram] or _MANY):
                self._tails.setdefault(len(tail), {}).setdefault(tail, []).append(filed)
            elif gram:
                self._grams.setdefault(gram, []).append(filed)
            else:
                self._rest.append(filed)

    def leading(self, name: str) -> "Iterator[TrieNode]":
        """Yield the nodes to which the segments that match `name` lead."""
        for filed in self._candidates(name):
            for matches, node in filed:
                if matches is None or matches(name):
                    yield node

    def _candidates(self, name: str) -> Iterator[Sequence[Filed]]:
        """Yield, in groups, the segments whose index text `name` contains in the right place.

        The last group is the segments without an index text.
        """
        # Yield instead of building a list: for most names nothing is filed.
        for size, filed in self._heads.items():
            if (head := name[:size]) in filed:
                yield filed[head]
        for size, filed in self._tails.items():
            if (tail := name[-size:]) in filed:
                yield filed[tail]
        grams = self._grams
        if grams:
            for at in range(len(name) - _GRAM + 1):
                if (gram := name[at : at + _GRAM]) in grams:
                    yield grams[gram]
        yield self._rest


class TrieNode:
    """A node of the trie: the patterns that end here, and the nodes that a name leads to.

    `ends` are patterns that match the path so far, `tails` those that match every path below.
    `names`, `magic` and `anything` are the nodes that a literal name, a segment with wildcards and
    a `*` lead to, `globstar` is the node of a `**` that begins at this node. `loops`: the node
    belongs to a `**`, so that every name leads back to it.
    """

    def __init__(self, *, loops: bool = False) -> None:
        self.loops = loops
        self.names: dict[str, TrieNode] = {}
        self.magic: dict[Segment, TrieNode] = {}
        self.anything: TrieNode | None = None
        self.globstar: TrieNode | None = None
        self.ends: list[int] = []
        self.tails: list[int] = []

    def reached(self, name: str) -> Iterator["TrieNode"]:
        """Yield the nodes that the segment `name` of a path leads to from this node."""
        if self.loops:
            yield self
        if self.anything is not None:
            yield self.anything
        if name in self.names:
            yield self.names[name]
        if self.magic:
            yield from self._table.leading(name)

    @cached_property
    def _table(self) -> WildcardTable:
        return WildcardTable(self.magic)


class Trie:
    """Finds the patterns that match a path. `rows` are alternatives, with their pattern's number.

    Many paths share a directory, so the state of the walk at each directory is cached: the patterns
    that match everything below it, and the nodes that it leads to.
    """

    __slots__ = ("_directories", "_root", "_weight")

    def __init__(self, rows: Iterable[tuple[int, PatternRow]]) -> None:
        self._root = TrieNode()
        for number, row in rows:
            _add(self._root, number, row)
        self._directories: dict[tuple[str, ...], tuple[frozenset[int], Sequence[TrieNode]]] = {}
        self._weight = 0

    def matching(self, names: Sequence[str]) -> frozenset[int]:
        """Return the numbers of the patterns that match a path, given as its segments."""
        *above, name = names
        directory = tuple(above)
        if directory not in self._directories:
            if self._weight > _HEAVIEST:
                self._directories, self._weight = {}, 0
            known = self._directories[directory] = self._walked(above)
            self._weight += 1 + sum(map(len, known))
        found, active = self._directories[directory]
        return found.union(*[reached.ends for node in active for reached in node.reached(name)])

    def _walked(self, above: Iterable[str]) -> tuple[frozenset[int], Sequence[TrieNode]]:
        """Walk through the trie along the segments of a directory. Return the state there."""
        active = _entered([self._root])
        found = set(self._root.tails)
        for name in above:
            # Several ways may lead to one node. Keep it once, or the walk would not be linear.
            active = _entered(dict.fromkeys(n for node in active for n in node.reached(name)))
            found.update(*[node.tails for node in active])
        return frozenset(found), active


def _entered(nodes: Iterable[TrieNode]) -> Sequence[TrieNode]:
    """Return nodes, and those of the `**` that begin at them, which may match no segment."""
    entered = dict.fromkeys(nodes)
    entered.update((node.globstar, None) for node in nodes if node.globstar is not None)
    return list(entered)


def _add(node: TrieNode, number: int, row: PatternRow) -> None:
    """Add one alternative of the pattern `number` to the trie below `node`.

    A `**` at the end of the alternative is a tail: it matches everything below.
    """
    for at, segment in enumerate(row):
        if segment is None and at == len(row) - 1:
            node.tails.append(number)
            return
        node = _child(node, segment)
    node.ends.append(number)


def _child(node: TrieNode, segment: Segment | None) -> TrieNode:
    """Return the child of `node` for a segment. Create it if there is none."""
    if segment is None:
        if node.globstar is None:
            node.globstar = TrieNode(loops=True)
        return node.globstar
    if segment.literal is not None:
        return node.names.setdefault(segment.literal, TrieNode())
    if not segment.anything:
        return node.magic.setdefault(segment, TrieNode())
    if node.anything is None:
        node.anything = TrieNode()
    return node.anything


def _grams(name: str) -> set[str]:
    return {name[at : at + _GRAM] for at in range(len(name) - _GRAM + 1)}


def _held(items: Items) -> set[str]:
    """Return the three-character texts in the literal parts of `items`.

    Every name that matches `items` contains them.
    """
    runs = "".join(item if isinstance(item, str) else "/" for item in items).split("/")
    return {gram for run in runs for gram in _grams(run)}
