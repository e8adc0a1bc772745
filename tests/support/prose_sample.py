"""A random sample of docstrings and messages, for somebody to read who does not know the code.

`python -m tests.support.prose_sample [COUNT]` prints that many of each (60 by default), drawn by
the hash of the tree that is checked out: the same tree gives the same sample. A message has above
it its situation: the file, what that is, and the function that says it.
"""

import ast
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support import message_list

ROOT = Path(__file__).parents[2]
_KINDS = ("@property", "@cached_property", "@classmethod", "@staticmethod", "@contextmanager")


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings() -> Iterator[str]:
    """Yield each docstring of the package below its file, qualified name and signature."""
    for path in sorted((ROOT / "intent_lsp").rglob("*.py")):
        for owner, node in _documented(ast.parse(path.read_text(encoding="utf-8")), ""):
            if said := ast.get_docstring(node):
                yield f"{path.relative_to(ROOT).as_posix()}\n{_head(owner, node)}\n{said}"


def _documented(node: ast.AST, owner: str) -> Iterator[tuple[str, Documented]]:
    """Yield what may have a docstring in `node`, each after the names around it, with dots."""
    if isinstance(node, Documented):
        yield owner, node
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        owner = f"{owner}{node.name}."
    for child in ast.iter_child_nodes(node):
        yield from _documented(child, owner)


def _head(owner: str, node: Documented) -> str:
    """Return a qualified name with the decorators of properties, the signature, or the bases."""
    match node:
        case ast.Module():
            return "module"
        case ast.ClassDef():
            bases = ", ".join(map(ast.unparse, node.bases))
            return f"class {owner}{node.name}" + (f"({bases})" if bases else "")
        case _:
            returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            marks = [f"@{ast.unparse(each)} " for each in node.decorator_list]
            kind = "".join(mark for mark in marks if mark.rstrip() in _KINDS)
            return f"{kind}def {owner}{node.name}({ast.unparse(node.args)}){returned}"


def main() -> None:
    """Print the sample."""
    count = int(sys.argv[1]) if sys.argv[1:] else 60
    tree = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    chance = random.Random(tree)  # noqa: S311 - a sample, not a secret
    _write(f"Docstrings of tree {tree[:12]}", chance.sample(list(docstrings()), count))
    drawn = chance.sample(list(message_list.all_messages()), count)
    messages = [f"{message_list.situation(*each)}\n> {each[1]}" for each in drawn]
    _write(f"Messages of tree {tree[:12]}", messages)


def _write(title: str, drawn: Sequence[str]) -> None:
    sys.stdout.write(f"# {title}\n\n")
    for number, each in enumerate(drawn, 1):
        sys.stdout.write(f"{number}. {each}\n\n")


if __name__ == "__main__":
    main()
