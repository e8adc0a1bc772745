"""The syntax tree of a shell text.

Invariant: a tree is given for any text up to a length; what the grammar could not make sense of is
told by `flawed`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from tree_sitter import Language, Node, Parser

LOST_TEXT: Final = (
    "A word that begins with an escaped blank or is broken over two lines is not read"
)

MAX_COMMAND_BYTES: Final = 256 * 1024
"""Above this a text is not parsed at all."""


@dataclass(frozen=True, slots=True)
class ShellTree:
    """A parsed text; without a `root` it was too long."""

    root: Node | None
    flawed: bool


def parse(text: str) -> ShellTree:
    """Parse a shell text; bytes that are not UTF-8 are those that `surrogateescape` stands for."""
    try:
        source = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Half of a surrogate pair is not text, but what stands around it can be read.
        source = text.encode("utf-8", "replace")
        return ShellTree(parse_bytes(source).root, flawed=True)
    return parse_bytes(source)


def parse_bytes(source: bytes) -> ShellTree:
    """Parse a shell text as a shell would be given it."""
    if len(source) > MAX_COMMAND_BYTES:
        return ShellTree(None, flawed=True)
    # A parser keeps state while it parses; threads must not share one.
    root = Parser(_grammar()).parse(source).root_node
    # No shell can be given NUL, and each would stop at another place.
    return ShellTree(root, flawed=root.has_error or b"\0" in source)


def spelling(node: Node) -> str:
    """Give the text of a node as it was typed."""
    return typed(node).decode("utf-8", "surrogateescape")


def typed(node: Node) -> bytes:
    """Give the bytes of a node as they were typed."""
    return node.text or b""


def loses_text(node: Node) -> bool:
    """Find out whether a part of a word was lost between the children of a node.

    The grammar takes an escaped blank at the start of a word for the blank before it, and a line
    that goes on in the next for a blank.
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
