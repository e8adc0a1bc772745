"""docs/messages.md: every message of server, command line and extensions, collected from the code.

`python -m tests.support.message_list` writes it; a test compares it with the code.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from intent_lsp.formats.key_texts.key_text import key_texts

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "messages.md"

_HEAD = """# Messages

Everything that intent-lsp says, to be read in one sitting; `make docs` writes this page from the
code. Words in braces are filled in. A message that begins with a small letter follows something
else, such as a file's name. Not listed: what `--help` prints, and what only goes to the log.
"""


class Part(NamedTuple):
    """A part of the page, and the modules that are in it, by the beginnings of their names."""

    title: str
    about: str
    modules: Sequence[str]


PARTS = (
    Part(
        "In every editor",
        "Diagnostics, quick fixes, questions and notices of the server.",
        (
            "core/gate/words",
            "formats/markdown/provenance",
            "governance/calls/approvals",
            "doors/lsp/",
        ),
    ),
    Part(
        "In the files that people write",
        "Diagnostics of the intents file and the policy.",
        (
            "core/scope/",
            "core/control_plane",
            "formats/intents/",
            "formats/yaml/",
        ),
    ),
    Part(
        "At the shell",
        "What the command line prints, and the page of HTML that it makes.",
        ("doors/cli/", "core/ledger/", "formats/report/", "store/ledger/archiving_advice"),
    ),
    Part(
        "To agents, and in `explain`",
        "The gate's refusals are those of the specification, word by word; `explain` says for each"
        " of its rows what was found.",
        (
            "core/commands/",
            "core/gate/",
            "core/agents/",
            "formats/params/",
            "formats/tool_call",
            "formats/patch/",
            "formats/shell/",
            "governance/",
        ),
    ),
    Part(
        "What keys mean",
        "Titles and descriptions of keys, and of the words that they take, in the schemas.",
        ("formats/key_texts/", "formats/schemas/"),
    ),
    Part("Reasons and remedies", "Parts of other messages, by what finds them.", ("",)),
)

_CODE = re.compile(
    r"^\s*(SELECT|INSERT|CREATE|WITH|DELETE|UPDATE|PRAGMA|ALTER|DROP|BEGIN|import|no such table)\b"
)
_MARKUP = re.compile(r"<!--|</|=>|\{\{|\{ |-src '|\| ---|^\s*core\.| - at `\$|echo \{|^git rm ")
_ENDINGS = re.compile(r"[\w+]{1,3}( [\w+]{1,3})+")
"""A list of the endings of files' names, such as `py pyi pyw`."""
_NOT_SHOWN = frozenset(
    {
        "deleted file mode",
        "new file mode",
        "Subproject commit {head}",
        "Repository not found",
        "No matching distribution",
        "Network is unreachable",
        "(intent governance language server)",
        "{trait} for {of}",
    }
)
"""What is searched for in the output of git, pip and `--version`, and the name of a definition."""
_SHOWING = frozenset(
    {
        *("join", "len", "listed", "map", "sorted", "str"),
        *("neutral", "printable", "quote", "shown", "shown_hash", "shown_list", "_shown"),
        *("local", "local_with_offset"),
    }
)
"""Functions that show, join or count their last argument."""
_HELPED = frozenset({"CommandEntry", "argument", "flag", "repeated"})
_HELP = frozenset({"about", "description", "epilog", "examples", "help", "json", "summary"})
"""Keywords whose text only `--help` prints."""
_CUTTING = frozenset({"removeprefix", "rstrip", "strip"})
_WORDS = re.compile(r"[a-z]{2,} [a-z(`'“{]")
_TITLE = re.compile(r"[A-Z][a-z]+ [a-z]+")
_TYPESCRIPT = re.compile(
    r"//[^\n]*|/\*.*?\*/|'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`",
    re.DOTALL,
)
_LUA = re.compile(
    r"--\[\[.*?\]\]|--[^\n]*|'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"", re.DOTALL
)
_JOINS = re.compile(r"\s*(\+|\.\.)\s*")
_TEMPLATE = re.compile(r"{#.*?#}|{%.*?%}|<[^<>]*>", re.DOTALL)
_COMMAND_LINE = ROOT / "intent_lsp" / "doors" / "cli"


