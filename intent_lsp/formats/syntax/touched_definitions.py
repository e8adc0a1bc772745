"""The definitions that a change touched, by the record's ranges (ledger section 6).

Invariant: a definition of which every line is new stands for all within it; of any other the
innermost is named, and what is around it only where a line of its own was touched.
Invariant: a blank line touches nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.records import Range
from intent_lsp.formats.syntax.languages import Late, in_time
from intent_lsp.formats.syntax.outline import Definition, TreeOf, outlined_tree


def touched_definitions(
    path: str,
    data: bytes,
    changed: Iterable[Range],
    late: Late = in_time,
    tree_of: TreeOf = outlined_tree,
) -> tuple[str, ...]:
    """Name the definitions of a content that the ranges of its record touched, each name once.

    In the order of the text. None where the file has no tree.
    """
    found = tree_of(path, data, late)
    definitions = () if found is None else found.definitions
    text = decode(data) if definitions else None
    if text is None:
        return ()
    filled = [bool(line.strip()) for line in split_lines(text.text)]
    return tuple(dict.fromkeys(_touched(definitions, filled, tuple(changed))))


class _Lines:
    """How many of the first lines are filled, how many of those are new, and where some went.

    A place where lines went is counted with the line above it.
    """

    def __init__(self, filled: Sequence[bool], changed: Iterable[Range]) -> None:
        new, gone = [False] * len(filled), [False] * len(filled)
        for each in changed:
            if each.replaced is None or each.replaced[2]:
                first = max(each.start_line, 1) - 1
                last = max(first, min(each.end_line, len(filled)))
                new[first:last] = filled[first:last]
            elif 1 <= each.start_line <= len(filled) and each.replaced[0] > 1:
                gone[each.start_line - 1] = True
        self._filled = _sums(filled)
        self._new = _sums(new)
        self._gone = _sums(gone)

    def are_new(self, each: Definition) -> bool:
        """Whether a definition has nothing but new lines, blank ones not asked."""
        first, last = self._within(each)
        new = self._new[last] - self._new[first]
        return 0 < new == self._filled[last] - self._filled[first]

    def touched(self, each: Definition) -> int:
        """Count the new lines of a definition, and the places between its lines where some went."""
        first, last = self._within(each)
        return self._new[last] - self._new[first] + self._gone[last - 1] - self._gone[first]

    def _within(self, each: Definition) -> tuple[int, int]:
        last = min(each.last_line, len(self._filled) - 1)
        return min(each.first_line - 1, last - 1), last


def _touched(
    definitions: Sequence[Definition], filled: Sequence[bool], changed: Iterable[Range]
) -> Iterator[str]:
    lines = _Lines(filled, changed)
    own = _own(definitions, lines)
    whole: Definition | None = None
    for each, count in zip(definitions, own, strict=True):
        if whole is not None and each.depth > whole.depth:
            continue
        whole = each if lines.are_new(each) else None
        if whole is not None or count > 0:
            yield each.name


def _own(definitions: Sequence[Definition], lines: _Lines) -> list[int]:
    """Count for each definition what was touched in it, and in none within it."""
    own = [lines.touched(each) for each in definitions]
    around: list[int] = []
    for number, each in enumerate(definitions):
        del around[each.depth :]
        if around:
            own[around[-1]] -= lines.touched(each)
        around.append(number)
    return own


def _sums(marks: Iterable[bool]) -> list[int]:
    return list(accumulate(marks, initial=0))
