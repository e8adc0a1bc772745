"""The redirections of a command, and the other nodes that the grammar attaches to them.

Invariant: every child of a redirection that can run, write or be an operand is returned.
"""

import re
from collections.abc import Sequence

from tree_sitter import Node

from intent_lsp.core.commands.arguments import Word
from intent_lsp.core.commands.reading import NOTHING, CommandReading, Effect, KnownPath, unknown
from intent_lsp.core.commands.targets import Site, target
from intent_lsp.formats.shell.syntax import LOST_TEXT, loses_text, spelling
from intent_lsp.formats.shell.words import words_of


def with_nested(nodes: Sequence[Node]) -> list[Node]:
    """Return redirections, and then those that the grammar nests in them."""
    redirects = [*nodes]
    for node in redirects:
        redirects += [
            child for child in node.children_by_field_name("redirect") if child not in redirects
        ]
    return redirects


def operands(redirects: Sequence[Node]) -> list[Node]:
    """Return the words among redirections that belong to the command before them."""
    return [
        child
        for node in redirects
        for child in (
            *node.children_by_field_name("argument"),
            *node.children_by_field_name("destination")[1:],
        )
    ]


def following(redirects: Sequence[Node]) -> tuple[list[Node], list[Node]]:
    """Return the commands that follow the start of a here-document on its line.

    The first list has those after `|`, the second those after `&&` or `||`.
    """
    kept = [child for node in redirects for child in node.named_children]
    listed = [child for node in redirects for child in node.children_by_field_name("right")]
    return [child for child in kept if child.type == "pipeline"], listed


def inside(redirects: Sequence[Node]) -> list[Node]:
    """Return the nodes inside redirections that may hold substitutions."""
    piped, listed = following(redirects)
    kept = [child for node in redirects for child in node.named_children]
    after = (*piped, *listed)
    return [child for child in kept if child not in after and not child.type.endswith("_redirect")]


def redirected(node: Node, program: str, place: KnownPath) -> CommandReading:
    """Return the reading of one redirection: the path that it writes, or NOTHING if it writes none.

    If a part of it is not parsed, the reading says that anything may be changed. `program` is the
    command that the redirection belongs to, or "" if it is not known, and `place` is the current
    directory.
    """
    sign = _sign(node)
    if _backquoted(node):
        return unknown(
            program, "A here-document has a backquote, so it may run a command that is not parsed"
        )
    destinations = node.children_by_field_name("destination")
    if loses_text(node):
        return unknown(program, LOST_TEXT)
    if (sign.startswith("<") and sign != "<>") or not destinations:
        return NOTHING
    word = words_of(destinations)[0]
    number = word.text == "-" or re.fullmatch(r"[0-9]+-?", word.text) is not None
    if sign == ">&" and number and not word.unknown:
        return NOTHING
    # Many programs take `-` for their standard output, but for a shell it is a file name.
    path = Word("./-") if word == Word("-") else word
    return target(path, Effect.WRITE, Site(program or sign, place))


def _sign(node: Node) -> str:
    """Return the operator of a redirection, such as `>>`.

    The grammar takes the `>` of `<>` for an error, but it is included.
    """
    parts = [child for child in node.children if not child.is_named or child.type == "ERROR"]
    return "".join(spelling(part) for part in parts)


def _backquoted(node: Node) -> bool:
    """Return whether a redirection is a here-document that has a backquote and is not quoted.

    The grammar takes a command in backquotes there for text, but the shell runs it.
    """
    children = {child.type: child for child in node.children}
    start, body = children.get("heredoc_start"), children.get("heredoc_body")
    if start is None or body is None or not set(spelling(start)).isdisjoint("\"'\\"):
        return False
    return "`" in spelling(body)
