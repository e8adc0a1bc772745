"""The size of the package: modules, and lines of code without blanks, comments and docstrings.

`python -m tests.support.package_size [DIRECTORY]` prints it for this tree or another checkout.
Data and templates (TOML, YAML, HTML, Jinja) count with lines that are neither blank nor comments.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

_DATA = {".toml", ".html", ".jinja", ".css", ".js", ".yaml"}
_LAYOUT = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


def lines_of_code(source: str) -> int:
    """Count the lines of a module that hold code."""
    prose = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _LAYOUT and token.type != tokenize.ENDMARKER
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - prose)


def lines_of_data(source: str) -> int:
    """Count the lines of a data file or a template that hold anything."""
    lines = (line.strip() for line in source.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def measure(package: Path) -> Counter[str]:
    """Count modules, folders, lines of code, and lines of data below a package."""
    found: Counter[str] = Counter()
    for path in sorted(package.rglob("*")):
        if path.suffix == ".py":
            source = path.read_text(encoding="utf-8")
            found["folders" if path.name == "__init__.py" else "modules"] += 1
            found["lines of code"] += lines_of_code(source)
            found["lines in all"] += source.count("\n")
        elif path.suffix in _DATA:
            found["lines of data"] += lines_of_data(path.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    root = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2]
    for what, count in sorted(measure(root / "intent_lsp").items()):
        sys.stdout.write(f"{count:7,} {what}\n")
