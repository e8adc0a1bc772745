"""The MCP server as hosts start it: the SDK's own client, in both lines of the protocol."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from intent_lsp.core.content import hash_content
from tests.support.governed_repository import LINES as TEXT
from tests.support.governed_repository import govern
from tests.support.mcp_clients import LINES, SERVER, Agent, Person, over_stdio
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN, README = "src/auth/login.py", "README.md"
BOTH = "hitl_by: [editor, elicitation]"

each_line = pytest.mark.parametrize("mode", LINES)


def records(root: Path) -> list[dict[str, Any]]:
    text = (root / ".orchestration/agent_trace.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


async def journey(agent: Agent, root: Path, person: Person) -> None:
    """Work for an intent from its selection to its end, beyond its scope too."""
    (login, *_) = (await agent.get("list_intents"))["intents"]
    assert (login["id"], login["status"]) == ("INT-001", "PLANNED")
    selected = await agent.select(model="acme/coder-1")
    assert selected["intent"]["status"] == "IN_PROGRESS"
    context = await agent.get("get_intent_context")
    assert context["context"]["intent"]["constraints"] == ["No external providers"]

    before = hash_content(TEXT.encode())
    decision = await agent.get("check_edit", tool_name="Edit", path=LOGIN, read_hash=before)
    (root / LOGIN).write_text("by a tool of its own\n")
    done = await agent.get("record_edit", ticket=decision["ticket"], success=True)
    after = hash_content(b"by a tool of its own\n")
    assert [(each["preHash"], each["postHash"]) for each in done["files"]] == [(before, after)]

    replaces = {"old_text": "a tool", "new_text": "the server"}
    edit = {"path": LOGIN, "replacements": [replaces], "read_hash": after}
    made = await agent.get("apply_edit", files=[edit], mutation_class="BUG_FIX")
    assert made["applied"]
    assert (root / LOGIN).read_text() == "by the server of its own\n"

    refused = await agent.cannot_write(README)
    assert refused.code == "SCOPE_VIOLATION"
    assert (root / README).read_text() == "# A project\n"
    person.answers.append("Approve")
    granted = await agent.get("request_scope_expansion", patterns=["*.md"], reason="the readme")
    assert granted["approved"]
    (question,) = person.asked
    assert " asks to expand the scope of INT-001 with " in question
    assert agent.session not in question
    assert question.endswith(".md (the readme).")
    assert (await agent.writes(README, "# Better\n"))["applied"]
    assert (root / README).read_text() == "# Better\n"

    lesson = await agent.get("report_verification", command="pytest -q", success=False)
    assert lesson == {"lessonRecorded": True, "violations": []}
    (run,) = (await agent.get("who_wrote", path=LOGIN))["lines"]
    assert (run["who"], run["recordId"]) == ("acme/coder-1", made["recordId"])
    status = await agent.get("ledger_status", verify=True)
    assert (status["records"], status["verification"]["ok"]) == (4, True)
    ended = await agent.get("complete_intent")
    assert ended["intent"]["status"] == "COMPLETED"
    assert (await agent.cannot_write(LOGIN)).code == "CHECKOUT_REQUIRED"
    assert (await agent.refused("select_active_intent", intent_id="INT-001")).code == (
        "INTENT_CLOSED"
    )


@each_line
async def test_an_agent_works_for_an_intent_from_beginning_to_end(
    repository: Repository, mode: str
) -> None:
    root, person = govern(repository, BOTH).root, Person()
    async with over_stdio(root, mode, person=person) as agent:
        await journey(agent, root, person)
    edits = [(record["tool_name"], record["scope_validation"]) for record in records(root)]
    assert edits == [
        ("Edit", "PASS"),
        ("apply_edit", "PASS"),
        ("intent/grant", "EXEMPT"),
        ("write_to_file", "PASS"),
    ]
    (grant,) = [record["grant"] for record in records(root) if "grant" in record]
    assert (grant["patterns"], grant["channel"]) == (["*.md"], "elicitation")
    assert {record["session_id"] for record in records(root)} == {grant["granted_by"]}


@each_line
async def test_one_server_works_in_every_project_that_a_call_names(
    repository: Repository, tmp_path: Path, mode: str
) -> None:
    root = govern(repository).root
    async with over_stdio(tmp_path, mode) as agent:
        none = await agent.refused("list_intents")
        assert none.code == "NOT_GOVERNED"
        assert str(tmp_path) in none.message
        selected = await agent.select(root=str(root))
        assert selected["root"] == str(root)
        # The session says where a call without an absolute path belongs.
        assert (await agent.writes(LOGIN, "one\n"))["applied"]
        made = await agent.writes(str(root / LOGIN), "two\n")
        assert made["files"][0]["path"] == LOGIN
        assert (root / LOGIN).read_text() == "two\n"
        assert (await agent.writes((root / LOGIN).as_uri(), "three\n"))["applied"]


async def test_a_session_outlives_its_server_and_nobody_elses_is_accepted(
    repository: Repository,
) -> None:
    root = govern(repository).root
    async with over_stdio(root) as agent:
        await agent.select()
        handle = agent.session
    async with over_stdio(root, "auto", "--root", str(root)) as agent:
        agent.session = handle
        assert (await agent.writes(LOGIN, "again\n"))["applied"]
        agent.session = "h-" + "0" * 16
        unknown = await agent.cannot_write(LOGIN)
        assert unknown.code == "SESSION_UNKNOWN"
        assert unknown.cure == "call select_active_intent and use the session that it returns"


@each_line
async def test_two_agents_at_once_are_both_recorded_under_their_own_sessions(
    repository: Repository, mode: str
) -> None:
    root, count = govern(repository).root, 10
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(over_stdio(root, mode))
        two = await stack.enter_async_context(over_stdio(root, mode))
        await one.select("INT-001")
        await two.select("INT-002")

        async def work(agent: Agent, intent: str, path: str, other: str) -> None:
            for number in range(count):
                cited = {"intent_id": intent}
                assert (await agent.writes(path, f"{number}\n", **cited))["applied"]
                refused = await agent.cannot_write(other, "stolen\n", **cited)
                assert refused.code == "SCOPE_VIOLATION"

        bill = "src/billing/invoice.py"
        async with anyio.create_task_group() as group:
            group.start_soon(work, one, "INT-001", LOGIN, bill)
            group.start_soon(work, two, "INT-002", bill, LOGIN)
        status = await one.get("ledger_status", verify=True)
        assert (status["records"], status["verification"]["ok"]) == (2 * count, True)
    found = {
        (r["session_id"], r["intent_id"], r["files"][0]["relative_path"]) for r in records(root)
    }
    assert {each[1:] for each in found} == {("INT-001", LOGIN), ("INT-002", bill)}
    assert len(found) == 2


async def test_two_agents_that_want_one_file_do_not_overwrite_each_other(
    repository: Repository,
) -> None:
    root = govern(repository).root
    async with over_stdio(root) as one, over_stdio(root) as two:
        await one.select()
        await two.select()
        known = hash_content(TEXT.encode())
        codes = []

        async def work(agent: Agent, text: str) -> None:
            shim = {"path": LOGIN, "content": text, "read_hash": known, "intent_id": "INT-001"}
            result = await agent.call(
                "write_to_file", session=agent.session, mutation_class="BUG_FIX", **shim
            )
            error = result.structured_content.get("error")
            codes.append("written" if error is None else error["code"])

        async with anyio.create_task_group() as group:
            group.start_soon(work, one, "one\n")
            group.start_soon(work, two, "two\n")
    assert sorted(codes) == ["STALE_FILE", "written"]


def test_a_server_ends_when_its_host_closes_standard_input(repository: Repository) -> None:
    root = govern(repository).root
    done = subprocess.run(
        [sys.executable, *SERVER],
        cwd=root,
        input=b"{\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("mcp", []),
        ("mcp_types", []),
        ("pydantic", []),
        ("uvicorn", ["--http", ":0", "--token-file", "token"]),
    ],
)
def test_without_the_extra_the_command_says_what_to_install(
    missing: str, words: list[str], tmp_path: Path
) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"from intent_lsp.__main__ import main; sys.exit(main({['mcp', *words]}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"intent-lsp: `intent-lsp mcp` needs the package mcp, version 2 ({missing} is missing);"
        " run `pip install 'intent-lsp[mcp]'`\n"
    )


@contextmanager
def http_server(root: Path, token_file: Path, *words: str) -> Iterator[str]:
    """Start a server and yield its address; it has to end well when it is asked to."""
    line = [sys.executable, *SERVER, "--http", ":0", "--token-file", str(token_file), *words]
    server = subprocess.Popen(line, cwd=root, stderr=subprocess.PIPE, text=True, env=os.environ)
    assert server.stderr is not None
    try:
        first = server.stderr.readline()
        assert first.endswith(" (this machine only)\n"), first
        yield first.split()[3]
    finally:
        server.send_signal(signal.SIGTERM)
        rest = server.communicate(timeout=60)[1]
    assert (server.returncode, "Traceback" in rest) == (0, False)


@each_line
async def test_an_agent_works_over_http_with_the_token(
    repository: Repository, tmp_path: Path, mode: str
) -> None:
    root, person = govern(repository, BOTH).root, Person()
    with http_server(root, tmp_path / "token") as url:
        token = (tmp_path / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=person.elicit) as client:
                assert client.protocol_version == LINES[mode]
                await journey(Agent(client), root, person)


async def test_two_clients_of_one_server_are_kept_apart(
    repository: Repository, tmp_path: Path
) -> None:
    root, count = govern(repository).root, 10
    with http_server(root, tmp_path / "token") as url:
        headers = {"Authorization": f"Bearer {(tmp_path / 'token').read_text().strip()}"}
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))

            async def work(mode: str, intent: str, path: str) -> None:
                transport = streamable_http_client(url, http_client=http)
                async with Client(transport, mode=mode) as client:
                    agent = Agent(client)
                    await agent.select(intent)
                    for number in range(count):
                        await agent.writes(path, f"{number}\n", intent_id=intent)

            async with anyio.create_task_group() as group:
                group.start_soon(work, "legacy", "INT-001", LOGIN)
                group.start_soon(work, "auto", "INT-002", "src/billing/invoice.py")
    found = [(record["session_id"], record["intent_id"]) for record in records(root)]
    assert len(found) == 2 * count
    assert len(set(found)) == 2


async def test_who_has_no_token_or_comes_from_a_web_page_is_sent_away(
    repository: Repository, tmp_path: Path
) -> None:
    root = govern(repository).root
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with http_server(root, tmp_path / "token") as url:
        token = (tmp_path / "token").read_text().strip()
        right = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(timeout=60) as http:
            for wrong in ({}, {"Authorization": "Bearer x"}, {"Authorization": token}):
                answer = await http.post(url, json=body, headers=wrong)
                assert answer.status_code == 401
                assert "--token-file" in answer.json()["error_description"]
            answer = await http.post(url, json=body, headers=right | {"Host": "evil.example"})
            assert answer.status_code == 421
            answer = await http.post(
                url, json=body, headers=right | {"Origin": "https://evil.example"}
            )
            assert answer.status_code == 403


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_an_address_that_others_reach_is_refused(address: str, tmp_path: Path) -> None:
    line = [sys.executable, *SERVER, "--http", address, "--token-file", str(tmp_path / "t")]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "other machines could reach this address; give 127.0.0.1:PORT" in done.stderr


class RawHost:
    """A host that writes whatever it likes to a server's standard input."""

    def __init__(self, root: Path) -> None:
        self._server = subprocess.Popen(
            [sys.executable, *SERVER],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ,
        )
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._to, self._from = self._server.stdin, self._server.stdout

    def says(self, line: bytes) -> dict[str, Any]:
        """Send a line and return the next message of the server."""
        self._to.write(line + b"\n")
        self._to.flush()
        found: dict[str, Any] = json.loads(self._from.readline())
        return found

    def begin(self) -> None:
        """Shake hands in the older line of the protocol."""
        client = {"protocolVersion": "2025-11-25", "capabilities": {}}
        client["clientInfo"] = {"name": "raw", "version": "1"}
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
        assert self.says(json.dumps(hello).encode())["result"]["serverInfo"]["name"] == "intent-lsp"
        self._to.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def end(self) -> int:
        """Close standard input; return the server's exit status."""
        self._to.close()
        self._from.close()
        return self._server.wait(60)


