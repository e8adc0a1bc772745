"""Kimi Code: hooks in the user's `~/.kimi-code/config.toml`; a project has none of its own."""

import hashlib
import json
from pathlib import Path

from tests.support.agent_lab.host import KEY, URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

_EVENTS = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionResult"),
    *("UserPromptSubmit", "TurnStarted", "Stop", "StopFailure", "Interrupt", "SessionStart"),
    *("SessionEnd", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification"),
)
_MODEL = f"""\
default_model = "mock"
[providers.mock]
type = "openai"
api_key = "{KEY}"
base_url = "{URL}/v1"
[models.mock]
provider = "mock"
model = "mock"
max_context_size = 200000
"""


def _register(place: Place) -> None:
    hooks = [
        f'[[hooks]]\nevent = "{event}"\ntimeout = 30\ncommand = {json.dumps(place.hook(event))}\n'
        for event in place.wanted(_EVENTS)
        if place.hook is not None
    ]
    place.write_at_home(".kimi-code/config.toml", _MODEL + "".join(hooks))
    # MCP servers of a project are started only in a folder that its person has trusted.
    digest = hashlib.sha256(str(place.repo).encode()).hexdigest()[:12]
    trust = json.dumps({"root": str(place.repo), "trustedAt": 1})
    place.write_at_home(f".kimi-code/workspace-trust/wd_{place.repo.name}_{digest}", trust)
    if place.mcp:
        servers = {"mcpServers": place.mcp_servers()}
        place.write_at_home(".kimi-code/mcp.json", json.dumps(servers, indent=2))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        return Call("Edit", {"path": f"{repo}/{path}", "old_string": old, "new_string": new})

    def part(path: str, first: int, count: int) -> Call:
        return Call("Read", {"path": f"{repo}/{path}", "line_offset": first, "n_lines": count})

    return Tools(
        read=lambda path: Call("Read", {"path": f"{repo}/{path}"}),
        part=part,
        edit=edit,
        create=lambda path, text: Call("Write", {"path": f"{repo}/{path}", "content": text}),
        run=lambda command: Call("Bash", {"command": command}),
        mcp=lambda server, tool, arguments: Call(f"mcp__{server}__{tool}", arguments),
        spawn=(Call("Agent", {"description": "sub", "prompt": SUBTASK}),),
    )


HOST = Host(
    name="kimi",
    package="kimi",
    program="node_modules/@moonshot-ai/kimi-code/dist/main.mjs",
    on_node=True,
    arguments=("--output-format", "stream-json", "--prompt", "{prompt}"),
    resume=("--continue", "--output-format", "stream-json", "--prompt", "{prompt}"),
    environment={"KIMI_CODE_NO_AUTO_UPDATE": "1"},
    register=_register,
    late_events=True,
    tools=_tools,
)
