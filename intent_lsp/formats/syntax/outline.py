"""The outline of a source file: its definitions, their fingerprint, and those a change touched.

Specified in ledger section 6.

Invariant: any content has an outline. It is empty for what cannot be parsed, and partial for broken
code.
Invariant: layout and comments do not change the fingerprint, except inside of names.
Invariant: if every line of a definition is new, that definition is touched, and the definitions
inside it are not. Any other definition is touched if a line of it is new, or lines of it were
removed, outside of the definitions inside it. Blank lines of the new content do not count.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from tree_sitter import Node

from intent_lsp.core.content import FileContent, hash_content
from intent_lsp.core.records import AstFingerprint, Range
from intent_lsp.formats.syntax.definition_nodes import (
    CONTAINERS,
    DEEPEST,
    HELD_WITH,
    LISTS,
    defines,
    definition_name,
    kinds_of,
)
from intent_lsp.formats.syntax.languages import (
    MAX_DEPTH,
    Late,
    SyntaxTree,
    captured,
    in_time,
    language_of,
    parse,
)

MAX_NAMED: Final = 400
"""The most characters of a qualified name. The start of a longer one is cut off."""


class Definition(Struct, frozen=True, kw_only=True):
    """One definition in a source file, such as a class or function (`kind`).

    `name` is qualified (`Class.method`). `depth` is the number of definitions around this one.
    Lines count from 1, and `last_line` is included. Decorators and an `export` around the
    definition belong to it.
    """

    kind: str
    name: str
    depth: int
    first_line: int
    last_line: int


class OutlinedTree(Struct, frozen=True, kw_only=True):
    """A syntax tree and its definitions, in text order."""

    tree: SyntaxTree
    definitions: tuple[Definition, ...]


TreeOf: TypeAlias = Callable[[str, FileContent, Late], OutlinedTree | None]
"""Parses a file, given path, content and `late`, with the same result as `outlined_tree`."""


PARSER: Final = "tree-sitter"


def outlined_tree(path: str, content: FileContent, late: Late = in_time) -> OutlinedTree | None:
    """Return the syntax tree of a file's content with its definitions.

    Return None if the language is unknown, its grammar is not installed, or the content cannot be
    parsed. The content cannot be parsed if it is not text, contains NUL, is over 1 MiB, is YAML
    nested too deep, or takes too many steps or too long. `late` returns True once the caller has no
    more time.
    """
    language = language_of(path)
    tree = None if language is None else parse(language, content, late)
    found = None if tree is None else _definitions(tree, late)
    if tree is None or found is None:
        return None
    return OutlinedTree(tree=tree, definitions=found)


def outline(path: str, content: FileContent, late: Late = in_time) -> tuple[Definition, ...]:
    """Return the definitions of a file in text order; empty if it cannot be parsed in time."""
    found = outlined_tree(path, content, late)
    return () if found is None else found.definitions


def innermost(found: Iterable[Definition]) -> Iterator[Definition]:
    """Yield, in order, the definitions that contain no other of `found`, which is in text order."""
    before: Definition | None = None
    for each in found:
        if before is not None and each.depth <= before.depth:
            yield before
        before = each
    if before is not None:
        yield before


def file_fingerprint(
    path: str, content: FileContent, late: Late = in_time, tree_of: TreeOf = outlined_tree
) -> AstFingerprint | None:
    """Return the AST fingerprint of a file's content, or None if it cannot be parsed in time.

    The fingerprint is specified in ledger section 1. `late` returns True once the caller has no
    more time. `tree_of` parses the content; a caller may pass a function with a cache.
    """
    found = tree_of(path, content, late)
    return None if found is None else tree_fingerprint(found)


def tree_fingerprint(outlined: OutlinedTree) -> AstFingerprint:
    """Return the fingerprint: a hash of the depth, kind and name of each definition, in order."""
    told = [f"{each.depth}\t{each.kind}\t{each.name}\n" for each in outlined.definitions]
    summary = hash_content("".join(told).encode("utf-8", "surrogatepass"))
    return AstFingerprint(parser=PARSER, language=outlined.tree.language, summary_hash=summary)


def _definitions(tree: SyntaxTree, late: Late) -> tuple[Definition, ...] | None:
    """Return the definitions of a tree in text order, or None if `late` returned True meanwhile."""
    kinds, found = kinds_of(tree.language), list[Definition]()
    around: list[tuple[int, Definition]] = []
    for node in captured(tree, tuple(kinds), DEEPEST.get(tree.language, MAX_DEPTH)):
        if late():
            return None
        name = definition_name(tree, node) if defines(node) else ""
        if not name:
            continue
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        own = _own(node, kinds[node.type], name)
        found.append(_within(around[-1][1], own) if around else own)
        around.append((node.end_byte, found[-1]))
    return tuple(found)


def _within(outer: Definition, own: Definition) -> Definition:
    """Return `own` as a definition inside `outer`: its name qualified, one level below `outer`.

    A function directly in a class or the like becomes a `method`.
    """
    method = own.kind == "function" and CONTAINERS.fullmatch(outer.kind) is not None
    name = f"{outer.name}.{own.name}"[-MAX_NAMED:]
    return replace(own, kind="method" if method else own.kind, name=name, depth=outer.depth + 1)


def _own(node: Node, kind: str, name: str) -> Definition:
    """Return the definition at a node, as if it were not inside another definition."""
    first, last = _outermost(node), node.end_point
    # A node that ends at column 0 contains nothing of that line.
    end = last.row if last.column == 0 and last.row > node.start_point.row else last.row + 1
    return Definition(
        kind=kind, name=name, depth=0, first_line=first.start_point.row + 1, last_line=end
    )


def _outermost(node: Node) -> Node:
    """Return the outermost node that belongs to a definition.

    This is the definition's node, or a node around it, such as an `export` or one with decorators.
    """
    while (above := node.parent) is not None and HELD_WITH.fullmatch(above.type):
        if above.type in LISTS and len(above.named_children) > 1:
            break
        node = above
    return node


def touched_definitions(
    path: str,
    content: FileContent,
    changed: Iterable[Range],
    late: Late = in_time,
    tree_of: TreeOf = outlined_tree,
) -> tuple[str, ...]:
    """Return the names of the definitions in a file's new content that a change touched, each once.

    If all lines of a definition are new, the definitions inside it are left out. A definition that
    changed only within inner definitions is left out, too. `changed` are the ranges of the change's
    record. The names are in text order; there are none if the file cannot be parsed. `late` returns
    True once the caller has no more time; `tree_of` parses the content.
    """
    found = tree_of(path, content, late)
    definitions = () if found is None else found.definitions
    if not definitions:
        return ()
    filled = [bool(line.strip()) for line in content.lines or ()]
    return tuple(dict.fromkeys(_touched(definitions, filled, tuple(changed))))


class _Lines:
    """Running totals over a file's lines: lines that are not blank, written lines, and removals.

    `filled` says for each line whether it is not blank. Written lines are those that the change
    added or replaced. A removal of lines is counted at the line above the removed lines. Removed
    lines at the start of the file are not counted.
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
    """Yield the names of definitions that are new, or changed outside of their inner definitions.

    A definition is new if all its lines, apart from blank lines, are new; definitions inside a new
    one are left out. `filled` says for each line whether it is not blank. `changed` are the ranges
    of the change's record.
    """
    lines = _Lines(filled, changed)
    own = _own_counts(definitions, lines)
    whole: Definition | None = None
    for each, count in zip(definitions, own, strict=True):
        if whole is not None and each.depth > whole.depth:
            continue
        whole = each if lines.are_new(each) else None
        if whole is not None or count > 0:
            yield each.name


def _own_counts(definitions: Sequence[Definition], lines: _Lines) -> list[int]:
    """Return, for each definition, its changes (`_Lines.touched`) outside of inner definitions."""
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
