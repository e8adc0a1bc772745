"""The definitions that a change touched, found from the ranges of its record.

Specified in ledger section 6.

Invariant: if every line of a definition is new, that definition is named, and the definitions
inside it are not. Of other touched definitions, the innermost are named, and an outer one only if
one of its own lines was touched.
Invariant: blank lines of the new content do not count.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from intent_lsp.core.content import FileContent
from intent_lsp.core.records import Range
from intent_lsp.formats.syntax.languages import Late, in_time
from intent_lsp.formats.syntax.outline import Definition, TreeOf, outlined_tree


def touched_definitions(
    path: str,
    content: FileContent,
    changed: Iterable[Range],
    late: Late = in_time,
    tree_of: TreeOf = outlined_tree,
) -> tuple[str, ...]:
    """Return the names of the definitions in a file's new content that a change touched, each once.

    Definitions inside one whose lines are all new are left out, and so is one of which only inner
    definitions changed. `changed` are the ranges of the change's record. The names are in text
    order; there are none if the file cannot be parsed. `late` returns True once the caller has no
    more time; `tree_of` parses the content.
    """
    found = tree_of(path, content, late)
    definitions = () if found is None else found.definitions
    if not definitions:
        return ()
    filled = [bool(line.strip()) for line in content.lines or ()]
    return tuple(dict.fromkeys(_touched(definitions, filled, tuple(changed))))


class _Lines:
    """Running totals over a file's lines: lines that are not blank, new lines, and removals.

    `filled` says for each line whether it is not blank. A removal of lines is counted at the line
    above it, and one at the start of the file not at all.
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
        """Return whether all lines of a definition, apart from blank lines, are new."""
        first, last = self._within(each)
        new = self._new[last] - self._new[first]
        return 0 < new == self._filled[last] - self._filled[first]

    def touched(self, each: Definition) -> int:
        """Return the number of changes in a definition.

        These are its new lines, and the places inside it where lines were removed.
        """
        first, last = self._within(each)
        return self._new[last] - self._new[first] + self._gone[last - 1] - self._gone[first]

    def _within(self, each: Definition) -> tuple[int, int]:
        """Return the index of a definition's first line, and the index after its last line."""
        last = min(each.last_line, len(self._filled) - 1)
        return min(each.first_line - 1, last - 1), last


def _touched(
    definitions: Sequence[Definition], filled: Sequence[bool], changed: Iterable[Range]
) -> Iterator[str]:
    """Yield the names of definitions that are new, or changed outside of those inside them.

    A definition inside a new one is left out. `filled` says for each line whether it is not blank.
    """
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
    """Return, for each definition, the number of changes in it that are in no inner definition."""
    own = [lines.touched(each) for each in definitions]
    around: list[int] = []
    for number, each in enumerate(definitions):
        del around[each.depth :]
        if around:
            own[around[-1]] -= lines.touched(each)
        around.append(number)
    return own


def _sums(marks: Iterable[bool]) -> list[int]:
    """Return the running totals of `marks`: the first is 0, and each True adds 1."""
    return list(accumulate(marks, initial=0))
