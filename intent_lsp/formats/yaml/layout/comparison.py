"""Comparison of the nodes of two YAML texts: whether they have equal values in equal forms."""

from collections.abc import Iterator

from intent_lsp.formats.yaml.nodes import Alias, MappingNode, Scalar, SequenceNode, YamlNode


def same_nodes(one: YamlNode | None, other: YamlNode | None) -> bool:
    """Return whether two trees of nodes are equal but for their offsets.

    The targets of two aliases are equal if they are at the same place in the order of nodes.
    """
    if one is None or other is None:
        return one is other
    return list(_said(one, {})) == list(_said(other, {}))


def _said(node: YamlNode, numbers: dict[int, int]) -> Iterator[tuple[object, ...]]:
    """Yield what is equal in equal trees, node by node.

    `numbers` maps the `id()` of each node read so far to its place in the order of nodes.
    """
    if isinstance(node, Alias):
        yield "alias", numbers.get(id(node.target))
        return
    numbers[id(node)] = len(numbers)
    if isinstance(node, Scalar):
        yield node.value, node.style, node.anchored, node.unquoted
        return
    children: list[YamlNode] = []
    if isinstance(node, MappingNode):
        children = [child for pair in node.pairs for child in pair]
    elif isinstance(node, SequenceNode):
        children = list(node.items)
    yield type(node), node.flow, node.anchored, len(children)
    for child in children:
        yield from _said(child, numbers)
