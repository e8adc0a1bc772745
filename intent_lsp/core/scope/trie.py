"""A trie over the segments of many patterns: which of them match a path.

Invariant: what the trie says is what each pattern says on its own.
Invariant: a walk looks at no pattern that a path's segments do not lead to: names are looked up,
wildcards are filed under a piece of text that a name must hold.
Invariant: a name is held against no segment whose fixed text it does not hold.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from intent_lsp.core.scope.language import Items
from intent_lsp.core.scope.rows import PatternRow
from intent_lsp.core.scope.segment import Segment

_FEW = 6
_HEAVIEST = 1 << 18
SegmentTest = tuple[Callable[[str], object], "tuple[TrieNode, ...]"]
_GRAM = 3
_MANY = 1 << 30
_MOST_KNOWN = 4_096
T = TypeVar("T")
Filed = tuple[Callable[[str], object] | None, tuple[T, ...]]


class WildcardTable(Generic[T]):
    """Wildcard segments of one node, each filed where the fewest others are."""

    __slots__ = ("_grams", "_heads", "_known", "_rest", "_tails")

    def __init__(self, magic: Mapping[Segment, tuple[T, ...]]) -> None:
        heads = Counter(segment.prefix for segment in magic)
        tails = Counter(segment.suffix for segment in magic)
        grams = Counter(gram for segment in magic for gram in _held(segment.items))
        self._heads: dict[int, dict[str, list[Filed[T]]]] = {}
        self._tails: dict[int, dict[str, list[Filed[T]]]] = {}
        self._grams: dict[str, list[Filed[T]]] = {}
        self._rest: list[Filed[T]] = []
        self._known: dict[str, tuple[T, ...]] = {}
        for segment, nodes in magic.items():
            head, tail = segment.prefix, segment.suffix
            gram = min(_held(segment.items), key=grams.__getitem__, default="")
            filed = None if segment.one_sided else segment.matches, nodes
            if head and heads[head] <= min(tails[tail] if tail else _MANY, grams[gram] or _MANY):
                self._heads.setdefault(len(head), {}).setdefault(head, []).append(filed)
            elif tail and tails[tail] <= (grams[gram] or _MANY):
                self._tails.setdefault(len(tail), {}).setdefault(tail, []).append(filed)
            elif gram:
                self._grams.setdefault(gram, []).append(filed)
            else:
                self._rest.append(filed)

    def leading(self, name: str) -> Sequence[T]:
        """Give what the segments lead to that match `name`; names come again and again."""
        known = self._known.get(name)
        if known is None:
            known = tuple(self._asked(name))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = known
        return known

    def _asked(self, name: str) -> Iterator[T]:
        for filed in self._candidates(name):
            for matches, nodes in filed:
                if matches is None or matches(name):
                    yield from nodes

    def _candidates(self, name: str) -> Iterator[Sequence[Filed[T]]]:
        # No list on the way: most names are asked for once, and nothing is filed under them.
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
    """A place of the trie in a walk: which patterns end here, and where a name leads from here.

    A walk touches many nodes once, so that what it waits for is memory: what is empty is one and
    the same empty value everywhere, and what only building needs is not here.
    """

    __slots__ = ("always", "ends", "few", "table", "tails", "ways")

    def __init__(self) -> None:
        self.ends: tuple[int, ...] = ()
        self.tails: tuple[int, ...] = ()
        self.always: tuple[TrieNode, ...] = ()
        self.ways: Mapping[str, tuple[TrieNode, ...]] | None = None
        self.few: tuple[SegmentTest, ...] = ()
        self.table: WildcardTable[TrieNode] | None = None

    def reached(self, name: str) -> Iterator["TrieNode"]:
        """Give the nodes that a name leads to from here."""
        yield from self.always
        if self.ways is not None:
            yield from self.ways.get(name, ())
        for matches, nodes in self.few:
            if matches(name):
                yield from nodes
        if self.table is not None:
            yield from self.table.leading(name)


class Branch:
    """A place of the trie while it is built; `globstar` is where a `**` from here leads, and stays.

    Sealed, its node knows for each name where that leads: to a child and to where a `**` of that
    child begins, which may stand for no segment at all.
    """

    __slots__ = (
        *("anything", "ends", "globstar", "loops"),
        *("magic", "names", "node", "tails"),
    )

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
        """Give the nodes that are reached when this one is."""
        return (self.node,) if self.globstar is None else (self.node, self.globstar.node)

    def seal(self) -> "list[Branch]":
        """Note where each name leads; give the children, which are to be sealed, too."""
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
    """Where a walk stands that has come to a directory: what is asked of any name in it.

    `given` are the patterns that match every path in it, whatever its name.
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
        """How much of memory it is, in entries."""
        return 1 + len(self.given) + len(self.ways) + len(self.few) + len(self.tables)

    def matching(self, name: str) -> set[int]:
        """Give the numbers of the patterns that match what has this name here."""
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
    """Rows of patterns, each filed under its pattern's number.

    Paths come by the directory: how far a walk has come there is remembered.
    """

    __slots__ = ("_entered", "_rooms", "_weight")

    def __init__(self, rows: Iterable[tuple[int, PatternRow]]) -> None:
        root = Branch()
        for number, row in rows:
            _add(root, number, row)
        self._entered = root.entered()
        self._rooms: dict[tuple[str, ...], DirectoryState] = {}
        self._weight = 0
        todo = [root]
        while todo:
            todo += todo.pop().seal()

    def matching(self, names: Sequence[str]) -> set[int]:
        """Give the numbers of the patterns that match the path of these segments, one or more."""
        *above, name = names
        directory = tuple(above)
        room = self._rooms.get(directory)
        if room is None:
            room = self._rooms[directory] = self._walked(above)
            self._weight += room.weight
            if self._weight > _HEAVIEST:
                self._rooms, self._weight = {}, 0
        return room.matching(name)

    def _walked(self, above: Iterable[str]) -> DirectoryState:
        found: set[int] = set()
        active: Sequence[TrieNode] = self._entered
        for name in above:
            found.update(*[node.tails for node in active if node.tails])
            reached = [there for node in active for there in node.reached(name)]
            # The same node by several ways: once is enough, and keeps the walk linear.
            active = list(dict.fromkeys(reached)) if len(reached) > _FEW else reached
        return DirectoryState(found, active)


def _add(branch: Branch, number: int, row: PatternRow) -> None:
    for at, segment in enumerate(row):
        if segment is None and at == len(row) - 1:
            branch.tails.append(number)
            return
        branch = _child(branch, segment)
    branch.ends.append(number)


def _child(branch: Branch, segment: Segment | None) -> Branch:
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
    """Give all short texts that a name must hold to match."""
    runs = "".join(item if isinstance(item, str) else "/" for item in items).split("/")
    return {gram for run in runs for gram in _grams(run)}
