"""The code map of docs/architecture.md, made from the modules' own signs.

`python -m tests.support.code_map` writes it anew; a test compares it.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "intent_lsp"

_ROOMS = ("doors", "governance", "store", "formats", "core")
_COLUMN = 26
_MAP = re.compile(r"(?<=## Code map\n\n```text\n).*?(?=\n```\n)", flags=re.DOTALL)


def written() -> str:
    """Give the map as the page has it."""
    found = _MAP.search(PAGE.read_text(encoding="utf-8"))
    return found.group() if found else ""


def made() -> str:
    """Give the map as the package has it: a line a module, below its room, with its sign."""
    lines = [_line(PACKAGE / "__main__.py", 0)]
    for room in _ROOMS:
        lines += _room(PACKAGE / room, 0)
    return "\n".join(lines)


def _room(room: Path, depth: int) -> list[str]:
    lines = [_line(room / "__init__.py", depth)]
    modules = sorted(path for path in room.glob("*.py") if path.name != "__init__.py")
    lines += [_line(module, depth + 1) for module in modules]
    for inner in sorted(path.parent for path in room.glob("*/__init__.py")):
        lines += _room(inner, depth + 1)
    return lines


def _line(module: Path, depth: int) -> str:
    name = module.parent.name + "/" if module.name == "__init__.py" else module.name
    sign = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    # Where in the specification a module comes from is of no use on a map.
    head = re.sub(r" \([^()]*\bsections?\b[^()]*\)", "", sign.partition("\n")[0]).rstrip(".")
    return f"{'  ' * depth}{name}".ljust(_COLUMN) + " " + head


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_MAP.sub(lambda _: made(), page), encoding="utf-8")
