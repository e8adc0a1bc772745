"""Trie over the segments of many patterns: returns which of them match a path.

Invariant: the trie returns the same patterns as matching each on its own.
Invariant: a walk tests only patterns that the path's segments lead to. Names are looked up in a
dict; where there are many wildcards, they are indexed by a piece of text that a matching name must
contain.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from intent_lsp.core.scope.language import Items
from intent_lsp.core.scope.rows import PatternRow
from intent_lsp.core.scope.segment import Segment

_FEW = 6
_HEAVIEST = 1 << 18
SegmentTest = tuple[Callable[[str], object], "tuple[TrieNode, ...]"]
_GRAM = 3
_MANY = 1 << 30
_MOST_KNOWN = 4_096
Filed = tuple[Callable[[str], object] | None, "tuple[TrieNode, ...]"]


class WildcardTable:
    """The wildcard segments that leave one trie node, each with the nodes that it leads to.

    Each is indexed by one text that a matching name must contain: its prefix, its suffix or a
    three-character substring. Of these, the one that the fewest segments have in common is chosen.
    A segment without such a text is tried for every name.
    """

    __slots__ = ("_grams", "_heads", "_known", "_rest", "_tails")

    def __init__(self, magic: Mapping[Segment, "tuple[TrieNode, ...]"]) -> None:
        heads = Counter(segment.prefix for segment in magic)
        tails = Counter(segment.suffix for segment in magic)
        grams = Counter(gram for segment in magic for gram in _held(segment.items))
        self._heads: dict[int, dict[str, list[Filed]]] = {}
        self._tails: dict[int, dict[str, list[Filed]]] = {}
        self._grams: dict[str, list[Filed]] = {}
        self._rest: list[Filed] = []
        self._known: dict[str, tuple[TrieNode, ...]] = {}
        for segment, nodes in magic.items():
            head, tail = segment.prefix, segment.suffix
            gram = min(_held(segment.items), key=grams.__getitem__, default="")
            # A one-sided segment is `text*` or `*text`. It is always filed under that text, since
            # none of its substrings is rarer, so that finding it is already the match.
            filed = None if segment.one_sided else segment.matches, nodes
            if head and heads[head] <= min(tails[tail] if tail else _MANY, grams[gram] or _MANY):
                self._heads.setdefault(len(head), {}).setdefault(head, []).append(filed)
            elif tail and tails[tail] <= (grams[gram] or _MANY):
                self._tails.setdefault(len(tail), {}).setdefault(tail, []).append(filed)
            elif gram:
                self._grams.setdefault(gram, []).append(filed)
            else:
                self._rest.append(filed)

    def leading(self, name: str) -> "Sequence[TrieNode]":
        """Return the nodes to which the segments that match `name` lead.

        Results are cached, since names repeat in a tree.
        """
        known = self._known.get(name)
        if known is None:
            known = tuple(self._asked(name))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = known
        return known

    def _asked(self, name: str) -> "Iterator[TrieNode]":
        """Compute the result of `leading`, without using its cache."""
        for filed in self._candidates(name):
            for matches, nodes in filed:
                if matches is None or matches(name):
                    yield from nodes

    def _candidates(self, name: str) -> Iterator[Sequence[Filed]]:
        """Yield, in groups, the segments that may match `name`: those whose index text it has.

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
    """A node of the finished trie: the patterns that end here, and the nodes that a name leads to.

    `ends` are patterns that match the path so far, `tails` those that match every path below. A
    walk visits many nodes, so most of its cost is memory access. To keep nodes small, empty fields
    share one empty value, and fields that only the construction needs are in `Branch`.
    """

    __slots__ = ("always", "ends", "few", "table", "tails", "ways")

    def __init__(self) -> None:
        self.ends: tuple[int, ...] = ()
        self.tails: tuple[int, ...] = ()
        self.always: tuple[TrieNode, ...] = ()
        self.ways: Mapping[str, tuple[TrieNode, ...]] | None = None
        self.few: tuple[SegmentTest, ...] = ()
        self.table: WildcardTable | None = None

    def reached(self, name: str) -> Iterator["TrieNode"]:
        """Yield the nodes that the segment `name` of a path leads to from this node."""
        yield from self.always
        if self.ways is not None:
            yield from self.ways.get(name, ())
        for matches, nodes in self.few:
            if matches(name):
                yield from nodes
        if self.table is not None:
            yield from self.table.leading(name)


