"""Cline CLI: one script for each event in `.cline/hooks/`, started by the event's name."""

import json
from pathlib import Path

from tests.support.agent_lab.host import KEY, URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

_EVENTS = (
    *("TaskStart", "TaskResume", "TaskCancel", "TaskComplete", "TaskError", "PreToolUse"),
    *("PostToolUse", "UserPromptSubmit", "PreCompact", "SessionShutdown"),
)
_PROVIDER = ("--provider", "openai")


def _register(place: Place) -> None:
    for event in place.wanted(_EVENTS):
        assert place.hook is not None
        script = f"#!/bin/sh\nexec {place.hook(event)}\n"
        place.write(f".cline/hooks/{event}", script, executable=True)
    if place.mcp:
        servers = {"mcpServers": place.mcp_servers()}
        place.write_at_home(".cline/data/settings/cline_mcp_settings.json", json.dumps(servers))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        return Call("editor", {"path": f"{repo}/{path}", "old_text": old, "new_text": new})

    def part(path: str, first: int, count: int) -> Call:
        lines = {"start_line": first, "end_line": first + count - 1}
        return Call("read_files", {"files": [{"path": f"{repo}/{path}", **lines}]})

    return Tools(
        read=lambda path: Call("read_files", {"files": [{"path": f"{repo}/{path}"}]}),
        part=part,
        edit=edit,
        create=lambda p, text: Call("editor", {"path": f"{repo}/{p}", "new_text": text}),
        run=lambda command: Call("run_commands", {"commands": [command]}),
        mcp=lambda server, tool, arguments: Call(f"{server}__{tool}", arguments),
        spawn=(Call("spawn_agent", {"systemPrompt": "Work.", "task": SUBTASK}),),
    )


HOST = Host(
    name="cline",
    package="cline",
    program="node_modules/@cline/cli-linux-x64/bin/cline",
    before=("auth", *_PROVIDER, "--apikey", KEY, "--modelid", "mock", "--baseurl", f"{URL}/v1"),
    arguments=(
        *("--json", "--auto-approve", "true", *_PROVIDER, "--model", "mock"),
        *("--timeout", "60", "{prompt}"),
    ),
    environment={"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"},
    register=_register,
    tools=_tools,
)
