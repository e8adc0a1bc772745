"""A shell for tests: commands run in this process, as if a person typed them in a directory."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.__main__ import PRODUCT_LINE
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.command import OtherDoors
from intent_lsp.doors.cli.main import run
from intent_lsp.doors.hook.hook import run_hook
from tests.support.governed_repository import govern
from tests.support.repository import Repository

INTENTS = """\
active_intents:
  - id: INT-001
    name: First
    aliases: [OLD-1]
    status: IN_PROGRESS
    owned_scope: ["src/**"]
"""


@dataclass(frozen=True, slots=True)
class Said:
    """The result of a command: exit status and output."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output, read as JSON."""
        return json.loads(self.out)

    @property
    def problem(self) -> str:
        """The error line of a command that was refused with status 2."""
        assert (self.status, self.out) == (2, ""), self
        assert self.err.startswith("intent-lsp: ")
        assert self.err.count("\n") == 1
        return self.err


Shell = Callable[..., Said]


class Terminal(io.StringIO):
    """A stream that a person looks at or types on."""

    def isatty(self) -> bool:
        return True


def file_of(project: Repository) -> str:
    """Return the text of the intents file."""
    return (project.root / INTENTS_FILE).read_text("utf-8")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    def typed(*words: str, served: list[str] | None = None) -> Said:
        def serve(level: str, *_: object) -> int:
            (served if served is not None else []).append(level)
            return 0

        status = run(
            words,
            product_line=PRODUCT_LINE,
            doors=OtherDoors(serve=serve, serve_mcp=serve, hook=run_hook),
        )
        out, err = capsys.readouterr()
        return Said(status, out, err)

    return typed


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a governed directory, and stand in it."""
    found = tmp_path / "repo"
    file = found / INTENTS_FILE
    file.parent.mkdir(parents=True)
    file.write_text(INTENTS)
    monkeypatch.chdir(found)
    monkeypatch.setenv("TZ", "UTC")
    return found


@pytest.fixture
def project(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Return a governed repository of two intents, and stand in it, in no session."""
    govern(repository)
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("INTENT_LSP_SESSION", raising=False)
    return repository
