"""Parsing with tree-sitter: language and kind of a file by its name, grammar and syntax tree.

Invariant: a grammar is loaded when its language is first used. A missing grammar is not an error.
Invariant: parsing takes a bounded number of steps, and stops if the caller has no more time.
Invariant: if `is_deep` is false for a YAML text, the grammar's scanner can bear the depth to which
its blocks are nested.
"""

import re
from collections.abc import Callable
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Final, TypeAlias

from msgspec import Struct
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from intent_lsp.core.content import FileContent

MAX_PARSED_BYTES: Final = 1024 * 1024
"""The most bytes of a file that is parsed."""

RECORDED_AT_MOST: Final = 400 * 1024
"""The most bytes of a file that is parsed for a record or the intent map, since others wait for it.

10,000 lines of ordinary code have about 360 KB.
"""

MAX_STEPS: Final = 20_000
"""The most progress reports of a parse, one for each hundred operations; then it is given up.

A megabyte of ordinary code takes fewer. Very deep or broken text takes more.
"""

MAX_BROKEN: Final = 10_000
"""The most tokens of a text that fits the grammar nowhere: a search takes their number squared."""

MAX_DEPTH: Final = 2_000
"""The greatest depth in a tree at which nodes are found: a search takes the depth squared."""

Late: TypeAlias = Callable[[], bool]
"""Returns whether the caller has no more time. It is called repeatedly during a parse."""

_CHUNK: Final = 64 * 1024
_BARE_RETURN: Final = re.compile(rb"\r(?!\n)")

_COLUMNS: Final = 80
"""The most columns of indentation. A mapping and a sequence can begin at each of them."""

_SIGNS: Final = 40
"""The most tokens on one line that each open a level."""

_INDENTED: Final = re.compile(rb"^[ \t]{%d}[ \t]*[^ \t\r\n]" % (_COLUMNS + 1), re.MULTILINE)
_SIGN: Final = re.compile(rb"(?:^|(?<=[ \t]))[-?:](?=[ \t]|$)")


class FileKind(Enum):
    """The purpose of a file, judged by its name: code, configuration, prose or unknown."""

    CODE = "code"
    CONFIGURATION = "configuration"
    PROSE = "prose"
    UNKNOWN = "unknown"


class SyntaxTree(Struct, frozen=True, kw_only=True):
    """A parsed text. `source` is the text in UTF-8. The byte offsets of nodes refer to `source`.

    A tree can be read from several threads at once.
    """

    language: str
    source: bytes
    root: Node

    def text(self, node: Node) -> bytes:
        """Return the part of `source` that a node covers."""
        return self.source[node.start_byte : node.end_byte]


def language_of(path: str) -> str | None:
    """Return the language of a file by its name, such as `python`, or None if it is not known."""
    name, suffix = _name_and_suffix(path)
    return _FILES.get(name) or _SUFFIXES.get(suffix)


def kind_of(path: str) -> FileKind:
    """Return whether a file is CODE, CONFIGURATION, PROSE or UNKNOWN, judged by its name.

    A file that is neither CONFIGURATION nor PROSE is CODE if `language_of` returns a language.
    """
    name, suffix = _name_and_suffix(path)
    if _CONFIGURATION.fullmatch(suffix) or _CONFIGURATION_NAMES.fullmatch(name):
        return FileKind.CONFIGURATION
    if _PROSE.fullmatch(suffix) or _PROSE_NAMES.fullmatch(name):
        return FileKind.PROSE
    return FileKind.UNKNOWN if language_of(path) is None else FileKind.CODE


def _name_and_suffix(path: str) -> tuple[str, str]:
    """Return a path's name (after the last `/`) and the name's suffix (after the last dot).

    The suffix is in lower case. It is "" if the name has no dot, or if its only dot is the first
    character, as in `.bashrc`.
    """
    name = path.rpartition("/")[2]
    stem, _, suffix = name.rpartition(".")
    return name, suffix.lower() if stem else ""


def in_time() -> bool:
    """Return False. This is the `late` function of a caller without a time limit."""
    return False


def parse(language: str, content: FileContent, late: Late = in_time) -> SyntaxTree | None:
    """Return the syntax tree of a file's content. Broken code gives a partial tree.

    Return None if the grammar is not installed. Return None if the content is not text, contains
    NUL, is over MAX_PARSED_BYTES or is YAML nested too deep, or if it is broken as a whole and has
    more than MAX_BROKEN tokens. Return None if parsing takes too many steps, or if `late` returns
    True meanwhile.
    """
    source, grammar = _source(language, content), _grammar(language)
    whole = None if source is None or grammar is None else _tree(grammar, source, late)
    if source is None or whole is None:
        return None
    root = whole.root_node
    if root.is_error and root.child_count > MAX_BROKEN:
        return None
    return SyntaxTree(language=language, source=source, root=root)


