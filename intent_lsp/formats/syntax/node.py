"""A syntax tree and its nodes, as any grammar gives them.

Invariant: what is named here is all that is asked; the grammars' own types load with the grammars.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Point(NamedTuple):
    """A place in a text; both count from 0, the column in bytes."""

    row: int
    column: int


class TreeCursor(Protocol):
    """A place among the children of a node."""

    @property
    def node(self) -> "SyntaxNode | None":
        """The node that it is at."""

    @property
    def field_name(self) -> str | None:
        """What part in the rule that node has."""

    def goto_first_child(self) -> bool:
        """Go down; false: there is nothing below."""

    def goto_next_sibling(self) -> bool:
        """Go on; false: there is no more."""


class SyntaxNode(Protocol):
    """What is asked of a node."""

    @property
    def type(self) -> str:
        """The name of the grammar's rule, or the sign itself."""

    @property
    def text(self) -> bytes | None:
        """The bytes as they were typed."""

    @property
    def is_named(self) -> bool:
        """Whether it is more than a sign."""

    @property
    def has_error(self) -> bool:
        """Whether there is broken code in it."""

    @property
    def start_byte(self) -> int:
        """Where it begins."""

    @property
    def end_byte(self) -> int:
        """Where it ends."""

    @property
    def start_point(self) -> Point:
        """The place where it begins."""

    @property
    def end_point(self) -> Point:
        """The place where it ends."""

    @property
    def parent(self) -> "SyntaxNode | None":
        """What it is part of."""

    @property
    def child_count(self) -> int:
        """How many parts it has."""

    @property
    def children(self) -> Sequence["SyntaxNode"]:
        """All below it, in order."""

    @property
    def named_children(self) -> Sequence["SyntaxNode"]:
        """Those of them that are more than a sign."""

    def walk(self) -> TreeCursor:
        """Begin a walk at this node."""

    def child_by_field_name(self, name: str, /) -> "SyntaxNode | None":
        """Give the first with a part in the rule."""

    def field_name_for_child(self, child_index: int, /) -> str | None:
        """Tell what part in the rule the child at a place has."""

    def children_by_field_name(self, name: str, /) -> Sequence["SyntaxNode"]:
        """Give those with a part in the rule."""

    def descendant_for_byte_range(self, start_byte: int, end_byte: int, /) -> "SyntaxNode | None":
        """Give the smallest that spans two places."""


class ByteRange(Protocol):
    """A stretch of a text."""

    @property
    def start_byte(self) -> int:
        """Where it begins."""

    @property
    def end_byte(self) -> int:
        """Where it ends."""


class ParsedTree(Protocol):
    """What is asked of a whole tree."""

    @property
    def root_node(self) -> SyntaxNode:
        """The node that all others are below."""

    def copy(self) -> "ParsedTree":
        """Give a tree that can be edited alone; the nodes of the two are shared."""

    def edit(  # noqa: PLR0913 - how it is called
        self,
        *,
        start_byte: int,
        old_end_byte: int,
        new_end_byte: int,
        start_point: Point,
        old_end_point: Point,
        new_end_point: Point,
    ) -> None:
        """Tell where the text has changed; the tree is good for another parse alone then."""

    def changed_ranges(self, new_tree: "ParsedTree", /) -> Sequence[ByteRange]:
        """Tell where an edited tree is not as that of the new text."""
