"""The cases of `tests/cases/agents`, asked at every door."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.gate.request import Ask, Denied
from intent_lsp.doors.cli.main import run
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal, Selection
from tests.support.editor import Editor, editing
from tests.support.governed_repository import FILES, set_policy
from tests.support.repository import Repository

CASES = Path(__file__).parent / "cases" / "agents"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a case, and where it stands."""

    place: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asker:
    """An agent's session, or a subagent of it."""

    session: str
    agent: str

    @classmethod
    def of(cls, who: str) -> "Asker":
        session, _, agent = who.partition("/")
        return cls(session, agent)


@dataclass(frozen=True, slots=True)
class Wish:
    """A call that an agent wants to make."""

    tool: str
    paths: tuple[str, ...] = ()
    command: str | None = None
    patch: str | None = None


class Door:
    """What a door must be able to do for a case to be asked there."""

    async def select(self, who: Asker, intent_id: str) -> None:
        raise NotImplementedError

    async def complete(self, who: Asker, intent_id: str) -> None:
        raise NotImplementedError

    async def outcome(self, who: Asker, wish: Wish) -> str:
        """Give the verdict, or the code that refuses."""
        raise NotImplementedError


def cases() -> Iterator[tuple[str, tuple[str, ...], tuple[Line, ...]]]:
    for path in sorted(CASES.glob("*.txt")):
        first, *lines = path.read_text().splitlines()
        assert first.startswith("# "), path.name
        policy = tuple(line[7:] for line in lines if line.startswith("policy "))
        told = tuple(
            Line(f"{path.name}:{number}: {line}", _words(line))
            for number, line in enumerate(lines, 2)
            if line and not line.startswith(("#", "policy "))
        )
        yield path.stem, policy, told


def _words(line: str) -> tuple[str, ...]:
    quoted = line.replace("\\n", "\\\\n")
    return tuple(word.replace("\\n", "\n") for word in shlex.split(quoted))


each_case = pytest.mark.parametrize(
    ("policy", "lines"), [pytest.param(policy, lines, id=name) for name, policy, lines in cases()]
)


def project(repository: Repository, policy: tuple[str, ...]) -> Repository:
    for name, text in FILES.items():
        repository.write(name, text)
    if policy:
        set_policy(repository, "\n  ".join(policy))
    repository.commit("begin")
    return repository


async def ask(lines: tuple[Line, ...], repository: Repository, door: Door) -> None:
    for line in lines:
        try:
            await _take(line.words, repository, door)
        except AssertionError as wrong:
            raise AssertionError(f"{line.place}: {wrong}") from wrong


async def _take(words: tuple[str, ...], repository: Repository, door: Door) -> None:
    words = tuple(word.replace("${ROOT}", str(repository.root)) for word in words)
    match words:
        case ("file", path, text):
            repository.write(path, text)
        case ("link", path, "->", target):
            (repository.root / path).symlink_to(target)
        case (who, "selects", intent_id):
            await door.select(Asker.of(who), intent_id)
        case (who, "completes", intent_id):
            await door.complete(Asker.of(who), intent_id)
        case (who, "wants", tool, *paths, "->", outcome):
            wish = Wish(tool, paths=tuple(paths))
            assert await door.outcome(Asker.of(who), wish) == outcome
        case (who, "runs", command, "->", outcome):
            assert await door.outcome(Asker.of(who), Wish("Bash", command=command)) == outcome
        case (who, "patches", patch, "->", outcome):
            assert await door.outcome(Asker.of(who), Wish("apply_patch", patch=patch)) == outcome
        case _:
            raise AssertionError("no door knows these words")


@each_case
async def test_at_the_desk(
    policy: tuple[str, ...], lines: tuple[Line, ...], repository: Repository
) -> None:
    governance = Governance(project(repository, policy).root)
    try:
        await ask(lines, repository, DeskDoor(governance))
    finally:
        governance.close(None)


