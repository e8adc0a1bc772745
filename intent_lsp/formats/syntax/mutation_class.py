"""Classification of an edit by its two texts: refactoring, documentation, evolution and so on.

Specified in requirements section 9.

Invariant: a bug fix is never guessed. An edit that cannot be shown to be of a smaller class is an
evolution of the intent or, in a configuration file, a configuration.
Invariant: the comparison of two trees is iterative, and goes only into nodes whose texts differ.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct, field
from tree_sitter import Node

from intent_lsp.core.content import FileContent
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.core.records import AstFingerprint, MutationClass
from intent_lsp.formats.syntax.definition_nodes import HELD_WITH, LISTS, defines, kinds_of
from intent_lsp.formats.syntax.languages import FileKind, Late, SyntaxTree, in_time, kind_of
from intent_lsp.formats.syntax.outline import (
    OutlinedTree,
    TreeOf,
    file_fingerprint,
    outlined_tree,
    tree_fingerprint,
)
from intent_lsp.formats.syntax.renames import consistent, is_identifier

_Pairs: TypeAlias = Iterator[tuple[Node, Node]]
_Parts: TypeAlias = tuple[list[Node], list[Node], list[bytes]]
"""Children of a node: those whose order matters, those that may move, and comments as text."""


class TreeChange(Struct):
    """The difference between an old and a new syntax tree.

    `alike`: they differ only by names, order, comments, docstrings and layout, such as quotes and
    needless parentheses. If not, the other fields are incomplete. `moved`: definitions or
    imports changed their order. `prose`: comments or docstrings changed. `renamed` maps each pair
    (old name, new name) to the nodes with the old name in the old tree.
    """

    alike: bool = True
    moved: bool = False
    prose: bool = False
    renamed: dict[tuple[bytes, bytes], list[Node]] = field(default_factory=dict)


_COMMENTS: Final = ("comment", "marginalia")
_LEADING: Final = (*_COMMENTS, "attribute_item")

_DIRECTIVE: Final = re.compile(
    rb"#!|//go:|// ?\+build|# ?(?:type|mypy|ruff|pylint|pyright|isort|fmt|pragma):|# ?noqa"
    rb"|# -\*-|# ?shellcheck |# ?frozen_string_literal:|# ?rubocop:|(?://|/\*) ?(?:@ts-|eslint-"
    rb"|prettier-|istanbul |biome-|tslint:|NOLINT|clang-format)|/// ?<reference|//\#"
)
"""Comments that a tool or compiler reads, such as `# type:`. They count as code."""

_DEPENDS: Final = re.compile(rb"[\"'`\\$]|#\{")
"""Characters that make a string's meaning depend on its quotes: escapes and interpolation."""

_QUOTES: Final = (b'"', b"'")
_DOCUMENTED: Final = re.compile(r" module|(?:class|function)_definition block")
_IMPORTS: Final = re.compile(
    "import(?:_.*)?|use_declaration|using_directive|namespace_use_declaration|preproc_include"
)
_LOOPS: Final = re.compile("(?:c_style_)?for_statement")
_OPENINGS: Final = ("(", "((")

_ORDERED: Final = ("css", "html", "json", "markdown", "sql", "toml", "yaml")
"""Languages in which the order of definitions changes the meaning."""


def inferred_change(
    path: str,
    before: FileContent,
    after: FileContent,
    late: Late = in_time,
    tree_of: TreeOf = outlined_tree,
) -> tuple[MutationClass, AstFingerprint | None]:
    """Return the class of an edit of a file, and the AST fingerprint of the content after the edit.

    The fingerprint is None if the file is gone or its content cannot be parsed in time. `late`
    returns True once the caller has no more time; an edit of code that was not compared by then
    is an INTENT_EVOLUTION. `tree_of` parses both contents.
    """
    if before.absent or after.absent:
        gone = after.absent and not before.absent
        kind = MutationClass.FILE_DELETION if gone else MutationClass.FILE_CREATION
        return kind, None if after.absent else file_fingerprint(path, after, late, tree_of)
    of = kind_of(path)
    # Ask for the old tree first: it may be cached, and the new one could push it out.
    old = None if of is FileKind.PROSE else tree_of(path, before, late)
    new = tree_of(path, after, late)
    fingerprint = None if new is None else tree_fingerprint(new)
    if of is FileKind.PROSE:
        return MutationClass.DOCUMENTATION, fingerprint
    if of is FileKind.CONFIGURATION and new is None:
        return _of_settings(before, after), None
    return _of_trees(of, old, new, late), fingerprint


