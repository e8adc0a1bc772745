"""All benchmarks, or those that are named: `python -m benchmarks [--quick] [--check] [NAME …]`.

Each runs in a process of its own, one after the other.
"""

import argparse
import ast
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all benchmarks, sorted."""
    return sorted(path.stem for path in HERE.glob("[!_]*.py"))


def question(name: str) -> str:
    """Return the first line of a benchmark's docstring: the question that it answers."""
    said = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text())) or ""
    return said.partition("\n")[0]


def main(words: Sequence[str] | None = None) -> int:
    known = names()
    parser = argparse.ArgumentParser(
        prog="benchmarks",
        description="Run benchmarks: figures, their floors and their aims.",
        epilog="\n".join(f"  {name:<24}{question(name)}" for name in known),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="all where none is named")
    parser.add_argument("--list", action="store_true", help="name them, and run none")
    parser.add_argument("--quick", action="store_true", help="few rounds: only to see them run")
    parser.add_argument("--check", action="store_true", help="exit 1 where an aim is missed")
    asked = parser.parse_args(words)
    if unknown := set(asked.names) - set(known):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    if asked.list:
        print(parser.epilog)
        return 0
    flags = [f"--{flag}" for flag in ("quick", "check") if getattr(asked, flag)]
    failed = [name for name in asked.names or known if run(name, flags)]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return int(bool(failed))


def run(name: str, flags: Sequence[str]) -> int:
    """Run one benchmark; return its exit status."""
    command = [sys.executable, "-m", f"benchmarks.{name}", *flags]
    return subprocess.run(command, cwd=HERE.parent, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
