"""Fixes of wrong kinds of values in the policy: a number in quotes, a glob in place of a rule."""

from intent_lsp.core.findings import Fix
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.nodes import Scalar, YamlNode, double_quoted


def number_fixes(reading: YamlDocument, node: YamlNode) -> tuple[Fix, ...]:
    """Return the fix that takes the quotes from a number without a sign; empty for other nodes."""
    if not isinstance(node, Scalar) or node.block:
        return ()
    bare = node.value.strip()
    if not bare.isascii() or not bare.isdigit():
        return ()
    return (Fix(f"Change to `{bare}`", (reading.change(node.start, node.end, bare),)),)


def rule_fixes(reading: YamlDocument, node: YamlNode) -> tuple[Fix, ...]:
    """Return the fix that makes a glob a rule: `secrets/**` → `{path_glob: "secrets/**"}`.

    Return () if the node is no single value, or is null or block text.
    """
    if not isinstance(node, Scalar) or node.null or node.block:
        return ()
    rule = f"{{path_glob: {double_quoted(node.value)}}}"
    return (Fix("Make it a rule", (reading.change(node.start, node.end, rule),)),)