def _of_trees(
    of: FileKind, old: OutlinedTree | None, new: OutlinedTree | None, late: Late
) -> MutationClass:
    """Return the class of an edit of a file by comparing the file's two trees.

    `of` is the kind of the file. A tree is None if the content could not be parsed. `late` returns
    True once the caller has no more time.
    """
    settings = of is FileKind.CONFIGURATION
    otherwise = MutationClass.CONFIGURATION if settings else MutationClass.INTENT_EVOLUTION
    change = None if old is None or new is None else tree_change(old.tree, new.tree, late)
    if old is None or change is None or not change.alike:
        return otherwise
    if change.prose and not change.renamed and not change.moved:
        return MutationClass.DOCUMENTATION
    same = not settings and consistent(old.tree, change.renamed)
    return MutationClass.AST_REFACTOR if same else otherwise


def _of_settings(before: FileContent, after: FileContent) -> MutationClass:
    """Return DOCUMENTATION if only `#` comments and white space around lines differ.

    Else return CONFIGURATION. The contents are those of a file without syntax trees.
    """
    old, new = _without_comments(before), _without_comments(after)
    same = before.data != after.data and old is not None and old == new
    return MutationClass.DOCUMENTATION if same else MutationClass.CONFIGURATION


def _without_comments(content: FileContent) -> list[str] | None:
    """Return the stripped lines that are neither blank nor `#` comments; None if not text."""
    if content.lines is None:
        return None
    lines = map(str.strip, content.lines)
    return [line for line in lines if line and not line.startswith("#")]


def tree_change(old: SyntaxTree, new: SyntaxTree, late: Late) -> TreeChange:
    """Return the difference between two syntax trees.

    They also count as not alike if `late` returns True, which means that time ran out.
    """
    change = TreeChange()
    pairs = [(old.root, new.root)]
    while pairs and change.alike:
        one, other = pairs.pop()
        if late() or one.type != other.type or one.is_error:
            change.alike = False
        elif old.text(one) != new.text(other):
            pairs += _below(old, new, one, other, change)
    return change


def _below(old: SyntaxTree, new: SyntaxTree, one: Node, other: Node, change: TreeChange) -> _Pairs:
    """Compare two nodes whose texts differ, `one` of the old tree and `other` of the new tree.

    Note differences in `change`. Yield the pairs of their children that must still be compared.
    """
    before, after = old.text(one), new.text(other)
    if _same_words(one, before, after):
        return
    if not one.child_count or not other.child_count:
        change.alike = bool(before and after) and is_identifier(one) and is_identifier(other)
        change.renamed.setdefault((before, after), []).append(one)
        return
    middle, middle_now = _middle(old, new, one, other)
    fixed, movable, prose = _parts(old, one, middle)
    fixed_now, movable_now, prose_now = _parts(new, other, middle_now)
    change.prose |= prose != prose_now
    change.alike = len(fixed) == len(fixed_now) and len(movable) == len(movable_now)
    if change.alike:
        yield from zip(fixed, fixed_now, strict=True)
        yield from _matched(old, movable, new, movable_now, change)


def _same_words(node: Node, old: bytes, new: bytes) -> bool:
    """Return whether a node's two texts differ only by quotes or by white space without effect."""
    if node.type in ("jsx_text", "text"):
        return old.split() == new.split()
    quoted = "string" in node.type and old[:1] in _QUOTES and new[:1] in _QUOTES
    # With escapes or interpolation, the same text means something else in the other quotes.
    return quoted and old[1:-1] == new[1:-1] and not _DEPENDS.search(old[1:-1])


def _middle(old: SyntaxTree, new: SyntaxTree, one: Node, other: Node) -> list[Sequence[Node]]:
    """Return the children of `one` (old tree) and of `other` (new tree), as two sequences.

    Equal children at the start and the end are left out, except for those beside the differences:
    the comments and attributes directly before the first difference, one child before these, and
    one child after the last difference. Punctuation and attributes are judged by them.
    """
    before = [(each.type, old.text(each)) for each in one.children]
    after = [(each.type, new.text(each)) for each in other.children]
    head = common_head(before, after)
    tail = max(0, common_tail(before, after, head) - 1)
    while head and before[head - 1][0].endswith(_LEADING):
        head -= 1
    head = max(0, head - 1)
    return [one.children[head : len(before) - tail], other.children[head : len(after) - tail]]