class Branch:
    """A node of the trie under construction. `seal` makes it a TrieNode.

    `globstar` is the node of a `**` that begins at this node. `loops`: the node belongs to a `**`,
    so that every name leads back to the node.
    """

    __slots__ = (*("anything", "ends", "globstar", "loops"), *("magic", "names", "node", "tails"))

    def __init__(self, *, loops: bool = False) -> None:
        self.node = TrieNode()
        self.loops = loops
        self.names: dict[str, Branch] = {}
        self.magic: dict[Segment, Branch] = {}
        self.anything: Branch | None = None
        self.globstar: Branch | None = None
        self.ends: list[int] = []
        self.tails: list[int] = []

    def entered(self) -> tuple[TrieNode, ...]:
        """Return the nodes to visit on entering this branch: its own, and that of its `**` if any.

        A `**` may match no segment, so both are entered at once.
        """
        return (self.node,) if self.globstar is None else (self.node, self.globstar.node)

    def seal(self) -> "list[Branch]":
        """Fill in this branch's TrieNode. Return the children, which must be sealed too."""
        node = self.node
        node.ends, node.tails = tuple(self.ends), tuple(self.tails)
        anything = () if self.anything is None else self.anything.entered()
        node.always = (node, *anything) if self.loops else anything
        if self.names:
            node.ways = {name: child.entered() for name, child in self.names.items()}
        magic = {segment: child.entered() for segment, child in self.magic.items()}
        if len(magic) <= _FEW:
            node.few = tuple((segment.matches, nodes) for segment, nodes in magic.items())
        else:
            node.table = WildcardTable(magic)
        return [
            child
            for child in (*self.names.values(), *self.magic.values(), self.anything, self.globstar)
            if child is not None
        ]


class DirectoryState:
    """The state of a walk through the trie at a directory: the tests for names of files in it.

    `given` are the numbers of the patterns that match every file directly in the directory.
    """

    __slots__ = ("few", "given", "tables", "ways")

    def __init__(self, given: set[int], nodes: Sequence[TrieNode]) -> None:
        given.update(*[node.tails for node in nodes])
        given.update(*[reached.ends for node in nodes for reached in node.always])
        self.given = frozenset(given)
        self.ways = [node.ways for node in nodes if node.ways is not None]
        self.few = [asked for node in nodes for asked in node.few]
        self.tables = [node.table for node in nodes if node.table is not None]

    @property
    def weight(self) -> int:
        """The memory that this state takes, as a number of entries."""
        return 1 + len(self.given) + len(self.ways) + len(self.few) + len(self.tables)

    def matching(self, name: str) -> set[int]:
        """Return the numbers of the patterns that match the file `name` in this directory."""
        found = set(self.given)
        for ways in self.ways:
            for node in ways.get(name, ()):
                found.update(node.ends)
        for matches, nodes in self.few:
            if matches(name):
                found.update(*[node.ends for node in nodes])
        for table in self.tables:
            found.update(*[node.ends for node in table.leading(name)])
        return found


class Trie:
    """Finds the patterns that match a path. `rows` are alternatives, with their pattern's number.

    Many paths share a directory, so the state of the walk at each directory is cached.
    """

    __slots__ = ("_entered", "_states", "_weight")

    def __init__(self, rows: Iterable[tuple[int, PatternRow]]) -> None:
        root = Branch()
        for number, row in rows:
            _add(root, number, row)
        self._entered = root.entered()
        self._states: dict[tuple[str, ...], DirectoryState] = {}
        self._weight = 0
        todo = [root]
        while todo:
            todo += todo.pop().seal()

    def matching(self, names: Sequence[str]) -> frozenset[int]:
        """Return the numbers of the patterns that match a path, given as its segments."""
        *above, name = names
        directory = tuple(above)
        state = self._states.get(directory)
        if state is None:
            state = self._states[directory] = self._walked(above)
            self._weight += state.weight
            if self._weight > _HEAVIEST:
                self._states, self._weight = {}, 0
        return frozenset(state.matching(name))

    def _walked(self, above: Iterable[str]) -> DirectoryState:
        """Walk through the trie along the segments of a directory. Return the state there."""
        found: set[int] = set()
        active: Sequence[TrieNode] = self._entered
        for name in above:
            found.update(*[node.tails for node in active if node.tails])
            reached = [there for node in active for there in node.reached(name)]
            # Several ways may lead to one node. Keep it once, or the walk would not be linear.
            active = list(dict.fromkeys(reached)) if len(reached) > _FEW else reached
        return DirectoryState(found, active)


def _add(branch: Branch, number: int, row: PatternRow) -> None:
    """Add one alternative of the pattern `number` to the trie below `branch`.

    A `**` at the end of the alternative is a tail: it matches everything below.
    """
    for at, segment in enumerate(row):
        if segment is None and at == len(row) - 1:
            branch.tails.append(number)
            return
        branch = _child(branch, segment)
    branch.ends.append(number)


def _child(branch: Branch, segment: Segment | None) -> Branch:
    """Return the child of `branch` for a segment. Create it if there is none."""
    if segment is None:
        if branch.globstar is None:
            branch.globstar = Branch(loops=True)
        return branch.globstar
    if segment.literal is not None:
        return branch.names.setdefault(segment.literal, Branch())
    if not segment.anything:
        return branch.magic.setdefault(segment, Branch())
    if branch.anything is None:
        branch.anything = Branch()
    return branch.anything


def _grams(name: str) -> set[str]:
    return {name[at : at + _GRAM] for at in range(len(name) - _GRAM + 1)}


def _held(items: Items) -> set[str]:
    """Return the three-character texts in the literal parts of `items`.

    Every name that matches `items` contains them.
    """
    runs = "".join(item if isinstance(item, str) else "/" for item in items).split("/")
    return {gram for run in runs for gram in _grams(run)}
