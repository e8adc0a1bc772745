"""The syntax tree of a shell text.

Invariant: any text up to a maximum length has a tree. `flawed` says whether the grammar could not
parse a part of it.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from tree_sitter import Language, Node, Parser

LOST_TEXT: Final = (
    "A word that begins with an escaped blank or is broken over two lines is not parsed"
)

MAX_COMMAND_BYTES: Final = 256 * 1024
"""The greatest length of a text that is parsed, in bytes."""


@dataclass(frozen=True, slots=True)
class ShellTree:
    """A parsed text. `root` is None if the text was too long."""

    root: Node | None
    flawed: bool


def parse(text: str) -> ShellTree:
    """Parse a shell text. Surrogate escapes in it stand for bytes that are not UTF-8."""
    try:
        source = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # A lone surrogate is not text, but the text around it can be parsed.
        source = text.encode("utf-8", "replace")
        return ShellTree(parse_bytes(source).root, flawed=True)
    return parse_bytes(source)


def parse_bytes(source: bytes) -> ShellTree:
    """Parse a shell text in the bytes that a shell would get."""
    if len(source) > MAX_COMMAND_BYTES:
        return ShellTree(None, flawed=True)
    # A parser keeps state while it parses; threads must not share one.
    root = Parser(_grammar()).parse(source).root_node
    # No shell can be given NUL, and each would stop at another place.
    return ShellTree(root, flawed=root.has_error or b"\0" in source)


def spelling(node: Node) -> str:
    """Return the text of a node as typed."""
    return typed(node).decode("utf-8", "surrogateescape")


def typed(node: Node) -> bytes:
    """Return the bytes of a node as typed."""
    return node.text or b""


def loses_text(node: Node) -> bool:
    """Find out whether a part of a word was lost between the children of a node.

    The grammar takes an escaped blank at the start of a word for the blank before it, and a line
    continuation inside a word for a blank.
    """
    source, at = typed(node), 0
    for child in node.children:
        gap = source[at : child.start_byte - node.start_byte]
        blanks = gap.replace(b"\\\n", b"")
        if b"\\" in blanks or (gap and not blanks):
            return True
        at = child.end_byte - node.start_byte
    return False


@cache
def _grammar() -> Language:
    # It takes longer to load than most commands to read, and many calls need none.
    from tree_sitter_bash import language  # noqa: PLC0415

    return Language(language())
