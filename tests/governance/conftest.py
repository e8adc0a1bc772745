"""A governed repository for each test, and an editor session on its governance."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intent_lsp.store.git import activity
from tests.governance.editor import INTENTS, Editor
from tests.governance.work import Work
from tests.support.repository import Repository


@pytest.fixture
def governed(repository: Repository) -> Repository:
    """Return a repository with two intents, and a file for each and for none, all committed."""
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write("src/auth/login.py", "one\ntwo\nthree\n")
    repository.write("docs/guide.md", "# Guide\n")
    repository.write("src/db.py", "alpha\nbeta\ngamma\n")
    repository.commit()
    return repository


@pytest.fixture
def open_editor() -> Iterator[Callable[..., Editor]]:
    """Return a function that opens editors, which are closed after the test."""
    opened: list[Editor] = []

    def open_one(root: Path, session_id: str | None = None) -> Editor:
        opened.append(Editor.open(root, session_id))
        return opened[-1]

    yield open_one
    for editor in opened:
        editor.close()


@pytest.fixture
def editor(governed: Repository, open_editor: Callable[..., Editor]) -> Editor:
    """Return an editor at work in the governed repository, without an intent."""
    return open_editor(governed.root)


@pytest.fixture(autouse=True)
def quick_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let git count as finished at once when nothing of it changes: no hook runs here."""
    monkeypatch.setattr(activity, "RESTS_AFTER", -1.0)


@pytest.fixture
def shell() -> Callable[[Path, str], None]:
    """Return a function that runs a shell command in a directory; it must succeed."""

    def run(root: Path, command: str) -> None:
        subprocess.run(["sh", "-ec", command], cwd=root, check=True, capture_output=True)

    return run


@pytest.fixture
def work(editor: Editor, governed: Repository) -> Work:
    """Return a governance with an editor session and agents, on a committed tree."""
    governed.write(".gitignore", "")
    governed.commit()
    return Work(editor, governed)
