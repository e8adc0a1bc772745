"""Copilot CLI: hooks in `.github/hooks/`; under a licence of its own, so only where named."""

import json
from pathlib import Path

from tests.support.agent_lab.host import KEY, URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

_EVENTS = (
    *("sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse"),
    *("postToolUseFailure", "agentStop", "subagentStart", "subagentStop", "permissionRequest"),
    *("preCompact", "errorOccurred", "notification"),
)
_RUN = (
    *("--trust-folder", "--allow-all-tools", "--disable-builtin-mcps"),
    *("--disable-client-telemetry", "--output-format", "json"),
)


def _register(place: Place) -> None:
    hooks = {
        event: [{"type": "command", "timeoutSec": 30, "bash": place.hook(event)}]
        for event in place.wanted(_EVENTS)
        if place.hook is not None
    }
    place.write(".github/hooks/hooks.json", json.dumps({"version": 1, "hooks": hooks}, indent=2))
    if place.mcp:
        servers = {"mcpServers": place.mcp_servers(type="local", tools=["*"])}
        place.write_at_home(".copilot/mcp-config.json", json.dumps(servers, indent=2))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        return Call("edit", {"path": f"{repo}/{path}", "old_str": old, "new_str": new})

    def part(path: str, first: int, count: int) -> Call:
        lines = [first, first + count - 1]
        return Call("view", {"path": f"{repo}/{path}", "view_range": lines})

    spawn = {"name": "sub", "description": "sub", "prompt": SUBTASK}
    return Tools(
        read=lambda path: Call("view", {"path": f"{repo}/{path}"}),
        part=part,
        edit=edit,
        create=lambda path, text: Call("create", {"path": f"{repo}/{path}", "file_text": text}),
        run=lambda command: Call("bash", {"command": command, "description": "run"}),
        mcp=lambda server, tool, arguments: Call(f"{server}-{tool}", arguments),
        spawn=(Call("task", {**spawn, "agent_type": "general-purpose"}),),
    )


HOST = Host(
    name="copilot",
    package="copilot",
    program="node_modules/@github/copilot-linux-x64/copilot",
    arguments=(*_RUN, "--prompt", "{prompt}"),
    resume=(*_RUN, "--continue", "--prompt", "{prompt}"),
    environment={
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{URL}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "mock",
        "COPILOT_AUTO_UPDATE": "false",
    },
    register=_register,
    tools=_tools,
)
