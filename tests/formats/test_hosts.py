"""Payloads of agent hosts are read, and answers are given in each host's own form."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.agents.hook_answer import SILENCE, HookAnswer
from intent_lsp.core.agents.hook_event import HookEvent, HookKind, ShownText
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.payload import Payload, WrongPayloadError, read_payload
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.formats.hosts.tool_input import tool_call
from tests.support.hook_payloads import Recording, recordings

ROOT = Path("/w")
REASON = 'No: "notes.txt" is outside INT-001 \u2028 \ud800'
SHOWN = json.dumps(REASON.strip())[1:-1]

CLAUDE_LIKE = (
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",'
    ' "permissionDecisionReason": "%s"}}'
)
TOP_LEVEL = '{"decision": "deny", "reason": "%s"}'

REFUSALS = {
    "claude": ("PreToolUse", CLAUDE_LIKE),
    "codex": ("PreToolUse", CLAUDE_LIKE),
    "qwen": ("PreToolUse", CLAUDE_LIKE),
    "kimi": ("PreToolUse", CLAUDE_LIKE),
    "vscode": ("PreToolUse", CLAUDE_LIKE),
    "kiro": ("PreToolUse", CLAUDE_LIKE),
    "gemini": ("BeforeTool", TOP_LEVEL),
    "antigravity": ("PreToolUse", TOP_LEVEL),
    "grok": ("PreToolUse", TOP_LEVEL),
    "windsurf": ("pre_write_code", TOP_LEVEL),
    "copilot": (
        "preToolUse",
        '{"permissionDecision": "deny", "permissionDecisionReason": "%s"}',
    ),
    "cline": ("tool_call", '{"cancel": true, "errorMessage": "%s"}'),
    "cursor": (
        "preToolUse",
        '{"permission": "deny", "user_message": "%s", "agent_message": "%s"}',
    ),
    "opencode": ("tool.execute.before", '{"reason": "%s"}'),
    "generic": ("before_tool", '{"allowed": false, "reason": "%s"}'),
}

EDITED = {"edit", "failing_edit", "overwrite"}
RAN = {"command": "echo x >> out.txt", "failing_command": "echo before; exit 3"}

each_host = pytest.mark.parametrize("host", HOSTS.values(), ids=lambda host: host.name)
each_recording = pytest.mark.parametrize("it", [*recordings()], ids=lambda it: it.name)


def read(host: str, event: str | None = None, **payload: object) -> HookEvent:
    return HOSTS[host].read(Payload(payload), event)


def called(tool: str, **given: object) -> ToolCall:
    return tool_call(tool, Payload(given, "tool_input"), "call-1")


@each_recording
def test_what_hosts_really_sent_is_read(it: Recording) -> None:
    event = HOSTS[it.host].read(read_payload(it.at(ROOT)), it.event)
    if event.kind is HookKind.OTHER:
        assert it.event not in {"PreToolUse", "PostToolUse", "BeforeTool", "AfterTool"}
        return
    assert event.session_id
    assert event.cwd in {"/w", None}
    if it.scenario in EDITED and event.call is not None and "shell" not in event.call.tool_name:
        assert event.call.paths == ("/w/notes.txt",) or "notes.txt" in (event.call.patch or "")
    if it.scenario in RAN:
        assert event.call is not None
        assert event.call.command == RAN[it.scenario]
    if it.scenario.startswith("failing") and event.kind is HookKind.FAILED_TOOL:
        assert event.error


def test_every_host_that_was_run_has_recordings_of_the_main_events() -> None:
    found = {(it.host, HOSTS[it.host].events.get(it.event)) for it in recordings()}
    for host in ("codex", "gemini", "qwen", "kimi"):
        for kind in (HookKind.BEFORE_TOOL, HookKind.AFTER_TOOL, HookKind.PROMPT):
            assert (host, kind) in found, (host, kind)


def test_the_names_of_the_hosts_are_those_of_the_specification() -> None:
    names = "claude codex copilot vscode gemini antigravity qwen kimi cline cursor windsurf kiro"
    assert list(HOSTS) == [*names.split(), "grok", "opencode", "generic"]
    assert set(REFUSALS) == set(HOSTS)


@each_host
def test_a_permission_is_silence(host: Host) -> None:
    for name, kind in host.events.items():
        assert host.permission(HookEvent(kind=kind, name=name)) == SILENCE


@each_host
def test_a_refusal_says_no_in_the_one_place_where_the_host_reads_it(host: Host) -> None:
    event, told = REFUSALS[host.name]
    expected = HookAnswer(told.replace("%s", SHOWN), REASON + "\n", 2)
    assert host.refusal(event, REASON) == expected
    assert host.events[event] is HookKind.BEFORE_TOOL
    assert "allow" not in told.replace('"allowed": false', "")


@each_host
def test_a_refusal_always_has_a_reason(host: Host) -> None:
    answer = host.refusal(REFUSALS[host.name][0], "  \n")
    assert answer.stderr == "refused by intent-lsp\n"
    assert "refused by intent-lsp" in answer.stdout


def test_copilot_gets_a_refusal_in_the_form_of_the_event_that_it_sent() -> None:
    assert HOSTS["copilot"].refusal("PreToolUse", "no").stdout == CLAUDE_LIKE % "no"


@pytest.mark.parametrize(
    ("host", "event", "kind", "told"),
    [
        (
            "claude",
            "SessionStart",
            HookKind.SESSION_START,
            '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}',
        ),
        ("copilot", "postToolUse", HookKind.AFTER_TOOL, '{"additionalContext": "x"}'),
        (
            "cline",
            "tool_result",
            HookKind.AFTER_TOOL,
            '{"cancel": false, "contextModification": "x"}',
        ),
        ("cursor", "postToolUse", HookKind.AFTER_TOOL, '{"additional_context": "x"}'),
        ("generic", "prompt", HookKind.PROMPT, '{"context": "x"}'),
        # The model of these does not get it.
        ("qwen", "PreToolUse", HookKind.BEFORE_TOOL, ""),
        ("claude", "Stop", HookKind.TURN_END, ""),
        ("opencode", "tool.execute.after", HookKind.AFTER_TOOL, ""),
        ("cline", "UserPromptSubmit", HookKind.PROMPT, ""),
    ],
)
def test_a_note_reaches_the_model_where_the_host_passes_it_on(
    host: str, event: str, kind: HookKind, told: str
) -> None:
    answer = HOSTS[host].permission(HookEvent(kind=kind, name=event), "x")
    assert answer == HookAnswer(told)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            called("Edit", file_path="/a", old_string="x", new_string="y"),
            {"paths": ("/a",), "pieces": ("y",)},
        ),
        (called("edit", path="a", old_str="x", new_str="y"), {"paths": ("a",), "pieces": ("y",)}),
        (called("Write", path="a", content="t"), {"paths": ("a",), "new_text": "t"}),
        (called("create", path="a", file_text="t"), {"paths": ("a",), "new_text": "t"}),
        (called("editor", path="a", new_text="t"), {"paths": ("a",), "new_text": "t"}),
        (
            called("editor", path="a", old_text="x", new_text="t"),
            {"paths": ("a",), "pieces": ("t",)},
        ),
        (called("Bash", command="ls"), {"command": "ls"}),
        (called("run_command", CommandLine="ls"), {"command": "ls"}),
        (
            called("shell", command=["bash", "-lc", "rm 'a b'"]),
            {"command": "bash -lc 'rm '\"'\"'a b'\"'\"''"},
        ),
        (called("run_commands", commands=["ls", "rm a"]), {"command": "ls\nrm a"}),
        (called("run_commands", commands='["ls", "rm a"]'), {"command": "ls\nrm a"}),
        (called("apply_patch", command="*** Begin Patch"), {"patch": "*** Begin Patch"}),
        (called("functions.apply_patch", input="anything"), {"patch": "anything"}),
        (called("edit", input=" *** Begin Patch\n"), {"patch": " *** Begin Patch\n"}),
        (called("patch", patchText="--- a"), {"patch": "--- a"}),
        (called("read_files", files=[{"path": "a"}, {"path": "b"}]), {"paths": ("a", "b")}),
        (called("read_files", files='[{"path": "a"}]'), {"paths": ("a",)}),
        (called("read_files", files=["a", "b", "a"]), {"paths": ("a", "b")}),
        (called("read_files", files='["a", "b"]'), {"paths": ("a", "b")}),
        (called("MultiEdit", file_path="a", edits=[{"old_string": "x"}]), {"paths": ("a",)}),
        (called("multi_edit", edits=[{"path": "a"}, {"path": "b"}]), {"paths": ("a", "b")}),
        (called("rename_file", old_path="a", new_path="b"), {"paths": ("a", "b")}),
        (called("move_file", source="a", destination="b"), {"paths": ("a", "b")}),
        (called("delete", paths=["a", "b"]), {"paths": ("a", "b")}),
        (called("Bash", command="x", run_in_background=True), {"command": "x", "background": True}),
        (
            called("write_to_file", path="a", content="", intent_id="I", mutation_class="BUG_FIX"),
            {
                "paths": ("a",),
                "new_text": "",
                "intent_id": "I",
                "mutation_class": MutationClass.BUG_FIX,
            },
        ),
        (called("Task", description="x", prompt="y"), {}),
    ],
)
def test_the_input_of_a_tool_is_read(call: ToolCall, expected: dict[str, Any]) -> None:
    assert call == ToolCall(tool_name=call.tool_name, tool_use_id="call-1", **expected)


@pytest.mark.parametrize(
    ("host", "payload", "field", "problem"),
    [
        ("claude", {}, "hook_event_name", "is missing; use --event NAME"),
        ("claude", {"hook_event_name": 3}, "hook_event_name", "must be a text, but is a number"),
        ("claude", {"hook_event_name": "PreToolUse"}, "tool_name", "is missing"),
        (
            "claude",
            {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": [1]},
            "tool_input",
            "must be an object, but is a list",
        ),
        (
            "claude",
            {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"path": {}}},
            "tool_input.path",
            "must be a text, but is an object",
        ),
        (
            "copilot",
            {"hookName": "preToolUse", "toolName": "edit", "toolArgs": "{"},
            "toolArgs",
            "is not JSON",
        ),
        (
            "cline",
            {
                "hookName": "tool_call",
                "tool_call": {"name": "read_files", "input": {"files": [{"path": 1}]}},
            },
            "tool_call.input.files[0].path",
            "must be a text, but is a number",
        ),
        ("gemini", {"hook_event_name": "AfterTool", "session_id": True}, "session_id", "a boolean"),
    ],
)
def test_a_wrong_payload_is_an_error_with_the_place_and_the_cure(
    host: str, payload: dict[str, object], field: str, problem: str
) -> None:
    with pytest.raises(WrongPayloadError) as raised:
        HOSTS[host].read(Payload(payload))
    assert raised.value.field == field
    assert problem in raised.value.problem
    assert raised.value.cure


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "nothing was given on standard input"),
        (b" \n", "nothing was given on standard input"),
        (b"[]", "must be a JSON object, but is a list"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"\xff\xfe", "is not JSON"),
        (b"null", "must be a JSON object, but is nothing"),
    ],
)
def test_what_is_no_event_is_an_error(data: bytes, problem: str) -> None:
    with pytest.raises(WrongPayloadError, match="the hook's payload: ") as raised:
        read_payload(data)
    assert problem in raised.value.problem


def test_control_characters_and_a_byte_order_mark_are_read() -> None:
    assert read_payload(b'\xef\xbb\xbf{"a": "x\ny\tz"}').fields == {"a": "x\ny\tz"}


def test_what_a_read_tool_showed_is_known_where_the_host_gives_its_text() -> None:
    file = {"filePath": "/w/a", "content": "x\n", "startLine": 3}
    event = read(
        "claude",
        hook_event_name="PostToolUse",
        tool_name="Read",
        tool_response={"type": "text", "file": file},
    )
    assert event.shown == ShownText("/w/a", "x\n", 3)
    image = {"type": "image", "file": {"base64": "x"}}
    event = read("claude", hook_event_name="PostToolUse", tool_name="Read", tool_response=image)
    assert event.shown is None


@pytest.mark.parametrize(
    ("host", "payload"),
    [
        ("claude", {"hook_event_name": "PostToolUse", "tool_response": {"userModified": True}}),
        (
            "gemini",
            {
                "hook_event_name": "AfterTool",
                "tool_response": {"returnDisplay": {"diffStat": {"user_added_lines": 1}}},
            },
        ),
    ],
)
def test_a_persons_change_of_the_proposed_text_is_known(
    host: str, payload: dict[str, object]
) -> None:
    assert read(host, tool_name="x", **payload).by_person
    assert not read(host, tool_name="x", hook_event_name=payload["hook_event_name"]).by_person


@pytest.mark.parametrize(
    ("host", "payload", "error"),
    [
        ("codex", {"tool_response": "Exit code: 1\nOutput:\nno"}, "Exit code: 1\nOutput:\nno"),
        ("codex", {"tool_response": "Exit code: 0\nOutput:"}, None),
        ("codex", {"tool_response": "anything"}, None),
        ("qwen", {"tool_response": {"error": {"message": "no"}}}, "no"),
        ("copilot", {"toolResult": {"resultType": "failure", "textResultForLlm": "no"}}, "no"),
        ("copilot", {"tool_result": {"result_type": "success"}}, None),
        ("cline", {"tool_result": {"output": {"success": False, "error": "no"}}}, "no"),
        ("cline", {"tool_result": {"output": [{"success": True}]}}, None),
        ("cline", {"postToolUse": {"success": False}}, "it failed"),
        ("opencode", {"output": {"metadata": {"exit": 3}}}, "exit status 3"),
    ],
)
def test_a_call_that_failed_is_known_as_such(
    host: str, payload: dict[str, object], error: str | None
) -> None:
    names = {"cline": "tool_result", "copilot": "postToolUse", "opencode": "tool.execute.after"}
    assert HOSTS[host].failure(Payload(payload)) == error
    event = names.get(host, "PostToolUse")
    assert HOSTS[host].events[event] is HookKind.AFTER_TOOL


def test_hosts_without_tool_names_say_by_the_event_what_the_tool_is() -> None:
    event = read(
        "windsurf",
        agent_action_name="pre_run_command",
        trajectory_id="t",
        tool_info={"command_line": "ls", "cwd": "/w"},
    )
    assert event.call == ToolCall(tool_name="run_command", command="ls")
    event = read("cursor", hook_event_name="beforeShellExecution", command="ls", cwd="")
    assert event.call == ToolCall(tool_name="Shell", command="ls")


def test_a_subagent_is_known_by_what_only_its_payloads_have() -> None:
    common = {"hookName": "agent_end", "taskId": "t", "agent_id": "a"}
    assert read("cline", **common, parent_agent_id=None).agent_id == ""
    assert read("cline", **common, parent_agent_id="p").agent_id == "a"
    child = read("copilot", hookName="agentStop", sessionId="c", parentAgentId="p")
    assert (child.session_id, child.parent_id) == ("c", "p")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "hook_event_name",
                    "tool_name",
                    "tool_input",
                    "path",
                    "file",
                    "files",
                    "command",
                    "commands",
                    "tool_response",
                    "error",
                    "prompt",
                    "session_id",
                    "cwd",
                    "toolArgs",
                    "input",
                    "output",
                    "metadata",
                    "display",
                    "tool_call",
                    "hookName",
                    "edits",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@given(host=st.sampled_from(sorted(HOSTS)), payload=st.data())
def test_whatever_a_payload_holds_it_is_read_or_refused(host: str, payload: st.DataObject) -> None:
    events = st.sampled_from([*HOSTS[host].events, "?"])
    fields = payload.draw(
        st.dictionaries(
            st.sampled_from(
                [
                    "tool_name",
                    "toolName",
                    "tool_input",
                    "toolArgs",
                    "tool_response",
                    "session_id",
                    "cwd",
                    "prompt",
                    "error",
                    "tool_call",
                    "tool_result",
                    "input",
                    "output",
                    "tool_info",
                ]
            ),
            json_values,
            max_size=6,
        )
    )
    try:
        event = HOSTS[host].read(Payload(fields), payload.draw(events))
    except WrongPayloadError:
        return
    assert event.name
