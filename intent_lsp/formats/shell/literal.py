"""Whether a shell text is a list of simple commands of literal words, in which nothing is expanded.

Invariant: a text of which any node is not among the few that are known to be literal is not.
"""

from typing import Final

from intent_lsp.formats.shell.syntax import loses_text, spelling
from intent_lsp.formats.syntax_node import Node

_NODES: Final = frozenset(
    {
        *("program", "list", "pipeline", "command", "command_name", "redirected_statement"),
        *("word", "number", "raw_string", "string", "string_content", "concatenation", "comment"),
        *("file_redirect", "file_descriptor", "test_operator"),
        *("&&", "||", ";", "|", "\n", '"', "'", "<", ">", ">>", ">&", "&>"),
    }
)
_IN: Final = "<"
_SINK: Final = "/dev/null"


def is_literal(root: Node) -> bool:
    """Whether a syntax tree holds simple commands of literal words, and no others.

    They may be listed and piped, read from files, write to `/dev/null`, and join their two outputs.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type not in _NODES or loses_text(node):
            return False
        if node.type == "file_redirect" and not _reads(node):
            return False
        waiting += node.children
    return True


def _reads(redirect: Node) -> bool:
    sign = "".join(spelling(child) for child in redirect.children if not child.is_named)
    named = [child for child in redirect.named_children if child.type != "file_descriptor"]
    target = spelling(named[0]) if len(named) == 1 else ""
    return sign == _IN or target == _SINK or (sign == ">&" and target.isdecimal())
