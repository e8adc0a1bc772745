"""The tools of the MCP server: what they are, what they answer, and what they refuse."""

import json
import os
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from jsonschema.validators import Draft202012Validator
from mcp.shared.exceptions import MCPError

from intent_lsp.core.agents.tools import OWN_TOOLS
from intent_lsp.core.content import hash_content
from intent_lsp.core.records import HUMAN
from intent_lsp.doors.mcp import intent_tools
from intent_lsp.governance.governance import Governance
from tests.support.governed_repository import LINES as TEXT
from tests.support.governed_repository import govern, set_policy
from tests.support.mcp_clients import LINES, Agent, failure, in_process
from tests.support.repository import Repository

LOGIN, README = "src/auth/login.py", "README.md"

NAMES = [
    *("list_intents", "select_active_intent", "get_intent_context", "check_edit", "record_edit"),
    *("apply_edit", "write_to_file", "request_scope_expansion", "report_verification"),
    *("complete_intent", "who_wrote", "ledger_status"),
]

each_line = pytest.mark.parametrize("mode", LINES)


@pytest.fixture
def root(repository: Repository) -> Path:
    return govern(repository).root


@each_line
async def test_the_tools_are_listed_with_their_schemas_and_what_they_do(
    root: Path, mode: str
) -> None:
    async with in_process(root, mode) as agent:
        tools = (await agent.client.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    assert set(NAMES) == OWN_TOOLS, "a hook has to know every tool of our own server"
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert "$ref" not in str(schema)
        assert "session" in tool.input_schema["properties"]
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint is False
    reading = {tool.name for tool in tools if tool.annotations and tool.annotations.read_only_hint}
    assert reading == {"list_intents", "get_intent_context", "who_wrote", "ledger_status"}
    writing = {
        tool.name for tool in tools if tool.annotations and tool.annotations.destructive_hint
    }
    assert writing == {"apply_edit", "write_to_file"}
    free = {tool.name for tool in tools if "session" not in tool.input_schema.get("required", [])}
    assert free == {"list_intents", "select_active_intent", "who_wrote", "ledger_status"}


async def test_select_gives_out_a_session_and_keeps_the_one_it_is_given(root: Path) -> None:
    async with in_process(root) as agent:
        first = await agent.select()
        assert (first["session"][:2], len(first["session"])) == ("h-", 18)
        again = await agent.select("INT-002")
        assert again["session"] == first["session"]
        assert (await agent.get("list_intents"))["activeIntentId"] == "INT-002"
        other = await agent.get("select_active_intent", session=..., intent_id="INT-001")
        assert other["session"] != first["session"]
        result = await agent.call("select_active_intent", intent_id="INT-001")
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        assert f"session: {result.structured_content['session']} (" in content.text
        assert "<glob>src/auth/**</glob>" in content.text


async def test_a_new_turn_begins_where_the_agent_says_so(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        await agent.select(new_turn=True)
        assert (await agent.get("ledger_status"))["turn"] == 2


async def test_no_session_begins_where_the_intent_cannot_be_selected(root: Path) -> None:
    async with in_process(root) as agent:
        refused = await agent.refused("select_active_intent", intent_id="INT-9")
        assert refused.code == "INTENT_NOT_FOUND"
        assert [each["id"] for each in refused.details["available_intents"]] == [
            "INT-001",
            "INT-002",
        ]
    with Governance(root) as governance:
        assert governance.sessions.live() == ()


@pytest.mark.parametrize("tool", [name for name in NAMES if name != "list_intents"])
async def test_a_session_that_was_not_given_out_is_refused(root: Path, tool: str) -> None:
    arguments: dict[str, Any] = {
        "select_active_intent": {"intent_id": "INT-001"},
        "check_edit": {"tool_name": "Edit", "path": LOGIN},
        "record_edit": {"ticket": "t", "success": True},
        "apply_edit": {"files": [{"path": LOGIN, "new_text": "x"}]},
        "write_to_file": {
            "path": LOGIN,
            "content": "x",
            "intent_id": "INT-001",
            "mutation_class": "BUG_FIX",
        },
        "request_scope_expansion": {"patterns": ["docs/**"], "reason": "x"},
        "report_verification": {"command": "make", "success": True},
        "who_wrote": {"path": LOGIN},
    }.get(tool, {})
    governance = Governance(root)
    editor = governance.open_editor(None, HUMAN)
    governance.sessions.open_agent("an-agent-of-a-host")
    try:
        async with in_process(root) as agent:
            for name in ("h-" + "0" * 16, editor.id, "an-agent-of-a-host", "h-"):
                refused = await agent.refused(tool, session=name, **arguments)
                assert refused.code == "SESSION_UNKNOWN"
                assert "call select_active_intent" in refused.text
                assert refused.details["session"] == name
    finally:
        governance.close(editor)
    assert (root / LOGIN).read_text() == TEXT


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("check_edit", {"session": ..., "tool_name": "Edit"}, "session", "Field required"),
    ("check_edit", {"tool_name": 7}, "tool_name", "valid string"),
    ("check_edit", {"tool_name": ""}, "tool_name", "at least 1 character"),
    ("check_edit", {"tool_name": "Edit", "pathh": LOGIN}, "pathh", "Extra inputs"),
    ("check_edit", {"tool_name": "Edit", "path": "file:x"}, "path", "names no file on this"),
    ("check_edit", {"tool_name": "Edit", "path": "http://x"}, "", ""),
    ("check_edit", {"tool_name": "Edit", "path": LOGIN, "read_hash": "x"}, "read_hash", "SHA-256"),
    ("check_edit", {"tool_name": "E", "read_hash": None}, "read_hash", "for exactly one path"),
    ("check_edit", {"tool_name": "E", "mutation_class": "X"}, "mutation_class", "AST_REFACTOR"),
    ("apply_edit", {"files": []}, "files", "at least 1 item"),
    ("apply_edit", {"files": [{"path": LOGIN}]}, "files[0]", "needs new_text"),
    ("apply_edit", {"files": [{"path": LOGIN, "x": 1}]}, "files[0].x", "Extra inputs"),
    (
        "apply_edit",
        {"files": [{"path": LOGIN, "replacements": [{"old_text": "", "new_text": ""}]}]},
        "files[0].replacements[0].old_text",
        "at least 1 character",
    ),
    ("request_scope_expansion", {"patterns": ["docs/**"]}, "reason", "Field required"),
    ("request_scope_expansion", {"patterns": ["**"], "reason": "x"}, "patterns[0]", "'**'"),
    ("request_scope_expansion", {"patterns": [], "reason": "x"}, "patterns", "at least 1 item"),
    (
        "request_scope_expansion",
        {"patterns": ["docs/**"], "reason": "x", "ttl_seconds": 0},
        "ttl_seconds",
        "greater than or equal to 1",
    ),
    ("who_wrote", {"path": "../x"}, "path", "is not below"),
    ("who_wrote", {"path": "none.py"}, "path", "there is no file none.py"),
    ("who_wrote", {"path": LOGIN, "start_line": 11}, "start_line", "the file has 10 lines"),
    ("who_wrote", {"path": LOGIN, "start_line": 3, "end_line": 2}, "end_line", "before start_line"),
    ("who_wrote", {"path": LOGIN, "start_line": 0}, "start_line", "greater than or equal to 1"),
    ("record_edit", {"ticket": "x"}, "success", "Field required"),
    ("list_intents", {"root": "here"}, "root", "'here' is not an absolute path"),
]


@pytest.mark.parametrize(("tool", "arguments", "field", "problem"), WRONG)
async def test_wrong_arguments_are_named_with_a_way_out(
    root: Path, tool: str, arguments: dict[str, Any], field: str, problem: str
) -> None:
    async with in_process(root) as agent:
        await agent.select()
        if not field:
            # A path that is odd and yet a path is judged like any other.
            assert not (await agent.get(tool, **arguments))["allowed"]
            return
        wrong = await agent.refused(tool, **arguments)
    assert wrong.code == "INVALID_ARGUMENTS"
    found = wrong.details["problems"][0]
    assert found["field"] == field
    assert problem in found["problem"]
    assert problem in wrong.text
    assert "call" in wrong.cure
    assert "pydantic" not in wrong.text


async def test_an_unknown_tool_is_a_protocol_error_that_names_those_there_are(root: Path) -> None:
    async with in_process(root) as agent:
        with pytest.raises(MCPError, match=r"There is no tool 'write'.*write_to_file"):
            await agent.call("write")


async def test_a_mistake_of_ours_is_a_result_without_our_secrets(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr(intent_tools, "selection_json", fails)
    async with in_process(root) as agent:
        failed = await agent.refused("select_active_intent", intent_id="INT-001")
    assert failed.code == "INTERNAL_ERROR"
    assert "secret" not in failed.text
    assert "a secret of the server" in caplog.text


async def test_an_edit_of_several_files_is_made_or_none_of_it(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        new, moved = "src/auth/new.py", "src/auth/moved.py"
        edit = {"path": LOGIN, "replacements": [{"old_text": "line 99", "new_text": "x"}]}
        failed = await agent.refused("apply_edit", files=[{"path": new, "new_text": "n\n"}, edit])
        assert failed.code == "EDIT_NOT_APPLIED"
        assert f"{LOGIN}: the old_text of replacement 1 was not found" in failed.message
        assert not (root / new).exists()
        out = await agent.refused(
            "apply_edit",
            files=[{"path": new, "new_text": "n\n"}, {"path": README, "new_text": "x"}],
        )
        assert out.code == "SCOPE_VIOLATION"
        assert not (root / new).exists()
        made = await agent.get(
            "apply_edit",
            files=[{"path": new, "new_text": "n\n"}, {"path": LOGIN, "move_to": moved}],
        )
        assert {each["path"]: each["postHash"] for each in made["files"]} == {
            new: hash_content(b"n\n"),
            moved: hash_content(TEXT.encode()),
        }
        assert not (root / LOGIN).exists()
        gone = await agent.get("apply_edit", files=[{"path": new, "delete": True}])
        assert gone["files"][0]["postHash"] is None
        assert not (root / new).exists()


async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        stale = await agent.cannot_write(LOGIN, read_hash=hash_content(b"older"))
        assert stale.code == "STALE_FILE"
        assert (root / LOGIN).read_text() == TEXT
        fresh = hash_content(TEXT.encode())
        made = await agent.writes(LOGIN, "new\n", read_hash=fresh)
        assert made["files"][0]["preHash"] == fresh
        # What the answer says is what the next edit may say that it has read.
        known = made["files"][0]["postHash"]
        assert (await agent.writes(LOGIN, "newer\n", read_hash=known))["applied"]


async def test_the_shim_holds_its_caller_to_the_intent_that_it_names(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        wrong = await agent.cannot_write(LOGIN, intent_id="INT-002")
        assert wrong.code in {"CHECKOUT_REQUIRED", "SCOPE_VIOLATION"}
        assert (root / LOGIN).read_text() == TEXT


async def test_only_who_asked_records_an_edit_and_twice_is_once(root: Path) -> None:
    async with in_process(root) as agent, in_process(root) as other:
        await agent.select()
        await other.select()
        decision = await agent.get("check_edit", tool_name="Edit", path=LOGIN)
        (root / LOGIN).write_text("new\n")
        theirs = await other.refused("record_edit", ticket=decision["ticket"], success=True)
        assert theirs.code == "TICKET_UNKNOWN"
        done = await agent.get("record_edit", ticket=decision["ticket"], success=True)
        again = await agent.get("record_edit", ticket=decision["ticket"], success=True)
        assert done == again
        assert done["recordId"] is not None
        assert (await agent.refused("record_edit", ticket="x", success=True)).code == (
            "TICKET_UNKNOWN"
        )


async def test_what_a_command_did_out_of_scope_is_put_before_the_model(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        command = "make generate"
        decision = await agent.get("check_edit", tool_name="Bash", command=command)
        assert decision["allowed"]
        (root / README).write_text("changed\n")
        done = await agent.get("record_edit", ticket=decision["ticket"], success=True)
        (violation,) = done["violations"]
        assert (violation["path"], violation["code"]) == (README, "SCOPE_VIOLATION")
        assert "make" in violation["message"]


async def test_a_refused_check_is_a_decision_and_no_error(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        decision = await agent.get("check_edit", tool_name="Edit", path=README)
        assert (decision["allowed"], decision["ticket"]) == (False, None)
        assert decision["error"]["code"] == "SCOPE_VIOLATION"
        assert decision["error"]["details"]["owned_scope"] == ["src/auth/**"]


async def test_what_needs_an_intent_says_so_where_none_is_selected(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        await agent.get("complete_intent")
        for tool in ("get_intent_context", "complete_intent"):
            failed = await agent.refused(tool)
            assert failed.code == "INVALID_ARGUMENTS"
            assert "call select_active_intent" in failed.cure
        other = await agent.get("get_intent_context", intent_id="INT-002")
        assert other["intent"]["name"] == "Billing"
        closed = await agent.get("get_intent_context", intent_id="INT-001")
        assert closed["intent"]["status"] == "COMPLETED"
        assert (await agent.refused("get_intent_context", intent_id="X")).code == (
            "INTENT_NOT_FOUND"
        )


async def test_an_intents_file_that_is_broken_is_reported_by_the_list(root: Path) -> None:
    (root / ".orchestration/active_intents.yaml").write_text("active_intents: [\n")
    async with in_process(root) as agent:
        listed = await agent.get("list_intents")
        assert (listed["enabled"], listed["intents"]) == (False, [])
        assert listed["reason"]
        assert (await agent.refused("select_active_intent", intent_id="INT-001")).code == (
            "NOT_GOVERNED"
        )


async def test_a_refusal_names_the_directory_that_nothing_governs(
    root: Path, tmp_path: Path
) -> None:
    start = tmp_path / "empty"
    start.mkdir()
    async with in_process(start, only=False) as agent:
        nothing = await agent.refused("who_wrote", path=LOGIN)
        assert (nothing.code, f"governs {start}. " in nothing.message) == ("NOT_GOVERNED", True)
    async with in_process(start) as agent:
        nothing = await agent.refused("list_intents", root=str(root))
        assert (nothing.code, f"governs {start}, " in nothing.message) == ("NOT_GOVERNED", True)
        with pytest.raises(MCPError, match="this server serves no other project"):
            await agent.client.read_resource(f"intent-lsp://intents?root={root}")


async def test_a_server_of_one_root_serves_no_other(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".orchestration").mkdir(parents=True)
    (other / ".orchestration/active_intents.yaml").write_text("active_intents: []\n")
    async with in_process(root) as agent:
        for named in (str(other), str(tmp_path), "/"):
            wrong = await agent.refused("select_active_intent", intent_id="INT-001", root=named)
            assert wrong.code == "INVALID_ARGUMENTS"
            assert (
                f"does not belong to {root}, the only root that this server serves" in wrong.message
            )
        await agent.select(root=str(root / "src"))
        outside = await agent.cannot_write(str(other / "a.py"))
        assert outside.code == "OUTSIDE_WORKSPACE"
        assert not (other / "a.py").exists()
    async with in_process(root, only=False) as agent:
        await agent.select()
        theirs = await agent.cannot_write(str(other / "a.py"))
        assert theirs.code == "SESSION_UNKNOWN"
        assert theirs.details["root"] == str(other)


async def test_a_name_that_is_no_text_is_shown_and_can_be_sent(root: Path) -> None:
    odd = root / os.fsdecode(b"src/auth/\xff.py")
    odd.write_text("x\n")
    async with in_process(root) as agent:
        await agent.select()
        edit = {"path": root.as_uri() + "/src/auth/%FF.py", "new_text": "y\n"}
        made = await agent.get("apply_edit", files=[edit])
        assert made["files"][0]["path"] == "src/auth/\ufffd.py"
    assert odd.read_text() == "y\n"


async def test_a_large_file_is_written_whole(root: Path) -> None:
    text = "é" * 1023 + "\n"
    text *= 2048
    async with in_process(root) as agent:
        await agent.select()
        made = await agent.writes("src/auth/big.txt", text)
    assert made["files"][0]["postHash"] == hash_content(text.encode())


async def test_a_team_that_wants_files_read_first_is_served_by_hashes(
    repository: Repository, root: Path
) -> None:
    set_policy(repository, "require_read: true")
    async with in_process(root) as agent:
        await agent.select()
        assert (await agent.cannot_write(LOGIN)).code == "READ_REQUIRED"
        known = hash_content(TEXT.encode())
        assert (await agent.writes(LOGIN, "read\n", read_hash=known))["applied"]


async def test_a_failed_verification_is_a_lesson_once(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        report = {"command": "pytest -q tests/a", "success": False}
        assert (await agent.get("report_verification", **report))["lessonRecorded"]
        assert not (await agent.get("report_verification", **report))["lessonRecorded"]


async def test_a_handle_stands_in_no_record_and_no_id_is_a_handle(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.select()
        await agent.writes(LOGIN, "x\n")
        text = (root / ".orchestration/agent_trace.jsonl").read_text()
        assert agent.session not in text
        name = json.loads(text)["session_id"]
        assert (await agent.refused("get_intent_context", session=name)).code == "SESSION_UNKNOWN"


async def test_a_handle_that_a_hook_has_given_is_the_hosts_session(root: Path) -> None:
    with Governance(root) as governance:
        governance.sessions.open_agent("of-the-host")
        handle = governance.handles.handle("of-the-host", "")
        child = governance.handles.handle("of-the-host", "a subagent")
    async with in_process(root) as agent:
        for given, cited in ((child, "INT-002"), (handle, "INT-001")):
            chosen = await agent.get("select_active_intent", session=given, intent_id=cited)
            assert chosen["session"] == given
        await agent.writes(LOGIN, "x\n", session=handle)
    (record,) = (root / ".orchestration/agent_trace.jsonl").read_text().splitlines()
    assert json.loads(record)["session_id"] == "of-the-host"
    with Governance(root) as governance:
        active = governance.sessions.active_intent
        assert active("of-the-host") == "INT-001"
        assert active("of-the-host", "a subagent") == "INT-002"


async def test_without_a_state_on_disk_a_session_lasts_as_long_as_the_server(root: Path) -> None:
    (root / ".orchestration/.local").write_text("in the way")
    async with in_process(root) as agent:
        await agent.select()
        assert (await agent.get("list_intents"))["activeIntentId"] == "INT-001"
        assert (await agent.get("get_intent_context"))["intent"]["id"] == "INT-001"


async def call_without_session(agent: Agent, tool: str) -> str:
    return failure(await agent.call(tool)).code


async def test_what_reads_needs_no_session(root: Path) -> None:
    async with in_process(root) as agent:
        assert (await agent.get("ledger_status"))["records"] == 0
        assert (await agent.get("who_wrote", path=LOGIN))["lines"][0]["recordId"] is None
        assert await call_without_session(agent, "get_intent_context") == "INVALID_ARGUMENTS"


async def test_a_call_of_a_tool_says_that_mcp_is_heard_here(root: Path) -> None:
    async with in_process(root) as agent:
        await agent.get("list_intents")
    with Governance(root) as governance:
        [heard] = governance.heard()
    assert (heard.host, heard.event, heard.ended) == ("mcp", "list_intents", False)
