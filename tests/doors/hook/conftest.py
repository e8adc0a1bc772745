"""A governed repository, and agents whose hooks are answered in it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.store.git import activity
from tests.support.hook_agent import INTENTS, TEXT, Agent
from tests.support.repository import Repository


@pytest.fixture(autouse=True)
def quick_rest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let git count as finished at once, and let the home directory be an empty one."""
    monkeypatch.setattr(activity, "RESTS_AFTER", -1.0)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def root(repository: Repository) -> Repository:
    """Return a governed repository with two open intents."""
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write("notes.txt", TEXT)
    repository.write("old.txt", "old\n")
    repository.write("docs/guide.md", "# Guide\n")
    repository.commit()
    return repository


@pytest.fixture
def agent(root: Repository) -> Agent:
    """Return an agent of Claude Code."""
    return Agent(root)


@pytest.fixture
def agents(root: Repository) -> Callable[..., Agent]:
    """Return a function that begins conversations."""
    return lambda **told: Agent(root, **told)
