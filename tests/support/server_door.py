"""Stories asked through a real server process, by a real client."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from intent_lsp.core.codes import ShownCode
from intent_lsp.governance.ledger.reader import tracing
from tests.support.agent_stories import Asker, Wish
from tests.support.editor import Editor, editing
from tests.support.repository import Repository
from tests.support.stories import Answer, Story

_AN_AGENT = {"contributor": {"entityType": "AI", "modelIdentifier": "a-model"}}
_CHOICES = {"approved": "Approve once", "rejected": "Reject"}


@asynccontextmanager
async def person_at_the_server(
    repository: Repository, story: Story
) -> AsyncIterator["ServerPerson"]:
    """Start an editor for a story, and end it."""
    options = _AN_AGENT if story.by_agent else None
    async with editing(repository.root, options=options) as editor:
        yield ServerPerson(editor)


@asynccontextmanager
async def agents_at_the_server(repository: Repository) -> AsyncIterator["ServerAgents"]:
    """Start an editor whose server agents' hosts may ask, and end it."""
    async with editing(repository.root) as editor:
        yield ServerAgents(editor)


@dataclass
class ServerPerson:
    """A person's editor with one file open."""

    editor: Editor
    name: str = ""
    passes_over: frozenset[str] = frozenset()

    async def select(self, intent_id: str) -> str:
        return await _refusal(self.editor, "select", {"intentId": intent_id})

    async def clear(self) -> None:
        await self.editor.ask("intent/clear")

    async def open(self, path: str) -> None:
        self.name = path
        self.editor.open(path)
        assert await self.editor.settled(path) == []

    async def text(self) -> str:
        return self.editor.buffers[self.name].text

    async def edit(self, text: str) -> None:
        self.editor.type(self.name, text)

    async def shows(self, codes: Sequence[str]) -> None:
        if not codes:
            await self.editor.settled(self.name)
        await self.editor.problems(self.name, *codes)

    async def would_be(self) -> Answer:
        return _explained(await self.editor.ask("intent/explain", {"path": self.name}))

    async def save(self, *, manual: bool) -> None:
        reason = lsp.TextDocumentSaveReason
        await self.editor.save(self.name, reason=reason.Manual if manual else reason.AfterDelay)
        await self.editor.settled(self.name)

    async def outside_changed(self) -> None:
        """The server notices by itself."""

    async def records(self) -> list[dict[str, Any]]:
        # A run of automatic saves would go on for a while: it ends as before a commit.
        with tracing(self.editor.root) as ledger:
            ledger.ledger.end_runs()
        page = await self.editor.ask("intent/trace", {"limit": 1000})
        records: list[dict[str, Any]] = list(reversed(page["records"]))
        await self.editor.traced(len(records))
        return records

    async def drafts(self) -> int:
        return len((await self.editor.ask("intent/drafts"))["drafts"])

    async def ledger_ok(self) -> bool:
        return bool((await self.editor.ask("intent/verify"))["ok"])


@dataclass
class ServerAgents:
    """Agents whose hosts ask a server: `intent/explain` and `intent/validateEdit` agree."""

    editor: Editor
    passes_over: frozenset[str] = frozenset()

    async def select(self, who: Asker, intent_id: str) -> str:
        return await _refusal(self.editor, "select", _of(who, intentId=intent_id))

    async def complete(self, who: Asker, intent_id: str) -> str:
        return await _refusal(self.editor, "complete", _of(who, intentId=intent_id))

    async def read(self, who: Asker, path: str) -> None:
        await self._ask("recordRead", who, path=path)

    async def begin_turn(self, who: Asker) -> None:
        await self._ask("beginTurn", who)

    async def answer(self, who: Asker, wish: Wish) -> Answer:
        call: dict[str, Any] = {"toolName": wish.tool, "paths": list(wish.paths)}
        call |= {"command": wish.command, "patch": wish.patch, "intentId": wish.intent}
        explained = _explained(await self._ask("explain", who, **call))
        if wish.word:
            await self.editor.choose(_CHOICES[wish.word])
        judged = _outcome(await self._ask("validateEdit", who, **call))
        assert not self.editor.choices, "no person is asked"
        if wish.word == "approved":
            return Answer(judged)
        assert explained.outcome == judged
        return explained

    async def look_up(self, who: Asker, what: str) -> str:
        name = {"records": "trace", "status": "status"}[what]
        return await _refusal(self.editor, name, _of(who))

    async def record(self, who: Asker, ticket: str) -> str:
        return await _refusal(self.editor, "recordEdit", _of(who, ticket=ticket, success=True))

    async def restore(self, draft: str) -> str:
        try:
            await self.editor.command("intent.restoreDraft", {"id": draft})
        except JsonRpcException as refused:
            return _code(refused)
        return ""

    async def _ask(self, name: str, who: Asker, **params: Any) -> Any:
        return await self.editor.ask(f"intent/{name}", _of(who, **params))


def _of(who: Asker, **params: Any) -> dict[str, Any]:
    agent = {"agentId": who.agent} if who.agent else {}
    return {"sessionId": who.session, **agent, **params}


async def _refusal(editor: Editor, name: str, params: dict[str, Any]) -> str:
    """Send a request; give the code of its error, or nothing."""
    try:
        await editor.ask(f"intent/{name}", params)
    except JsonRpcException as refused:
        return _code(refused)
    return ""


def _code(refused: JsonRpcException) -> str:
    assert refused.code == -32803, refused
    assert refused.data is not None
    return str(refused.data["code"])


def _explained(told: dict[str, Any]) -> Answer:
    rows = [(row["row"], row["code"], row["outcome"]) for row in told["rows"]]
    return Answer(_outcome(told["decision"]), rows)


def _outcome(decision: dict[str, Any]) -> str:
    if not decision["allowed"]:
        return str(decision["error"]["code"])
    verdict = str(decision["scopeValidation"])
    # What may be saved, and yet is recorded as a violation, is what only the server writes.
    return ShownCode.CONTROL_PLANE_EDIT.value if verdict == "FAIL" else verdict
