"""The test files that a change concerns: `python -m tests.support.changed_tests [COMMIT]`.

Those that changed since the commit (HEAD), those that import a module that changed, and those of
the project's tidiness. What starts processes is left to whoever runs them: `make check` does not.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ALWAYS = ("tests/test_architecture.py", "tests/test_docs.py")
_APART = ("tests/e2e/", "tests/editors/")


def concerned(changed: Iterable[str], root: Path = ROOT) -> list[str]:
    """Name the test files to run, relative to the root."""
    files = {file for file in changed if file.endswith(".py") and (root / file).exists()}
    modules = {_module(file) for file in files}
    found = {
        file
        for file in _test_files(root)
        if file in files or not modules.isdisjoint(_imports(root / file))
    }
    always = {file for file in _ALWAYS if (root / file).exists()}
    return sorted(file for file in found | always if not file.startswith(_APART))


def changed_since(commit: str, root: Path = ROOT) -> list[str]:
    """Name the files that differ from a commit, and those that git does not track yet."""
    commands = (
        ("git", "diff", "--name-only", "-z", commit),
        ("git", "ls-files", "--others", "--exclude-standard", "-z"),
    )
    outputs = [
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
        for command in commands
    ]
    return [name for each in outputs for name in each.split("\0") if name]


def _test_files(root: Path) -> Iterator[str]:
    for path in sorted((root / "tests").rglob("test_*.py")):
        yield path.relative_to(root).as_posix()


def _imports(file: Path) -> Iterator[str]:
    """Name the modules that a file imports; of `from a import b` both a and a.b."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


if __name__ == "__main__":
    print(*concerned(changed_since(sys.argv[1] if sys.argv[1:] else "HEAD")), sep="\n")
