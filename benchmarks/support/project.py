"""A governed project to measure in: a real git repository in a temporary directory."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.support.client import environment

INTENTS_FILE: Final = ".orchestration/active_intents.yaml"
POLICY_FILE: Final = ".orchestration/constraints.sidecar.yaml"

TWO_INTENTS: Final = """\
active_intents:
  - id: INT-001
    name: Login
    status: IN_PROGRESS
    owned_scope: ["src/auth/**"]
  - id: INT-002
    name: Billing
    status: IN_PROGRESS
    owned_scope: ["src/billing/**"]
"""
"""INT-001 owns nothing of what is edited."""


@contextmanager
def project(files: Mapping[str, str], intents: str = TWO_INTENTS) -> Iterator[Path]:
    """Make a repository with these files in its one commit; give its root."""
    with tempfile.TemporaryDirectory(prefix="intent-lsp-bench-") as directory:
        root = Path(directory).resolve() / "project"
        for name, text in {INTENTS_FILE: intents, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, newline="")
        _git(root, "init", "--quiet")
        _git(root, "add", "--all")
        _git(root, "commit", "--quiet", "--message", "begin")
        yield root


def _git(root: Path, *words: str) -> None:
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")
    subprocess.run(["git", *person, *words], cwd=root, env=environment(), check=True)