def _matched(
    old: SyntaxTree, was: list[Node], new: SyntaxTree, now: list[Node], change: TreeChange
) -> _Pairs:
    """Match nodes with equal texts. Return the other nodes as pairs (old, new), in text order.

    `was` are the movable nodes of the tree `old`, and `now` those of the tree `new`; the two lists
    have the same length. Set `change.moved` if the matched nodes are in another order.
    """
    known, places, left = defaultdict[bytes, list[Node]](list), list[int](), list[Node]()
    for node in reversed(now):
        known[new.text(node)].append(node)
    for node in was:
        same = known[old.text(node)]
        if same:
            places.append(same.pop().start_byte)
        else:
            left.append(node)
    change.moved |= places != sorted(places)
    rest = (node for nodes in known.values() for node in nodes)
    return zip(left, sorted(rest, key=lambda node: node.start_byte), strict=True)


def _parts(tree: SyntaxTree, above: Node, children: Sequence[Node]) -> _Parts:
    """Return three lists of `children`, which are some of the children of the node `above`.

    They are: children whose order matters, children that may move, and comments as text. Docstrings
    count as comments. Children that are only layout are left out. A comment that a tool reads, such
    as `# noqa`, counts as code.
    """
    fixed, movable, prose = list[Node](), list[Node](), list[bytes]()
    doc, attributed = _docstring(tree, above), False
    for child, after in zip(children, [*children[1:], None], strict=True):
        words = b"" if child != doc and not child.type.endswith(_COMMENTS) else tree.text(child)
        if words and not _DIRECTIVE.match(words):
            prose.append(b" ".join(words.split()))
        elif not _is_layout(above, child, after):
            # In Rust, an attribute belongs to the item after it, so the two must not be parted.
            moves = not attributed and _is_movable(tree, above, child)
            (movable if moves else fixed).append(_bare(child))
            attributed = child.type == "attribute_item"
    return fixed, movable, prose


def _docstring(tree: SyntaxTree, node: Node) -> Node | None:
    """Return the docstring node of a Python module, class or function, or None if it has none."""
    above = "" if node.parent is None else node.parent.type
    if tree.language != "python" or not _DOCUMENTED.fullmatch(f"{above} {node.type}"):
        return None
    first = next((child for child in node.children if not child.type.endswith(_COMMENTS)), None)
    only = [] if first is None else [each.type for each in first.named_children]
    return first if only == ["string"] else None


def _is_layout(above: Node, node: Node, after: Node | None) -> bool:
    """Return whether a token has no meaning: `;`, line end, trailing comma, brackets of an import.

    `above` is the parent of `node`. `after` is the node that follows it, or None if it is the last.
    The `;` between the parts of a loop's head has a meaning, and so has the comma in `a[1,]`.
    """
    if node.type == ",":
        closes = after is not None and after.type in (")", "]", "}", ">")
        return closes and above.type != "subscript"
    if node.type in ("(", ")"):
        return above.type == "import_from_statement"
    if node.type == ";" and _LOOPS.fullmatch(above.type):
        return all(child.type not in _OPENINGS for child in above.children)
    return node.type in (";", "\n")


def _bare(node: Node) -> Node:
    """Return an expression without the parentheses around it."""
    while node.type == "parenthesized_expression":
        inner = node.named_children
        if len(inner) != 1 or inner[0].type.endswith(_COMMENTS):
            break
        node = inner[0]
    return node


def _is_movable(tree: SyntaxTree, above: Node, node: Node) -> bool:
    """Return whether a node, a child of `above`, means the same anywhere among its siblings."""
    if above.type == "import_from_statement":
        return node in above.children_by_field_name("name")
    if _IMPORTS.fullmatch(node.type) or (node.is_named and above.type == "use_list"):
        return True
    kinds = {} if tree.language in _ORDERED else kinds_of(tree.language)
    while node.type not in kinds or not defines(node):
        inner = node.named_children
        held = HELD_WITH.fullmatch(node.type) and inner
        if not held or (node.type in LISTS and len(inner) > 1):
            return False
        node = inner[-1]
    return True