def captured(tree: SyntaxTree, types: tuple[str, ...], depth: int) -> list[Node]:
    """Return all nodes of the given types in text order, outer nodes before inner ones.

    `depth` is the greatest depth in the tree at which a node is found. Types that the grammar does
    not have are skipped.
    """
    query = _query(tree.language, types)
    if query is None:
        return []
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(depth)
    found = cursor.captures(tree.root).get("found", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


def _source(language: str, content: FileContent) -> bytes | None:
    """Return a file's content as UTF-8 for a grammar, with every bare CR replaced by LF.

    Return None if the content must not be parsed: it is not text, contains NUL, is too large, or is
    YAML that is nested too deep.
    """
    text = content.decoded if len(content.data or b"") <= MAX_PARSED_BYTES else None
    if text is None or "\0" in text.text:
        # Source code has no NUL, and some grammars hang on it.
        return None
    source = text.text.encode()
    if b"\r" in source:
        # A bare CR ends a line in records (ledger section 1), but not for a grammar.
        source = _BARE_RETURN.sub(b"\n", source)
    return None if language == "yaml" and is_deep(source) else source


def _tree(grammar: Language, source: bytes, late: Late) -> Tree | None:
    """Parse a source and return its tree.

    Return None if that takes more than MAX_STEPS steps, or if `late` returns True meanwhile.
    """
    steps = 0

    def give_up(_offset: int, _flawed: bool) -> bool:  # noqa: FBT001 - how it is called
        nonlocal steps
        steps += 1
        return steps > MAX_STEPS or late()

    def read(offset: int, _point: object) -> bytes | None:
        return source[offset : offset + _CHUNK] or None

    # A parser keeps state while it parses, so threads must not share one: make a new one.
    try:
        return Parser(grammar).parse(read, progress_callback=give_up)
    except ValueError:
        return None


@cache
def _grammar(language: str) -> Language | None:
    """Return the grammar of a language, loaded once, or None if it cannot be loaded."""
    package, function = _GRAMMARS.get(language, (language, "language"))
    try:
        return Language(getattr(import_module(f"tree_sitter_{package}"), function)())
    except (ImportError, AttributeError, ValueError):
        # The package is not installed, or was built for another version of tree-sitter.
        return None


@cache
def _query(language: str, types: tuple[str, ...]) -> Query | None:
    """Return the tree-sitter query that finds the nodes of the given types in one language.

    Types that the grammar does not have are skipped. Return None if no type remains, or if there is
    no grammar.
    """
    grammar = _grammar(language)
    if grammar is None:
        return None
    known = [name for name in types if grammar.id_for_node_kind(name, True) is not None]  # noqa: FBT003
    if not known:
        return None
    return Query(grammar, "[" + "".join(f"({name})" for name in known) + "] @found")


_PROSE: Final = re.compile("md|markdown|mdx|rst|txt|adoc|asciidoc|org")
_CONFIGURATION: Final = re.compile(
    "ya?ml|toml|json[5c]?|ini|cfg|conf|cnf|properties|env|lock|plist|tf|tfvars|hcl|mk|gradle"
    "|(?:cs|fs|vb)proj|sln|props|targets|service|timer|editorconfig"
)
_PROSE_NAMES: Final = re.compile(
    r"(?i:readme|license|licence|copying|notice|authors|contributors|contributing|changelog"
    r"|changes|history|news|todo|install|security|maintainers)"
)
_CONFIGURATION_NAMES: Final = re.compile(
    # Every dotfile counts as configuration, whatever language it is written in.
    r"\..+|(?:.+\.)?(?:Docker|Container)file(?:\..+)?|(?:GNU)?[Mm]akefile(?:\..+)?|CMakeLists\.txt"
    r"|(?:Jenkins|Vagrant|Proc|Gem|Brew|Pip|Caddy|Just)file|go\.(?:mod|sum|work)|pom\.xml"
    r"|CODEOWNERS|(?:requirements|constraints)(?:[-_.].*)?\.txt|robots\.txt|MANIFEST\.in"
    r"|build\.gradle\.kts|settings\.gradle\.kts|.+\.config\.[cm]?[jt]s|py\.typed"
)

_GRAMMARS: Final = {
    "php": ("php", "language_php"),
    "tsx": ("typescript", "language_tsx"),
    "typescript": ("typescript", "language_typescript"),
}
"""Package and function of the grammars that are not `language()` in a package of their own name."""

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
    """Return whether the blocks of a YAML text may be nested deeper than about 200 levels.

    It may if one of its lines is indented by more than 80 columns, or has more than 40 signs (`-`,
    `?` or `:`) that each begin a level. The grammar's scanner fails at 250 levels.
    """
    if _INDENTED.search(source):
        return True
    return any(
        len(line) > _SIGNS and len(_SIGN.findall(line)) > _SIGNS for line in source.splitlines()
    )
