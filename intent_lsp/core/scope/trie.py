"""A trie over the segments of many patterns: which of them match a path.

Invariant: what the trie says is what each pattern says on its own.
Invariant: a walk looks at no pattern that a path's segments do not lead to: names are looked up,
wildcards are filed under a piece of text that a name must hold.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from intent_lsp.core.scope.language import Items
from intent_lsp.core.scope.rows import Row
from intent_lsp.core.scope.segment import Segment

_GRAM = 3
_MANY = 1 << 30
_MOST_KNOWN = 4_096
_FEW = 6

Filed = tuple[Callable[[str], object] | None, "tuple[Node, ...]"]


class Node:
    """A place in the trie; `globstar` is where a `**` from here leads, and stays.

    While it is built it has children; sealed, it knows for each name where that leads: to a child
    and to where a `**` of that child begins, which may stand for no segment at all.
    """

    __slots__ = (
        *("always", "anything", "ends", "globstar", "loops"),
        *("magic", "names", "table", "tails", "ways"),
    )

    def __init__(self, *, loops: bool = False) -> None:
        self.loops = loops
        self.names: dict[str, Node] = {}
        self.magic: dict[Segment, Node] = {}
        self.anything: Node | None = None
        self.globstar: Node | None = None
        self.ends: list[int] = []
        self.tails: list[int] = []
        self.ways: dict[str, tuple[Node, ...]] = {}
        self.always: tuple[Node, ...] = ()
        self.table: Table | None = None

    def entered(self) -> "tuple[Node, ...]":
        """Give the nodes that are reached when this one is."""
        return (self,) if self.globstar is None else (self, self.globstar)

    def seal(self) -> "list[Node]":
        """Note where each name leads; give the children, which are to be sealed, too."""
        self.ways = {name: child.entered() for name, child in self.names.items()}
        anything = () if self.anything is None else self.anything.entered()
        self.always = (self, *anything) if self.loops else anything
        if self.magic:
            self.table = Table(self.magic)
        return [
            child
            for child in (*self.names.values(), *self.magic.values(), self.anything, self.globstar)
            if child is not None
        ]


class Trie:
    """Rows of patterns, each filed under its pattern's number."""

    __slots__ = ("_root",)

    def __init__(self, rows: Iterable[tuple[int, Row]]) -> None:
        self._root = Node()
        for number, row in rows:
            _add(self._root, number, row)
        todo = [self._root]
        while todo:
            todo += todo.pop().seal()

    def matching(self, names: Sequence[str]) -> set[int]:
        """Give the numbers of the patterns that match the path of these segments."""
        found: set[int] = set()
        active: Sequence[Node] = self._root.entered()
        for name in names:
            reached: list[Node] = []
            for node in active:
                if node.tails:
                    found.update(node.tails)
                if node.always:
                    reached += node.always
                ways = node.ways.get(name)
                if ways is not None:
                    reached += ways
                if node.table is not None:
                    reached += node.table.leading(name)
            if not reached:
                return found
            # The same node by several ways: once is enough, and keeps the walk linear.
            active = list(dict.fromkeys(reached)) if len(reached) > _FEW else reached
        found.update(*[node.ends for node in active])
        return found


class Table:
    """Wildcard segments of one node, each filed where the fewest others are."""

    __slots__ = ("_grams", "_heads", "_known", "_rest", "_tails")

    def __init__(self, magic: Mapping[Segment, Node]) -> None:
        heads = Counter(segment.prefix for segment in magic)
        tails = Counter(segment.suffix for segment in magic)
        grams = Counter(gram for segment in magic for gram in _held(segment.items))
        self._heads: dict[int, dict[str, list[Filed]]] = {}
        self._tails: dict[int, dict[str, list[Filed]]] = {}
        self._grams: dict[str, list[Filed]] = {}
        self._rest: list[Filed] = []
        self._known: dict[str, tuple[Node, ...]] = {}
        for segment, node in magic.items():
            head, tail = segment.prefix, segment.suffix
            gram = min(_held(segment.items), key=grams.__getitem__, default="")
            filed = None if segment.one_sided else segment.matches, node.entered()
            if head and heads[head] <= min(tails[tail] if tail else _MANY, grams[gram] or _MANY):
                self._heads.setdefault(len(head), {}).setdefault(head, []).append(filed)
            elif tail and tails[tail] <= (grams[gram] or _MANY):
                self._tails.setdefault(len(tail), {}).setdefault(tail, []).append(filed)
            elif gram:
                self._grams.setdefault(gram, []).append(filed)
            else:
                self._rest.append(filed)

    def leading(self, name: str) -> Sequence[Node]:
        """Give the nodes whose segments match `name`; names of directories come again and again."""
        known = self._known.get(name)
        if known is None:
            known = tuple(self._asked(name))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = known
        return known

    def _asked(self, name: str) -> Iterator[Node]:
        for filed in self._candidates(name):
            for matches, nodes in filed:
                if matches is None or matches(name):
                    yield from nodes

    def _candidates(self, name: str) -> Sequence[Sequence[Filed]]:
        heads = [filed.get(name[:size]) for size, filed in self._heads.items()]
        tails = [filed.get(name[-size:]) for size, filed in self._tails.items()]
        grams: list[list[Filed] | None] = []
        if self._grams:
            grams = [self._grams[gram] for gram in self._grams.keys() & _grams(name)]
        return [filed for filed in (*heads, *tails, *grams, self._rest) if filed]


def _grams(name: str) -> set[str]:
    return {name[at : at + _GRAM] for at in range(len(name) - _GRAM + 1)}


def _held(items: Items) -> set[str]:
    """Give all short texts that a name must hold to match."""
    runs = "".join(item if isinstance(item, str) else "/" for item in items).split("/")
    return {gram for run in runs for gram in _grams(run)}


def _add(node: Node, number: int, row: Row) -> None:
    for at, segment in enumerate(row):
        if segment is None and at == len(row) - 1:
            node.tails.append(number)
            return
        node = _child(node, segment)
    node.ends.append(number)


def _child(node: Node, segment: Segment | None) -> Node:
    if segment is None:
        if node.globstar is None:
            node.globstar = Node(loops=True)
        return node.globstar
    if segment.literal is not None:
        return node.names.setdefault(segment.literal, Node())
    if not segment.anything:
        return node.magic.setdefault(segment, Node())
    if node.anything is None:
        node.anything = Node()
    return node.anything