BROKEN = [
    (b"not json", None, -32700, "cannot be read as JSON"),
    (b'{"jsonrpc":"2.0","id":5', None, -32700, "cannot be read as JSON"),
    (b"\xff\xfe", None, -32700, "cannot be read as JSON"),
    (b"[" * 100_000, None, -32700, "cannot be read as JSON"),
    (b'{"id":6}', 6, -32600, "no JSON-RPC 2.0 message"),
    (b'{"jsonrpc":"1.0","id":"q","method":7}', "q", -32600, "no JSON-RPC 2.0 message"),
    (b"[1]", None, -32600, "no JSON-RPC 2.0 message"),
    (b'"x"', None, -32600, "no JSON-RPC 2.0 message"),
    (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}',
        7,
        -32602,
        "half of a character",
    ),
    (
        b'{"jsonrpc":"2.0","id":"deep","method":"x","params":{"a":'
        + b"[" * 300
        + b"]" * 300
        + b"}}",
        "deep",
        -32602,
        "nested too deeply",
    ),
    (b'{"jsonrpc":"2.0","id":8,"method":"nope"}', 8, -32601, ""),
    (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":7}}', 9, -32602, ""),
]


def test_every_message_that_cannot_be_read_is_answered(repository: Repository) -> None:
    host = RawHost(govern(repository).root)
    host.begin()
    for line, name, code, said in BROKEN:
        answer = host.says(b"\n" + line)
        assert (answer["id"], answer["error"]["code"]) == (name, code), line[:80]
        assert said in answer["error"]["message"]
    listed = host.says(b'{"jsonrpc":"2.0","id":10,"method":"tools/list"}')
    assert len(listed["result"]["tools"]) == 12
    assert host.end() == 0
