"""The syntax tree of a shell text, and whether it holds only simple commands of literal words.

Invariant: any text up to a maximum length has a tree.
Invariant: a text is literal only if all its nodes are of the types that are known to be literal.
Between words there is only what every shell takes for blanks or the end of a line.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from msgspec import Struct
from tree_sitter import Language, Node, Parser

LOST_TEXT: Final = (
    "A word that begins with an escaped blank or is broken over two lines is not parsed"
)

MAX_COMMAND_BYTES: Final = 256 * 1024
"""The greatest length of a text that is parsed, in bytes."""


class ShellTree(Struct, frozen=True):
    """The syntax tree of a shell text. `root` is None if the text was too long to be parsed.

    `flawed`: the grammar could not parse all of the text, or the text has a character that no
    shell can be given, such as NUL.
    """

    root: Node | None
    flawed: bool


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
"""Types of syntax nodes whose children are not examined."""

_BETWEEN: Final = re.compile(rb"[ \t]*(?:\n[ \t\n]*|(?<=[ \t])\\\n[ \t]*)?")
_BEHIND: Final = re.compile(rb"[ \t\n]*")
_DIGITS: Final = re.compile(rb"[0-9]+")
_NUMBER: Final = re.compile(rb"-?[0-9]+")
_ODD: Final = re.compile(rb"(?<!\\)\s|\\\n|[\x00-\x08\x0b-\x1f\x7f]")
"""Characters that the grammar may take for part of a word, and a shell for the word's end."""


def parse(text: str) -> ShellTree:
    """Parse a shell text. Surrogate escapes in the text stand for bytes that are not UTF-8.

    The tree of a text with any other lone surrogate, or with NUL, is flawed. A text of more than
    MAX_COMMAND_BYTES has no tree.
    """
    try:
        source, flawed = text.encode("utf-8", "surrogateescape"), False
    except UnicodeEncodeError:
        # A lone surrogate is not text, but the text around it can be parsed.
        source, flawed = text.encode("utf-8", "replace"), True
    if len(source) > MAX_COMMAND_BYTES:
        return ShellTree(None, flawed=True)
    # A parser keeps state while it parses; threads must not share one.
    root = Parser(_grammar()).parse(source).root_node
    # No shell can be given NUL, and each would stop at another place.
    return ShellTree(root, flawed=flawed or root.has_error or b"\0" in source)


def spelling(node: Node) -> str:
    """Return the text of a syntax node as typed in the command."""
    return typed(node).decode("utf-8", "surrogateescape")


def typed(node: Node) -> bytes:
    """Return the bytes of a syntax node as typed in the command."""
    return node.text or b""


def loses_text(node: Node) -> bool:
    """Return whether a part of a word may be missing from the children of a syntax node.

    The grammar takes an escaped blank at the start of a word, and a line continuation inside a
    word, for a separator.
    """
    source, at = typed(node), 0
    for child in node.children:
        gap = source[at : child.start_byte - node.start_byte]
        blanks = gap.replace(b"\\\n", b"")
        if b"\\" in blanks or (gap and not blanks):
            return True
        at = child.end_byte - node.start_byte
    return False


def is_literal(root: Node, source: bytes) -> bool:
    """Return whether a shell text has only simple commands of literal words.

    `root` is the syntax tree of `source`. The commands may be listed and piped, read from files,
    and write to `/dev/null` or to a file descriptor, as `2>&1` does.
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


@cache
def _grammar() -> Language:
    # It takes longer to load than most commands to read, and many calls need none.
    from tree_sitter_bash import language  # noqa: PLC0415

    return Language(language())


def _is_covered(root: Node, source: bytes) -> bool:
    """Return whether every shell would split a text into the leaves of its tree.

    `root` is the syntax tree of the text `source`.
    """
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
    """Return whether every shell would read a leaf of the tree in the way the grammar does."""
    if leaf.type in {"file_descriptor", "number"}:
        form = _NUMBER if leaf.type == "number" else _DIGITS
        return form.fullmatch(typed(leaf)) is not None
    return leaf.type != "word" or _ODD.search(typed(leaf)) is None


def _reads(redirect: Node) -> bool:
    sign = "".join(spelling(child) for child in redirect.children if not child.is_named)
    named = [child for child in redirect.named_children if child.type != "file_descriptor"]
    target = spelling(named[0]) if len(named) == 1 else ""
    descriptor = sign == ">&" and target.isascii() and target.isdecimal()
    return descriptor or sign == "<" or target == "/dev/null"
