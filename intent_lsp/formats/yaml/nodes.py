"""YAML nodes with exact positions, built from parser events.

Invariant: offsets count code points of the text. A node's range excludes its anchor and tag, and
whatever follows its last value.
Invariant: nothing recurses. Nesting is counted before a node is built, because composing deep
nesting crashes the C parser.
"""

from dataclasses import dataclass
from typing import TypeAlias

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
"""Plain values that YAML reads as null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A single value as text. `style` is "" for a plain one, else its first character.

    `unquoted`: the source is a glob that YAML would have read as something else.
    """

    start: int
    end: int
    value: str
    style: str = ""
    anchored: bool = False
    unquoted: bool = False

    @property
    def null(self) -> bool:
        """Whether YAML reads this as null."""
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
    """An alias (`*name`) and the node of its anchor."""

    start: int
    end: int
    target: "Scalar | SequenceNode | MappingNode"


ContentNode: TypeAlias = Scalar | SequenceNode | MappingNode
YamlNode: TypeAlias = ContentNode | Alias


def content_of(node: YamlNode) -> ContentNode:
    """Return the node, or the target if it is an alias."""
    return node.target if isinstance(node, Alias) else node
