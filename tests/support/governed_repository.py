"""A governed repository for tests: two intents, some files, one commit."""

import shutil
from pathlib import Path

from tests.support.repository import Repository

INTENTS = """\
active_intents:
  - id: INT-001   # the first
    name: "Login"
    status: PLANNED
    owned_scope: ["src/auth/**"]
    constraints: ["No external providers"]
    acceptance_criteria: ["Tests pass"]
  - id: INT-002
    name: Billing
    status: IN_PROGRESS
    owned_scope:
      - 'src/billing/**'
"""

LINES = "".join(f"line {number}\n" for number in range(1, 11))

FILES = {
    ".orchestration/active_intents.yaml": INTENTS,
    ".gitignore": "build/\n",
    "src/auth/login.py": LINES,
    "src/billing/invoice.py": LINES,
    "README.md": "# A project\n",
}


def govern(repository: Repository, policy: str = "") -> Repository:
    """Write the files of a governed project, with a line of policy if given, and commit them."""
    for name, text in FILES.items():
        repository.write(name, text)
    if policy:
        set_policy(repository, policy)
    repository.commit("begin")
    return repository


def remove_at_once(directory: Path) -> None:
    """Remove a directory in one step, by a rename: a server may be writing into it."""
    aside = directory.with_name(f"{directory.name}-taken")
    shutil.rmtree(directory.rename(aside.parent.parent / aside.name))


def set_policy(repository: Repository, policy: str) -> None:
    """Write the team's policy."""
    repository.write(".orchestration/constraints.sidecar.yaml", f"sidecar:\n  {policy}\n")