def made() -> str:
    """Return the page as the code has it."""
    left = dict.fromkeys(_of_the_package())
    sections = []
    for part in PARTS:
        names = {path: path.relative_to(ROOT / "intent_lsp").as_posix() for path in left}
        mine = [path for path in left if names[path].startswith(tuple(part.modules))]
        sections.append(_section(part, [(_module_title(path), _of_module(path)) for path in mine]))
        for path in mine:
            del left[path]
    extension, plugin = ROOT / "client-configs/vscode", ROOT / "client-configs/neovim/lua"
    vscode = [
        ("Names, settings and the walkthrough", _of_manifest(extension / "package.json")),
        *((path.stem, _of_text(path, _TYPESCRIPT)) for path in sorted(extension.glob("src/*.ts"))),
    ]
    neovim = [(path.stem, _of_text(path, _LUA)) for path in sorted(plugin.rglob("*.lua"))]
    sections[1:1] = [
        _section(Part("In VS Code", "What the extension adds.", ()), vscode),
        _section(Part("In Neovim", "What the plug-in adds.", ()), neovim),
    ]
    return "".join((_HEAD, *sections))


def all_messages() -> Iterator[tuple[str, str]]:
    """Yield every message with the name of the file that it is in."""
    configs = ROOT / "client-configs"
    found: list[tuple[Path, Callable[[Path], list[str]]]] = [
        *((path, _of_module) for path in _of_the_package()),
        *((path, _of_typescript) for path in sorted(configs.glob("vscode/src/*.ts"))),
        *((path, _of_lua) for path in sorted(configs.glob("neovim/lua/**/*.lua"))),
        (configs / "vscode/package.json", _of_manifest),
    ]
    for path, read in found:
        for message in read(path):
            yield path.relative_to(ROOT).as_posix(), message


def situation(where: str, message: str) -> str:
    """Describe where a message comes from: its file, what that is, what the code around it does."""
    path = ROOT / where
    if path.suffix not in (".py", ".html"):
        return where
    around = ""
    if path.suffix == ".py":
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for scope in ast.walk(tree):
            # Inner functions come after those around them.
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and any(
                " ".join((_text(node) or "").split()) == message for node in ast.walk(scope)
            ):
                said = (ast.get_docstring(scope) or "").partition("\n")[0]
                around = f"\nin {scope.name}: {said}" if said else f"\nin {scope.name}"
    return f"{where}: {_module_title(path)}{around}"


def _of_the_package() -> list[Path]:
    return sorted(
        path for path in (ROOT / "intent_lsp").rglob("*") if path.suffix in (".py", ".html")
    )


def _section(part: Part, modules: Sequence[tuple[str, list[str]]]) -> str:
    listed = "".join(
        f"\n### {title}\n\n```text\n{''.join(f'{message}{chr(10)}' for message in messages)}```\n"
        for title, messages in modules
        if messages
    )
    return f"\n## {part.title}\n\n{part.about}\n{listed}"


def _module_title(path: Path) -> str:
    """Return the first sentence of what a module says of itself, without its section."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return text.removeprefix("{# ").partition(".")[0]
    said = (ast.get_docstring(ast.parse(text)) or path.stem).split("\n")
    return re.sub(r" \([^()]*section[^()]*\)", "", said[0]).rstrip(".")


def _of_module(path: Path) -> list[str]:
    return _of_template(path) if path.suffix == ".html" else _of_python(path)


def _of_template(path: Path) -> list[str]:
    """Return the words between the tags of a Jinja template, and those in quotation marks."""
    source = path.read_text(encoding="utf-8")
    between = _TEMPLATE.sub("\0", re.sub(r"\{\{(.*?)\}\}", _last_word, source)).split("\0")
    return _each_once(text for text in (*between, *re.findall(r'"([^"\n]*)"', source)))


def _of_python(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set(_never_shown(tree))
    if path.is_relative_to(_COMMAND_LINE):
        left_out |= {id(each) for node in ast.walk(tree) for each in _help_of(node)}
    for node in ast.walk(tree):
        if len(parts := _parts(node)) > 1 or _is_expected(node):
            left_out |= {id(part) for part in parts}
    found = (_text(node) for node in ast.walk(tree) if id(node) not in left_out)
    return _each_once((*(text for text in found if text is not None), *_of_tables(tree)))


def _of_tables(tree: ast.AST) -> Iterator[str]:
    """Yield what tables of keys say: the titles, the descriptions, and what each word means."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="key_texts"), args=[ast.Constant(value=str() as table)]):
                for text in key_texts(table).values():
                    yield from (text.title, text.description, *text.words.values())


