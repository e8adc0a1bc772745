"""docs/modules.md, and the folders and the figure in docs/architecture.md, made from the package.

`python -m tests.support.code_map` writes them; a test compares them with the code.
"""

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.support import architecture

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "intent_lsp"
MODULES_PAGE = ROOT / "docs" / "modules.md"
PAGE = ROOT / "docs" / "architecture.md"

_LAYERS = ("doors", "governance", "store", "formats", "core")
_COLUMN = 30
_MODULES = re.compile(r"(?<=```text\n).*?(?=\n```\n)", flags=re.DOTALL)
_FOLDERS = re.compile(r"(?<=\| folder \| what it is about \|\n\| --- \| --- \|\n)(?:\| .*\n)+")
_FIGURE = re.compile(r"(?<=```mermaid\n).*?(?=\n```\n)", flags=re.DOTALL)
_BOXES = (
    "doors/cli",
    *(f"doors/lsp{name}" for name in ("", "/requests", "/features", "/connection", "/wire")),
    *(f"doors/lsp/{name}" for name in ("diagnostics", "runtime", "protocol", "transport")),
    *(f"governance{name}" for name in ("", "/saves", "/calls", "/disk", "/ledger", "/plan")),
    *(f"governance/{name}" for name in ("views", "judging", "contents", "root")),
    *("store", "formats", "core"),
)
"""The folders that are boxes of the figure; a module is in the innermost that holds it."""


def modules_written() -> str:
    """Return the list of modules as the page has it."""
    return _found(_MODULES, MODULES_PAGE)


def modules_made() -> str:
    """Return the list of modules as the package has it: a line each, below its folder."""
    lines = [_line(PACKAGE / "__main__.py", 0)]
    for layer in _LAYERS:
        lines += _folder(PACKAGE / layer, 0)
    return "\n".join(lines)


def folders_written() -> str:
    """Return the table of folders as the page has it."""
    return _found(_FOLDERS, PAGE)


def folders_made() -> str:
    """Return the table of folders as the package has it: a row each, with its subject."""
    folders = [path.parent for path in PACKAGE.rglob("*/__init__.py")]
    names = {folder.relative_to(PACKAGE).as_posix(): folder for folder in folders}
    ordered = sorted(names, key=lambda name: (_LAYERS.index(name.split("/")[0]), name))
    return "".join(f"| `{name}/` | {_subject(names[name] / '__init__.py')} |\n" for name in ordered)


def figure_written() -> str:
    """Return the figure as the page has it."""
    return _found(_FIGURE, PAGE)


def figure_made() -> str:
    """Return the figure as the imports have it: folders as boxes, arrows to what they import.

    An arrow that other arrows imply is left out.
    """
    arrows = _reduced(_arrows(architecture.modules_of(PACKAGE)))
    numbers = {name: f"n{number}" for number, name in enumerate(_BOXES)}
    boxes = [f'  {numbers[name]}["{name}"]' for name in _BOXES]
    lines = [f"  {numbers[a]} --> {numbers[b]}" for a in _BOXES for b in _BOXES if b in arrows[a]]
    return "\n".join(["flowchart TD", *boxes, *lines])


def _arrows(modules: Iterable[architecture.Module]) -> dict[str, set[str]]:
    arrows: dict[str, set[str]] = {name: set() for name in _BOXES}
    for module in modules:
        importer = _box(module.name)
        for _, name in architecture.imports(module):
            imported = _box(name)
            if importer is not None and imported is not None and imported != importer:
                arrows[importer].add(imported)
    return arrows


def _box(module: str) -> str | None:
    """Return the innermost box that holds a module, or None if none does."""
    path = module.replace(".", "/").removeprefix("intent_lsp/")
    holding = [name for name in _BOXES if path.startswith(f"{name}/")]
    return max(holding, key=len, default=None)


def _reduced(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the arrows that no longer way implies."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        waiting = list(arrows[start])
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += arrows[name]
        return found

    return {
        name: {to for to in targets if not any(to in reached(other) for other in targets - {to})}
        for name, targets in arrows.items()
    }


def _found(part: re.Pattern[str], page: Path) -> str:
    found = part.search(page.read_text(encoding="utf-8"))
    return found.group() if found else ""


def _folder(folder: Path, depth: int) -> list[str]:
    lines = [_line(folder / "__init__.py", depth)]
    modules = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    lines += [_line(module, depth + 1) for module in modules]
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        lines += _folder(inner, depth + 1)
    return lines


def _line(module: Path, depth: int) -> str:
    name = module.parent.name + "/" if module.name == "__init__.py" else module.name
    return f"{'  ' * depth}{name}".ljust(_COLUMN) + " " + _subject(module)


def _subject(module: Path) -> str:
    """Return a module's first line, without the section that it comes from."""
    said = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    return re.sub(r" \([^()]*\bsections?\b[^()]*\)", "", said.partition("\n")[0]).rstrip(".")


def main() -> None:
    """Write the three parts anew."""
    for page, part, made in (
        (MODULES_PAGE, _MODULES, modules_made()),
        (PAGE, _FOLDERS, folders_made()),
        (PAGE, _FIGURE, figure_made()),
    ):
        text = page.read_text(encoding="utf-8")
        page.write_text(part.sub(lambda _, made=made: made, text, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
