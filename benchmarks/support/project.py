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
"""The benchmarks select INT-001, which owns none of the files that they edit."""

WRONG: Final = TWO_INTENTS.replace("IN_PROGRESS", "BEGUN", 1)
"""An intents file with one mistake, and so with a first diagnostic."""


ENTRY: Final = """\
  - id: INT-{n:04}
    name: "Intent number {n}"
    status: {status}
    owned_scope:
      - "src/part{n}/**"
      - "tests/part{n}/**"
      - docs/part{n}.md
      - packages/{{a,b}}/part{n}/*.ts
    constraints:
      - "Must not change the public interface"
      - "Must keep {n} below the limit"
      # Said at the meeting.
      - Must log nothing
    acceptance_criteria:
      - "All tests of part {n} pass"
      - "Coverage is kept"
      - "The change is reviewed"
    related_files:
      - src/part{n}/main.ts
      - src/part{n}/other.ts
    recent_history:
      - "POST_HOOK write_to_file src/part{n}/main.ts"
      - "PRE_HOOK write_to_file src/part{n}/main.ts"
    aliases: []
    description: |
      A longer text about intent {n},
      over some lines,
      as people write them
      when they have time.

    created_at: "2026-02-16T12:00:00Z"
    updated_at: "2026-02-16T12:00:00Z"
"""
"""One intent of a long file, in the style of people; `n` and `status` are filled in."""


@contextmanager
def project(files: Mapping[str, str], intents: str = TWO_INTENTS) -> Iterator[Path]:
    """Make a repository with these files in one commit; yield its root."""
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
