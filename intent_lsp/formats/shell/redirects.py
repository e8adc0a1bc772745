"""The redirections after a command, and the other nodes that the grammar attaches to them.

Invariant: every child of a redirection that can run, write or be an operand is returned.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from tree_sitter import Node

from intent_lsp.core.commands.arguments import Word
from intent_lsp.core.commands.reading import NOTHING, CommandReading, Effect, KnownPath, unknown
from intent_lsp.core.commands.targets import Site, target
from intent_lsp.formats.shell.syntax import LOST_TEXT, loses_text, spelling
from intent_lsp.formats.shell.words import words_of


class Tail(Struct, frozen=True, kw_only=True):
    """The redirections after a command, and the other nodes that the grammar attaches to them.

    `redirects` includes redirections inside of others. `operands` are words among the redirections
    that belong to the command. `inside` are nodes that may hold substitutions. `piped` and `listed`
    are the commands after `|`, and after `&&` or `||`, that follow the start of a here-document on
    the same line.
    """

    redirects: tuple[Node, ...]
    operands: tuple[Node, ...]
    inside: tuple[Node, ...]
    piped: tuple[Node, ...]
    listed: tuple[Node, ...]


def read_tail(nodes: Sequence[Node]) -> Tail:
    """Return the redirections `nodes` and the nodes that the grammar attaches to them, by kind."""
    redirects = [*nodes]
    for node in redirects:
        redirects += [
            child for child in node.children_by_field_name("redirect") if child not in redirects
        ]
    kept = [child for node in redirects for child in node.named_children]
    after = [child for node in redirects for child in node.children_by_field_name("right")]
    arguments = [
        child
        for node in redirects
        for child in (
            *node.children_by_field_name("argument"),
            *node.children_by_field_name("destination")[1:],
        )
    ]
    return Tail(
        redirects=tuple(redirects),
        operands=tuple(arguments),
        inside=tuple(child for child in kept if not _goes_on(child) and child not in after),
        piped=tuple(child for child in kept if child.type == "pipeline"),
        listed=tuple(after),
    )


def redirected(node: Node, program: str, place: KnownPath) -> CommandReading:
    """Return the reading of one redirection: the path that it writes, or NOTHING if it writes none.

    It may do anything if a part of it is not parsed. `program` is the command that the redirection
    belongs to, or "", and `place` the current directory.
    """
    sign = _sign(node)
    if _backquoted(node):
        return unknown(
            program, "A here-document has a command between backquotes, which is not parsed"
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


def _goes_on(child: Node) -> bool:
    return child.type == "pipeline" or child.type.endswith("_redirect")
