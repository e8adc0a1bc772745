"""Whether a shell text is a list of simple commands of literal words, without expansions.

Invariant: a text is literal only if all its nodes are of the types that are known to be literal.
Invariant: between words there is only what every shell takes for blanks or the end of a line.
"""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from intent_lsp.formats.shell.syntax import loses_text, spelling, typed

_NODES: Final = frozenset(
    {
        *("program", "list", "pipeline", "command", "command_name", "redirected_statement"),
        *("word", "number", "raw_string", "string", "string_content", "concatenation", "comment"),
        *("file_redirect", "file_descriptor", "test_operator"),
        *("&&", "||", ";", "|", "\n", '"', "'", "<", ">", ">>", ">&", "&>"),
    }
)
_LEAVES: Final = frozenset(
    {"word", "number", "raw_string", "string", "comment", "file_descriptor", "test_operator"}
)
"""Types of nodes whose children are not examined."""

_BETWEEN: Final = re.compile(rb"[ \t]*(?:\n[ \t\n]*|(?<=[ \t])\\\n[ \t]*)?")
_BEHIND: Final = re.compile(rb"[ \t\n]*")
_DIGITS: Final = re.compile(rb"[0-9]+")
_NUMBER: Final = re.compile(rb"-?[0-9]+")
_ODD: Final = re.compile(rb"(?<!\\)\s|\\\n|[\x00-\x08\x0b-\x1f\x7f]")
"""Characters that the grammar may take for part of a word, and a shell for the word's end."""

_IN: Final = "<"
_SINK: Final = "/dev/null"


def is_literal(root: Node, source: bytes) -> bool:
    """Whether a text, by its syntax tree, holds simple commands of literal words, and no others.

    The commands may be listed and piped, read from files, write to `/dev/null`, and join their two
    outputs.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type not in _NODES or loses_text(node):
            return False
        if node.type == "file_redirect" and not _reads(node):
            return False
        waiting += node.children
    return _is_covered(root, source)


def _is_covered(root: Node, source: bytes) -> bool:
    """Whether all of a text stands in its leaves, as a shell parts them."""
    at = 0
    for leaf in _leaves(root):
        if leaf.start_byte == leaf.end_byte:
            continue
        if _BETWEEN.fullmatch(source, at, leaf.start_byte) is None or not _is_whole(leaf):
            return False
        at = leaf.end_byte
    return _BEHIND.fullmatch(source, at) is not None


def _leaves(root: Node) -> Iterator[Node]:
    # A long list is as deep as it is long.
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in _LEAVES or not node.children:
            yield node
        else:
            waiting += reversed(node.children)


def _is_whole(leaf: Node) -> bool:
    """Whether a shell takes a leaf for what the grammar takes it for."""
    if leaf.type in {"file_descriptor", "number"}:
        form = _NUMBER if leaf.type == "number" else _DIGITS
        return form.fullmatch(typed(leaf)) is not None
    return leaf.type != "word" or _ODD.search(typed(leaf)) is None


def _reads(redirect: Node) -> bool:
    sign = "".join(spelling(child) for child in redirect.children if not child.is_named)
    named = [child for child in redirect.named_children if child.type != "file_descriptor"]
    target = spelling(named[0]) if len(named) == 1 else ""
    return (
        sign == _IN
        or target == _SINK
        or (
            sign == ">&"
            and _DIGITS.fullmatch(target.encode("utf-8", "surrogateescape")) is not None
        )
    )