def _never_shown(tree: ast.AST) -> Iterator[int]:
    """Yield the nodes below which no message is: docstrings, the log, parts of a longer text.

    What `step` is given goes to the log, the values of `Operands` stand in the command lists, and
    tables of keys are read by `_of_tables`.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as text):
                yield id(text)
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id="_log" | "re")))
                | ast.Call(func=ast.Name(id="step" | "key_texts"))
                | ast.ClassDef(name="Operands")
            ):
                yield from map(id, ast.walk(node))
            case ast.JoinedStr(values=values):
                # What is in its braces may hold messages of its own.
                yield from (id(value) for value in values if isinstance(value, ast.Constant))


def _help_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what `--help` prints: of whole commands, and of their options."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _HELPED:
            yield from (each for value in node.args for each in ast.walk(value))
        for keyword in node.keywords:
            if keyword.arg in _HELP:
                yield from ast.walk(keyword.value)


def _parts(node: ast.AST) -> Sequence[ast.expr]:
    """Give the texts that a call shows as one: what is expected, or a problem and its cure."""
    match node:
        case ast.Call(args=[_, wanted, *_]) if _is_expected(node):
            return [wanted] if _text(wanted) else []
        case ast.Call(args=args, keywords=keywords):
            named = {keyword.arg: keyword.value for keyword in keywords}
            problem, cure = named.get("problem", args[0] if args else None), named.get("cure")
            if problem and cure and _text(problem) and _text(cure):
                return [problem, cure]
    return []


def _is_expected(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Attribute) and node.func.attr == "wrong_type"
    )


def _text(node: ast.AST) -> str | None:
    match node:
        case ast.Call() if parts := [_text(part) or "" for part in _parts(node)]:
            return f"expected {parts[0]}, found {{kind}}" if len(parts) == 1 else "; ".join(parts)
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                value.value if isinstance(value, ast.Constant) else f"{{{_name(value.value)}}}"
                for value in values
                if isinstance(value, ast.Constant | ast.FormattedValue)
            )
    return None


def _name(filled: ast.expr) -> str:
    """Name what is filled in by its last word, not by how it is shown or counted."""
    match filled:
        case ast.Call(func=ast.Name(id="counted"), args=[_, ast.Constant(value=str() as noun)]):
            return f"{noun}s"
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
    inner = _inner(filled)
    if inner is not None:
        return _name(inner)
    match filled:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name.strip("_").lower()
    return "…"


def _inner(filled: ast.expr) -> ast.expr | None:
    """Return what is shown, counted, or taken by default or from a list; None if it is plain."""
    match filled:
        case ast.Attribute(value=inner, attr="value") | ast.Subscript(value=inner):
            return inner
        case ast.BoolOp(values=[inner, *_]) | ast.GeneratorExp(elt=inner):
            return inner
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[*_, inner]) if (
            name in _SHOWING
        ):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _CUTTING:
            return inner
    return None


def _of_typescript(path: Path) -> list[str]:
    return _of_text(path, _TYPESCRIPT)


def _of_lua(path: Path) -> list[str]:
    return _of_text(path, _LUA)


def _of_text(path: Path, literal: re.Pattern[str]) -> list[str]:
    source = path.read_text(encoding="utf-8")
    texts = (re.sub(r"\$\{([^{}]*)\}", _last_word, text) for text in _joined(source, literal))
    plain = (text.replace("\\n", " ") for text in texts)
    return _each_once(re.sub(r"\\(['\"`])", r"\1", text) for text in plain)


def _joined(source: str, literal: re.Pattern[str]) -> Iterator[str]:
    """Give the literals of a source; those with only `+` or `..` between them are one text."""
    text, end = "", 0
    for match in literal.finditer(source):
        if match.lastindex:
            if not _JOINS.fullmatch(source, end, match.start()):
                yield text
                text = ""
            text, end = text + match[match.lastindex], match.end()
    yield text


def _last_word(match: re.Match[str]) -> str:
    words = re.findall(r"[A-Za-z]+", match[1])
    return f"{{{words[-1] if words else '…'}}}"


def _of_manifest(path: Path) -> list[str]:
    shown = {"title", "description", "markdownDescription", "contents", "altText", "name"}

    def walk(value: Any, key: str) -> Iterator[str]:
        match value:
            case dict():
                for name, below in value.items():
                    yield from walk(below, name)
            case list():
                for below in value:
                    yield from walk(below, key)
            case str() if key in shown or key.endswith("Descriptions"):
                yield value

    return _each_once(walk(json.loads(path.read_text(encoding="utf-8"))["contributes"], ""))


def _each_once(texts: Iterable[str]) -> list[str]:
    lines = (" ".join(text.split()) for text in texts if _is_message(text))
    return list(dict.fromkeys(lines))


def _is_message(text: str) -> bool:
    """Whether a text is one for people: words, and neither markup nor a command of SQL."""
    if _CODE.match(text) or _MARKUP.search(text) or text.strip() in _NOT_SHOWN:
        return False
    if _ENDINGS.fullmatch(text):
        return False
    return bool(_WORDS.search(text) and len(text.split()) > 2) or bool(_TITLE.fullmatch(text))


if __name__ == "__main__":
    PAGE.write_text(made(), encoding="utf-8")
