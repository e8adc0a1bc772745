"""Two servers on one root, four agents, twenty files: nobody writes over what they never read.

Each accepted edit adds a line of its own to what its agent has read: had one passed on a stale
read, the line of another would be gone.
"""

import asyncio
import random
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.content import hash_content
from tests.support.editor import Editor, editing
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

EDITS = 2_000
SOME_EDITS = 400
AGENTS = 4
FILES = tuple(f"src/{number:02}.txt" for number in range(20))

INTENTS = """\
active_intents:
  - id: INT-001
    name: Everything
    status: IN_PROGRESS
    owned_scope: ["src/**"]
"""


@dataclass
class Agent:
    """An agent on one of the servers: what it may write, and what became of it."""

    editor: Editor
    root: Path
    name: str
    chance: random.Random
    written: list[tuple[str, str]] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    async def ask(self, name: str, **params: Any) -> Any:
        return await self.editor.ask(f"intent/{name}", {"sessionId": self.name, **params})

    async def work(self, edits: int) -> None:
        await self.ask("select", intentId="INT-001")
        for number in range(edits):
            path = self.chance.choice(FILES)
            text = (self.root / path).read_text()
            hash_ = hash_content(text.encode())
            await self.ask("recordRead", path=path, hash=hash_)
            line = f"{self.name} {number}"
            edit = self.apply if number % 2 else self.write
            if await edit(path, f"{text}{line}\n"):
                self.written.append((path, line))

    async def apply(self, path: str, text: str) -> bool:
        told = await self.ask("applyEdit", toolName="Write", path=path, newText=text)
        return self.became(told, told["applied"], told["recordId"])

    async def write(self, path: str, text: str) -> bool:
        told = await self.ask("validateEdit", toolName="Write", path=path)
        if not told["allowed"]:
            return self.became(told, done=False, record=None)
        (self.root / path).write_text(text)
        outcome = await self.ask("recordEdit", ticket=told["ticket"], success=True)
        return self.became(told, done=True, record=outcome["recordId"])

    def became(self, told: Any, done: bool, record: str | None) -> bool:  # noqa: FBT001 - as told
        if done:
            assert record is not None, told
            self.records.append(record)
            return True
        assert not told["allowed"], told
        self.refused.append(told["error"]["code"])
        return False


@pytest.mark.parametrize("edits", [SOME_EDITS, pytest.param(EDITS, marks=pytest.mark.slow)])
async def test_no_stale_write_passes_and_no_record_is_lost(
    repository: Repository, edits: int
) -> None:
    """2,000 edits take half a minute, because each is kept on disk before it is answered."""
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    for path in FILES:
        repository.write(path, "")
    repository.commit()
    async with AsyncExitStack() as stack:
        root = repository.root
        servers = [await stack.enter_async_context(editing(root)) for _ in range(2)]
        agents = [
            Agent(servers[number % 2], root, f"agent-{number}", random.Random(number))  # noqa: S311 - a test's choice
            for number in range(AGENTS)
        ]
        await asyncio.gather(*(agent.work(edits // AGENTS) for agent in agents))
        verified = [await server.ask("intent/verify") for server in servers]
        status = await servers[0].ask("intent/status")
        records = servers[0].records()
    refused = [code for agent in agents for code in agent.refused]
    accepted = [each for agent in agents for each in agent.written]
    print(f"{len(accepted)} edits accepted, {len(refused)} refused as stale")  # noqa: T201 - for who runs it
    assert len(refused) + len(accepted) == edits
    # Both happen, or this shows nothing.
    assert set(refused) == {"STALE_FILE"}
    assert len(accepted) > edits // 2
    for path in FILES:
        lines = (repository.root / path).read_text().splitlines()
        assert sorted(lines) == sorted(line for at, line in accepted if at == path)
    assert sorted(record["id"] for record in records) == sorted(
        record for agent in agents for record in agent.records
    )
    before = [None, *(record["integrity"]["record_hash"] for record in records)]
    assert [record["integrity"]["prev_record_hash"] for record in records] == before[:-1]
    assert all(not record.get("concurrent_modification") for record in records)
    assert [each["ok"] for each in verified] == [True, True]
    assert (status["records"], len(status["heads"])) == (len(accepted), 1)
