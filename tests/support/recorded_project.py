"""A project with a committed ledger, the same in every run: two weeks' work of a person and agents.

Its commits and records have ids that never change, so that a report of a check can be compared
word for word.
"""

from pathlib import Path
from typing import Final

from tests.support import repository as repositories
from tests.support.recorded_edits import By, RecordedRepository

INTENTS: Final = """\
active_intents:
  - id: INT-001
    name: Login by token
    status: IN_PROGRESS
    owned_scope: ["src/auth/**", "tests/auth/**"]
  - id: INT-002
    name: Invoices as PDF
    status: PLANNED
    owned_scope: ["src/billing/**"]
"""
LOGIN: Final = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(6))
AGENT: Final = By("AI", "INT-001")
PERSON: Final = By("HUMAN", "INT-001")


def recorded_project(root: Path) -> RecordedRepository:
    """Make the project at `root`. The branch `work` has five commits that `main` has not."""
    world = RecordedRepository(repositories.create(root))
    world.repository.write(".orchestration/active_intents.yaml", INTENTS)
    world.repository.write(".orchestration/.gitignore", ".local/\n")
    world.write("src/auth/login.py", LOGIN, PERSON)
    world.write("src/billing/invoice.py", "total = 0\n", By("HUMAN", "INT-002"))
    world.commit("Begin")
    world.repository.git("checkout", "--quiet", "-b", "work")
    _work(world)
    return world


def _work(world: RecordedRepository) -> None:
    login = "src/auth/login.py"
    world.write(login, LOGIN.replace("return 2", "return token(2)"), AGENT)
    world.write("tests/auth/test_login.py", "def test_login():\n    assert True\n", AGENT)
    world.commit("Ask for a token", author="Claude <noreply@anthropic.com>")
    world.append("src/billing/invoice.py", "total += 1\n", AGENT)
    world.commit("Count", author="Claude <noreply@anthropic.com>")
    world.append(login, "# Formatted by hand.\n")
    world.commit("Format\n\nIntent: INT-001")
    world.write(".claude/settings.json", '{"hooks": {}}\n', AGENT)
    world.commit("Allow everything", author="Claude <noreply@anthropic.com>")
    world.rename(login, "src/auth/signin.py", PERSON)
    world.commit("Rename")
