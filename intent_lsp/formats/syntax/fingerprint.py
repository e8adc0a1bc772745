"""Fingerprint of a file's definitions, which formatting and comments do not change."""

from typing import Final

from intent_lsp.core.content import FileContent, hash_content
from intent_lsp.core.records import AstFingerprint
from intent_lsp.formats.syntax.languages import Late, in_time
from intent_lsp.formats.syntax.outline import OutlinedTree, TreeOf, outlined_tree

PARSER: Final = "tree-sitter"


def file_fingerprint(
    path: str, content: FileContent, late: Late = in_time, tree_of: TreeOf = outlined_tree
) -> AstFingerprint | None:
    """Return the fingerprint of a file's content (ledger section 1), or None if it is not parsed.

    `tree_of` parses the file. The caller's may use a cache.
    """
    found = tree_of(path, content, late)
    return None if found is None else tree_fingerprint(found)


def tree_fingerprint(outlined: OutlinedTree) -> AstFingerprint:
    """Return the hash over the depth, kind and qualified name of each definition, in order."""
    told = [f"{each.depth}\t{each.kind}\t{each.name}\n" for each in outlined.definitions]
    summary = hash_content("".join(told).encode("utf-8", "surrogatepass"))
    return AstFingerprint(parser=PARSER, language=outlined.tree.language, summary_hash=summary)
