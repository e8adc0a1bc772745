"""A hash over a file's definitions, which formatting and comments do not change."""

from typing import Final

from intent_lsp.core.content import hash_content
from intent_lsp.core.records import AstFingerprint
from intent_lsp.formats.languages import Late, SyntaxTree, in_time, language_of, parse_for_record
from intent_lsp.formats.outline import definitions

PARSER: Final = "tree-sitter"


def file_fingerprint(path: str, data: bytes, late: Late = in_time) -> AstFingerprint | None:
    """Give the fingerprint of a file's content (ledger section 1); None: nobody can parse it."""
    language = language_of(path)
    tree = None if language is None else parse_for_record(language, data, late)
    return None if tree is None else tree_fingerprint(tree)


def tree_fingerprint(tree: SyntaxTree) -> AstFingerprint:
    """Hash kind, qualified name and nesting of each definition, in order, one a line."""
    told = [f"{each.depth}\t{each.kind}\t{each.name}\n" for each in definitions(tree)]
    summary = hash_content("".join(told).encode("utf-8", "surrogatepass"))
    return AstFingerprint(parser=PARSER, language=tree.language, summary_hash=summary)
