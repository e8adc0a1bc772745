"""Gemini CLI: hooks and MCP servers in `.gemini/settings.json`, with events of its own names."""

import json
from pathlib import Path

from tests.support.agent_lab.host import KEY, URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

# Not the events around each call of the model: they hold the whole conversation.
_EVENTS = (
    *("SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool"),
    "Notification",
)
_RUN = ("--model", "gemini-2.5-pro", "--yolo", "--output-format", "stream-json")


def _register(place: Place) -> None:
    settings = {
        "hooks": place.claude_hooks(_EVENTS, 30_000),
        "mcpServers": place.mcp_servers(trust=True),
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    place.write(".gemini/settings.json", json.dumps(settings, indent=2))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        where = {"file_path": f"{repo}/{path}", "instruction": "change it"}
        return Call("replace", {**where, "old_string": old, "new_string": new})

    def part(path: str, first: int, count: int) -> Call:
        lines = {"start_line": first, "end_line": first + count - 1}
        return Call("read_file", {"file_path": f"{repo}/{path}", **lines})

    def shell(command: str) -> Call:
        return Call("run_shell_command", {"command": command, "description": "run"})

    return Tools(
        read=lambda path: Call("read_file", {"file_path": f"{repo}/{path}"}),
        part=part,
        edit=edit,
        create=lambda p, text: Call("write_file", {"file_path": f"{repo}/{p}", "content": text}),
        run=shell,
        mcp=lambda server, tool, arguments: Call(f"mcp_{server}_{tool}", arguments),
        spawn=(Call("invoke_agent", {"agent_name": "generalist", "prompt": SUBTASK}),),
    )


HOST = Host(
    name="gemini",
    package="gemini",
    program="node_modules/@google/gemini-cli/bundle/gemini.js",
    on_node=True,
    arguments=(*_RUN, "--prompt", "{prompt}"),
    resume=(*_RUN, "--resume", "latest", "--prompt", "{prompt}"),
    environment={
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": URL,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    register=_register,
    tools=_tools,
)