@pytest.mark.e2e
@each_case
async def test_through_a_server(
    policy: tuple[str, ...], lines: tuple[Line, ...], repository: Repository
) -> None:
    async with editing(project(repository, policy).root) as editor:
        await ask(lines, repository, ServerDoor(editor))


@each_case
async def test_at_the_command_line(
    policy: tuple[str, ...],
    lines: tuple[Line, ...],
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project(repository, policy)
    await ask(lines, repository, ShellDoor(repository.root, capsys))


@dataclass
class DeskDoor(Door):
    """The desk asked directly, as a door would ask it."""

    governance: Governance

    async def select(self, who: Asker, intent_id: str) -> None:
        session = self.governance.sessions.open_agent(who.session, who.agent)
        done = self.governance.checkout.select(session, intent_id, unsaved_file=False)
        assert isinstance(done, Selection), done

    async def complete(self, who: Asker, intent_id: str) -> None:
        session = self.governance.sessions.of_agent(who.session, who.agent)
        done = self.governance.planning.complete(session, intent_id, unsaved_file=False)
        assert not isinstance(done, CheckoutRefusal), done

    async def outcome(self, who: Asker, wish: Wish) -> str:
        call = ToolCall(
            tool_name=wish.tool, paths=wish.paths, command=wish.command, patch=wish.patch
        )
        decision = self.governance.calls.admit(who.session, who.agent, call).decision
        assert not isinstance(decision, Ask)
        return decision.code.value if isinstance(decision, Denied) else decision.verdict.value


@dataclass
class ServerDoor(Door):
    """A real server process behind a real client."""

    editor: Editor

    async def select(self, who: Asker, intent_id: str) -> None:
        await self._ask("select", who, intentId=intent_id)

    async def complete(self, who: Asker, intent_id: str) -> None:
        await self._ask("complete", who, intentId=intent_id)

    async def outcome(self, who: Asker, wish: Wish) -> str:
        told: dict[str, Any] = {"toolName": wish.tool, "paths": list(wish.paths)}
        told |= {"command": wish.command, "patch": wish.patch}
        explained = await self._ask("explain", who, **told)
        judged = await self._ask("validateEdit", who, **told)
        outcome = _outcome(judged)
        assert _outcome(explained["decision"]) == outcome
        return outcome

    async def _ask(self, name: str, who: Asker, **params: Any) -> Any:
        agent = {"agentId": who.agent} if who.agent else {}
        return await self.editor.ask(
            f"intent/{name}", {"sessionId": who.session, **agent, **params}
        )


@dataclass
class ShellDoor(Door):
    """The command line, as an agent without anything else would use it."""

    root: Path
    capsys: pytest.CaptureFixture[str]

    async def select(self, who: Asker, intent_id: str) -> None:
        self._run("intents", "select", intent_id, who=who)

    async def complete(self, who: Asker, intent_id: str) -> None:
        self._run("intents", "complete", intent_id, who=who)

    async def outcome(self, who: Asker, wish: Wish) -> str:
        patch: list[str] = []
        if wish.patch is not None:
            file = self.root.parent / "the.patch"
            file.write_text(wish.patch)
            patch = ["--patch", str(file)]
        command = [] if wish.command is None else ["--command", wish.command]
        words = ("explain", *wish.paths, "--tool", wish.tool, *command, *patch, "--json")
        status, told = self._run(*words, who=who)
        outcome = _outcome(json.loads(told)["decision"])
        assert status == (0 if outcome in ("PASS", "EXEMPT") else 1)
        return outcome

    def _run(self, *words: str, who: Asker) -> tuple[int, str]:
        agent = ("--agent", who.agent) if who.agent else ()
        place = ("-C", str(self.root), "--session", who.session, *agent)
        status = run((*words, *place), product_line="intent-lsp", serve=lambda _, **__: 2)
        out, err = self.capsys.readouterr()
        assert status != 2, err
        return status, out


def _outcome(decision: dict[str, Any]) -> str:
    if not decision["allowed"]:
        return str(decision["error"]["code"])
    return str(decision["scopeValidation"])
