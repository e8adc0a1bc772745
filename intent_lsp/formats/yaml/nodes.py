"""YAML nodes, built from parser events, with their exact places.

Invariant: offsets count code points of the text that was handed in; a node's place leaves out its
anchor and tag, and what follows its last value.
Invariant: nothing recurses: nesting is counted before a node is built, because composing deep
nesting crashes the C parser.
"""

from dataclasses import dataclass
from typing import TypeAlias

NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value as text; `style` is empty for a plain one, else its first character.

    `unquoted` says that the source is a glob that YAML would have read as something else.
    """

    start: int
    end: int
    value: str
    style: str = ""
    anchored: bool = False
    unquoted: bool = False

    @property
    def null(self) -> bool:
        """Whether YAML reads no value here."""
        return not self.style and not self.unquoted and self.value in NULLS


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceNode:
    """A sequence, in block or flow form."""

    start: int
    end: int
    items: tuple["YamlNode", ...]
    flow: bool
    anchored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingNode:
    """A mapping, in block or flow form: its pairs in order, duplicates included."""

    start: int
    end: int
    pairs: tuple[tuple["YamlNode", "YamlNode"], ...]
    flow: bool
    anchored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A place that repeats the node of an anchor."""

    start: int
    end: int
    target: "Scalar | SequenceNode | MappingNode"


ContentNode: TypeAlias = Scalar | SequenceNode | MappingNode
YamlNode: TypeAlias = ContentNode | Alias


def content_of(node: YamlNode) -> ContentNode:
    """Give the node itself, or the one that an alias repeats."""
    return node.target if isinstance(node, Alias) else node
