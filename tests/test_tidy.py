"""Tidiness as tests: people, editors and CI have one command, and it is pytest."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("ruff", "check", "--output-format=concise", "."), id="ruff-check"),
        pytest.param(("ruff", "format", "--check", "--diff", "--quiet", "."), id="ruff-format"),
        pytest.param(("mypy", "--no-error-summary"), id="mypy"),
        pytest.param(("lint-imports",), id="lint-imports"),
    ],
)
def test_the_tree_is_tidy(command: tuple[str, ...]) -> None:
    """Long on a fresh checkout: mypy reads every library once before it has a cache."""
    tool, *arguments = command
    done = subprocess.run(
        [TOOLS / tool, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
