"""Qwen Code: hooks and MCP servers in `.qwen/settings.json`, in Claude's shape."""

import json
from pathlib import Path

from tests.support.agent_lab.host import KEY, URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

_EVENTS = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification"),
    *("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart"),
    *("SubagentStop", "PreCompact", "PermissionRequest", "ConfigChange", "CwdChanged"),
)
_RUN = ("--auth-type", "openai", "--yolo", "-o", "stream-json")


def _register(place: Place) -> None:
    settings = {
        "hooks": place.claude_hooks(_EVENTS, 30),
        "mcpServers": place.mcp_servers(trust=True),
        "security": {"folderTrust": {"enabled": False}, "auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    place.write(".qwen/settings.json", json.dumps(settings, indent=2))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        where = {"file_path": f"{repo}/{path}"}
        return Call("edit", {**where, "old_string": old, "new_string": new})

    def part(path: str, first: int, count: int) -> Call:
        where = {"file_path": f"{repo}/{path}"}
        return Call("read_file", {**where, "offset": first - 1, "limit": count})

    def shell(command: str) -> Call:
        more = {"description": "run", "is_background": False}
        return Call("run_shell_command", {"command": command, **more})

    spawn = {"description": "sub", "prompt": SUBTASK, "subagent_type": "general-purpose"}
    return Tools(
        read=lambda path: Call("read_file", {"file_path": f"{repo}/{path}"}),
        part=part,
        edit=edit,
        create=lambda p, text: Call("write_file", {"file_path": f"{repo}/{p}", "content": text}),
        run=shell,
        mcp=lambda server, tool, arguments: Call(
            "tool_call", {"name": f"mcp__{server}__{tool}", "arguments": arguments}
        ),
        spawn=(Call("agent", spawn),),
    )


HOST = Host(
    name="qwen",
    package="qwen",
    program="node_modules/@qwen-code/qwen-code/cli-entry.js",
    on_node=True,
    arguments=(*_RUN, "{prompt}"),
    resume=(*_RUN, "--continue", "{prompt}"),
    conversation=(*_RUN, "--input-format", "stream-json"),
    environment={
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{URL}/v1",
        "OPENAI_MODEL": "mock",
    },
    register=_register,
    tools=_tools,
)
