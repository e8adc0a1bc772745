"""Stories asked at the command line: commands run in this process, as in a shell.

What has no command (typing, saving, reading, a turn) is done at governance, as an editor or an
agent's host that runs beside the shell would do it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.codes import RequestCode, ShownCode
from intent_lsp.doors.cli.command import OtherDoors
from intent_lsp.doors.cli.main import run
from intent_lsp.doors.hook.hook import run_hook
from tests.support.agent_stories import Asker, Wish
from tests.support.governance_door import (
    GovernancePerson,
    agents_at_governance,
    person_at_governance,
)
from tests.support.repository import Repository
from tests.support.stories import Answer, Story

_SAID = {
    RequestCode.INTENT_NOT_FOUND: r"Intent \S+ is not in \.orchestration/active_intents\.yaml\.",
    RequestCode.INTENT_CLOSED: r"Intent \S+ is (COMPLETED|ABANDONED|ARCHIVED);",
    RequestCode.INTENT_IGNORED: r"is excluded by \.intentignore;",
    RequestCode.NOT_GOVERNED: r"governance is off: ",
    RequestCode.INTENTS_FILE_UNWRITTEN: r"was not set to COMPLETED in \.orchestration/",
    RequestCode.LEDGER_UNAVAILABLE: r"agent_trace\.jsonl: it is not a regular file",
}
"""How a command that is not obeyed says each code: people get the sentence alone."""


@contextmanager
def person_at_the_command_line(
    repository: Repository, story: Story, capsys: pytest.CaptureFixture[str]
) -> Iterator["CommandLinePerson"]:
    """Open an editor's session beside a shell, and end it."""
    with person_at_governance(repository, story) as editor:
        yield CommandLinePerson(editor, _Shell(repository.root, capsys))


def _no_server(*_: object) -> int:
    return 2


@dataclass(frozen=True, slots=True)
class _Shell:
    """A shell in a directory."""

    root: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command; give its status, what it printed, and its errors."""
        line = (*words, "-C", str(self.root))
        status = run(
            line,
            product_line="intent-lsp",
            doors=OtherDoors(serve=_no_server, serve_mcp=_no_server, hook=run_hook),
        )
        out, err = self.capsys.readouterr()
        return status, out, err

    def obeyed(self, *words: str) -> str:
        """Run a command that is obeyed; give what it printed."""
        status, out, err = self.run(*words)
        assert status == 0, err
        return out

    def refusal(self, *words: str) -> str:
        """Run a command; give the code that it says in a sentence, or nothing."""
        status, _, err = self.run(*words)
        if status == 0:
            return ""
        assert status == 2, err
        (code,) = [code for code, said in _SAID.items() if re.search(said, err)]
        return code

    def explained(self, *words: str) -> Answer:
        """Run `explain`; give what it says."""
        status, out, err = self.run("explain", *words, "--json")
        assert status != 2, err
        told = json.loads(out)
        rows = [(row["row"], row["code"], row["outcome"]) for row in told["rows"]]
        decision = told["decision"]
        assert status == (0 if decision["allowed"] else 1)
        if not decision["allowed"]:
            return Answer(decision["error"]["code"], rows)
        return Answer(decision["scopeValidation"], rows)


class CommandLinePerson:
    """A person who types in an editor, and asks in a shell."""

    passes_over = frozenset({"shows", "drafts"})

    def __init__(self, editor: GovernancePerson, shell: _Shell) -> None:
        self._shell = shell
        self._session = ("--session", editor.session.id)
        self._editor = editor
        self.clear, self.open, self.text = editor.clear, editor.open, editor.text
        self.edit, self.save, self.shows = editor.edit, editor.save, editor.shows
        self.outside_changed, self.drafts = editor.outside_changed, editor.drafts

    async def select(self, intent_id: str) -> str:
        refusal = self._shell.refusal("intents", "select", intent_id, *self._session)
        if not refusal:
            listed = json.loads(self._shell.obeyed("intents", "list", *self._session, "--json"))
            assert listed["activeIntentId"] == intent_id
            shown = json.loads(self._shell.obeyed("intents", "show", intent_id, "--json"))
            assert shown["intent"]["status"] == "IN_PROGRESS"
        return refusal

    async def would_be(self) -> Answer:
        path = self._editor.path
        answer = self._shell.explained(path, *self._session)
        if answer.outcome != "FAIL":
            return answer
        # People are told the code of what only the server writes; it refuses nothing.
        _, said, _ = self._shell.run("explain", path, *self._session)
        (code,) = re.findall(r"--code (\w+)", said)
        assert code == ShownCode.CONTROL_PLANE_EDIT
        return Answer(code, answer.rows)

    async def records(self) -> list[dict[str, Any]]:
        self._shell.obeyed("trace", "flush")
        printed = self._shell.obeyed("trace", "list", "--limit", "0", "--json")
        return [json.loads(line) for line in reversed(printed.splitlines())]

    async def ledger_ok(self) -> bool:
        return bool(json.loads(self._shell.obeyed("trace", "verify", "--json"))["ok"])


class CommandLineAgents:
    """Agents without anything but a shell."""

    passes_over = frozenset({"approved"})

    def __init__(self, repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
        self._repository = repository
        self._shell = _Shell(repository.root, capsys)

    async def select(self, who: Asker, intent_id: str) -> str:
        return self._shell.refusal("intents", "select", intent_id, *_asking(who))

    async def complete(self, who: Asker, intent_id: str) -> str:
        return self._shell.refusal("intents", "complete", intent_id, *_asking(who))

    async def read(self, who: Asker, path: str) -> None:
        with agents_at_governance(self._repository) as host:
            await host.read(who, path)

    async def begin_turn(self, who: Asker) -> None:
        with agents_at_governance(self._repository) as host:
            await host.begin_turn(who)

    async def answer(self, who: Asker, wish: Wish) -> Answer:
        words = [*wish.paths, "--tool", wish.tool]
        if wish.command is not None:
            words += ["--command", wish.command]
        if wish.intent is not None:
            words += ["--intent", wish.intent]
        if wish.patch is not None:
            file = self._repository.root.parent / "the.patch"
            file.write_text(wish.patch)
            words += ["--patch", str(file)]
        return self._shell.explained(*words, *_asking(who))

    async def look_up(self, who: Asker, what: str) -> str:
        if what == "records":
            return self._shell.refusal("trace", "list")
        return self._shell.refusal("status", *_asking(who))

    async def record(self, who: Asker, ticket: str) -> str:
        raise NotImplementedError("no command records a ticket")

    async def restore(self, draft: str) -> str:
        raise NotImplementedError("no command restores a draft")


def _asking(who: Asker) -> tuple[str, ...]:
    return ("--session", who.session, *(("--agent", who.agent) if who.agent else ()))
