"""Resources and prompts of the MCP server."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import to_wire
from intent_lsp.governance.governance import Governance
from intent_lsp.store.ledger.index.queries import Query
from tests.support.governed_repository import govern
from tests.support.mcp_clients import LINES, in_process
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"

each_line = pytest.mark.parametrize("mode", LINES)


@pytest.fixture
def root(repository: Repository) -> Path:
    return govern(repository).root


async def resource(client: Client, uri: str) -> Any:
    (contents,) = (await client.read_resource(uri)).contents
    assert contents.mime_type == "application/json"
    return json.loads(contents.text)


def wire(record: Record) -> Any:
    return json.loads(msgspec.json.encode(to_wire(record)))


def newest(root: Path) -> Record:
    with Governance(root) as governance:
        return governance.tracing.page(Query(), limit=1).records[0]


@each_line
async def test_intents_and_records_can_be_read(root: Path, mode: str) -> None:
    async with in_process(root, mode) as agent:
        listed = (await agent.client.list_resources()).resources
        assert [each.uri for each in listed] == [
            "intent-lsp://intents",
            "intent-lsp://records",
            "intent-lsp://intents/INT-001",
            "intent-lsp://intents/INT-002",
        ]
        templates = (await agent.client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "intent-lsp://intents/{id}{?root}",
            "intent-lsp://records/{id}{?root}",
        ]
        await agent.select()
        await agent.writes(LOGIN, "x\n")
        intents = await resource(agent.client, "intent-lsp://intents")
        assert [each["id"] for each in intents["intents"]] == ["INT-001", "INT-002"]
        intent = await resource(agent.client, "intent-lsp://intents/INT-001")
        assert intent["intent"]["status"] == "IN_PROGRESS"
        record = newest(root)
        found = await resource(agent.client, f"intent-lsp://records/{record.id}")
        assert found == wire(record)
        listing = await resource(agent.client, "intent-lsp://records")
        assert listing == {"records": [wire(record)]}


async def test_an_ignored_intent_is_marked_in_the_list_of_intents(root: Path) -> None:
    (root / ".intentignore").write_text("INT-002\n")
    async with in_process(root) as agent:
        listed = await resource(agent.client, "intent-lsp://intents")
    flags = {each["id"]: each["flags"] for each in listed["intents"]}
    assert flags == {"INT-001": [], "INT-002": ["INTENT_IGNORED"]}


async def test_a_resource_of_another_project_is_named_by_its_root(
    root: Path, tmp_path: Path
) -> None:
    async with in_process(tmp_path, only=False) as agent:
        client = agent.client
        assert [each.name for each in (await client.list_resources()).resources] == [
            "intents",
            "records",
        ]
        with pytest.raises(MCPError, match=r"No \.orchestration/active_intents\.yaml governs"):
            await client.read_resource("intent-lsp://intents")
        found = await resource(client, f"intent-lsp://intents?root={root}")
        assert found["enabled"]


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("intent-lsp://intents/INT-9", "INT-9 is not in"),
        ("intent-lsp://records/none", "There is no record none"),
        ("intent-lsp://intents?root=here", "root: 'here' is not an absolute path"),
        ("intent-lsp://intents?root=/", "the only root that this server serves"),
        ("intent-lsp://other", "there are intent-lsp://intents and intent-lsp://records"),
        ("file:///etc/passwd", "There is no resource"),
    ],
)
async def test_what_does_not_exist_is_a_protocol_error(root: Path, uri: str, said: str) -> None:
    async with in_process(root) as agent:
        with pytest.raises(MCPError, match=said):
            await agent.client.read_resource(uri)


async def test_many_intents_are_listed_in_pages(root: Path) -> None:
    entries = "".join(
        f"  - {{id: INT-{n:03}, name: N, status: PLANNED, owned_scope: ['s{n}/**']}}\n"
        for n in range(1, 251)
    )
    (root / ".orchestration/active_intents.yaml").write_text(f"active_intents:\n{entries}")
    async with in_process(root) as agent:
        cursor, names, pages = None, [], 0
        while pages == 0 or cursor is not None:
            page = await agent.client.list_resources(cursor=cursor)
            cursor, pages = page.next_cursor, pages + 1
            names += [each.name for each in page.resources]
        assert (pages, len(names), len(set(names))) == (3, 252, 252)
        for wrong in ("x", "", "9" * 5000):
            with pytest.raises(MCPError, match="is not a cursor that this server returned"):
                await agent.client.list_resources(cursor=wrong)


@each_line
async def test_the_handshake_says_how_to_work_and_for_what(root: Path, mode: str) -> None:
    async with in_process(root, mode) as agent:
        client = agent.client
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "work_by_intent"
        (message,) = (await client.get_prompt(prompt.name)).messages
        text = message.content.text
        assert client.instructions
        assert client.instructions in text
        assert "- INT-001 Login (PLANNED): src/auth/**" in text
        (message,) = (await client.get_prompt(prompt.name, {"intent_id": "INT-001"})).messages
        assert "<constraint>No external providers</constraint>" in message.content.text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("other", {}, "there is work_by_intent"),
        ("work_by_intent", {"intent_id": "INT-9"}, "INT-9 is not in"),
        ("work_by_intent", {"root": "here"}, "is not an absolute path"),
    ],
)
async def test_a_prompt_that_cannot_be_made_is_a_protocol_error(
    root: Path, name: str, arguments: dict[str, str], said: str
) -> None:
    async with in_process(root) as agent:
        with pytest.raises(MCPError, match=said):
            await agent.client.get_prompt(name, arguments)


async def test_the_prompt_says_why_governance_is_off(root: Path) -> None:
    (root / ".orchestration/active_intents.yaml").write_text("active_intents: [\n")
    async with in_process(root) as agent:
        (message,) = (await agent.client.get_prompt("work_by_intent")).messages
        assert "governance is off: .orchestration/active_intents.yaml:2:1: " in message.content.text
        assert "no open intent" not in message.content.text


async def test_a_project_without_an_open_intent_says_who_adds_one(root: Path) -> None:
    (root / ".orchestration/active_intents.yaml").write_text("active_intents: []\n")
    async with in_process(root) as agent:
        (message,) = (await agent.client.get_prompt("work_by_intent")).messages
        assert "intent-lsp intents add" in message.content.text
