"""The languages that a grammar may know, and the syntax trees of their texts.

Invariant: a grammar is loaded when its language is first used; a missing one is no error.
Invariant: a tree costs a bounded number of steps, and ends where its caller has no more time.
Invariant: a text that is not deep opens fewer levels than the grammar's scanner has room for.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final, TypeAlias

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from intent_lsp.core.content import decode
from intent_lsp.formats.syntax.file_names import name_of, suffix_of

MAX_PARSED_BYTES: Final = 1024 * 1024
"""Above this a file is not parsed at all."""

RECORDED_AT_MOST: Final = 400 * 1024
"""Bytes above which records and the intent map tell nothing that is parsed: others wait for them.

10,000 lines of code that people write have 360 KB.
"""

MAX_STEPS: Final = 20_000
"""Reports of progress, one for each hundred operations, after which a parse is given up.

A megabyte of ordinary code takes less; what is nested or broken without end takes more.
"""

Late: TypeAlias = Callable[[], bool]
"""Whether a caller has no more time: it is asked while a text is parsed."""

_CHUNK: Final = 64 * 1024
_BARE_RETURN: Final = re.compile(rb"\r(?!\n)")

_COLUMNS: Final = 80
"""Columns before a line's content: a mapping and a sequence can begin at each of them."""

_SIGNS: Final = 40
"""Signs of one line that open a level each."""

_INDENTED: Final = re.compile(rb"^[ \t]{%d}[ \t]*[^ \t\r\n]" % (_COLUMNS + 1), re.MULTILINE)
_SIGN: Final = re.compile(rb"(?:^|(?<=[ \t]))[-?:](?=[ \t]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxTree:
    """A parsed text; `source` are the bytes that its places count in, as UTF-8.

    Threads may look at one at the same time.
    """

    language: str
    source: bytes
    root: Node

    def text(self, node: Node) -> bytes:
        """Give the bytes of a node as they were typed."""
        return self.source[node.start_byte : node.end_byte]


def language_of(path: str) -> str | None:
    """Name the language of a file by its name; None: none that we know."""
    name = name_of(path)
    return _FILES.get(name) or _SUFFIXES.get(suffix_of(name))


def in_time() -> bool:
    """Have all the time that the steps of a parse may take."""
    return False


def parse(language: str, data: bytes, late: Late = in_time) -> SyntaxTree | None:
    """Parse the content of a file.

    None: no such grammar, not a text or with NUL, over 1 MB, or more steps or time than allowed.
    Broken code has the tree of what can be read.
    """
    source, grammar = _source(language, data), _grammar(language)
    whole = None if source is None or grammar is None else _tree(grammar, source, late)
    if source is None or whole is None:
        return None
    return SyntaxTree(language=language, source=source, root=whole.root_node)


def captured(tree: SyntaxTree, types: tuple[str, ...], depth: int | None) -> list[Node]:
    """Give all nodes of some types, in the order of the text, the outer before the inner.

    `depth`: how deep they may stand; None: anywhere. Types that the grammar does not
    have are passed.
    """
    query = _query(tree.language, types)
    if query is None:
        return []
    cursor = QueryCursor(query)
    if depth is not None:
        cursor.set_max_start_depth(depth)
    found = cursor.captures(tree.root).get("found", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


def _source(language: str, data: bytes) -> bytes | None:
    text = decode(data) if len(data) <= MAX_PARSED_BYTES else None
    if text is None or "\0" in text.text:
        # No code has NUL, and some grammars take for ever over it.
        return None
    source = text.text.encode()
    if b"\r" in source:
        # A bare return ends a line here (ledger section 1), and does not for a grammar.
        source = _BARE_RETURN.sub(b"\n", source)
    return None if language == "yaml" and is_deep(source) else source


def _tree(grammar: Language, source: bytes, late: Late) -> Tree | None:
    steps = 0

    def give_up(_offset: int, _flawed: bool) -> bool:  # noqa: FBT001 - how it is called
        nonlocal steps
        steps += 1
        return steps > MAX_STEPS or late()

    def read(offset: int, _point: object) -> bytes | None:
        return source[offset : offset + _CHUNK] or None

    # A parser keeps state while it parses; threads must not share one.
    try:
        return Parser(grammar).parse(read, progress_callback=give_up)
    except ValueError:
        return None


@cache
def _grammar(language: str) -> Language | None:
    package, function = _GRAMMARS.get(language, (language, "language"))
    try:
        return Language(getattr(import_module(f"tree_sitter_{package}"), function)())
    except (ImportError, AttributeError, ValueError):
        # Not installed, or made for a library of another age.
        return None


@cache
def _query(language: str, types: tuple[str, ...]) -> Query | None:
    grammar = _grammar(language)
    if grammar is None:
        return None
    known = [name for name in types if grammar.id_for_node_kind(name, True) is not None]  # noqa: FBT003
    if not known:
        return None
    return Query(grammar, "[" + "".join(f"({name})" for name in known) + "] @found")


_GRAMMARS: Final = {
    "php": ("php", "language_php"),
    "tsx": ("typescript", "language_tsx"),
    "typescript": ("typescript", "language_typescript"),
}
"""Where a grammar is not `language()` of the package of its own name."""

_FILES: Final = {"Rakefile": "ruby", ".bashrc": "bash", ".profile": "bash"}
_SUFFIXES: Final = {
    suffix: language
    for language, suffixes in {
        "bash": "sh bash",
        "c": "c h",
        "c_sharp": "cs",
        "cpp": "cc cpp cxx c++ hh hpp hxx ipp",
        "css": "css",
        "go": "go",
        "html": "html htm",
        "java": "java",
        "javascript": "js mjs cjs jsx",
        "json": "json",
        "kotlin": "kt kts",
        "markdown": "md markdown",
        "php": "php",
        "python": "py pyi pyw",
        "ruby": "rb rake",
        "rust": "rs",
        "sql": "sql",
        "swift": "swift",
        "toml": "toml",
        "tsx": "tsx",
        "typescript": "ts mts cts",
        "yaml": "yaml yml",
    }.items()
    for suffix in suffixes.split()
}


def is_deep(source: bytes) -> bool:
    """Whether a text may be nested deeper than about 200 levels: the scanner fails at 250."""
    if _INDENTED.search(source):
        return True
    return any(
        len(line) > _SIGNS and len(_SIGN.findall(line)) > _SIGNS for line in source.splitlines()
    )
