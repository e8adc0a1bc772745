"""Claude Code: hooks in `.claude/settings.json`; under commercial terms, so only where named."""

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
_RUN = (
    *("--print", "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits"),
    *("--allowedTools", "Bash", "mcp__lab__echo", "--output-format", "stream-json", "--verbose"),
)


def _register(place: Place) -> None:
    hooks = {"hooks": place.claude_hooks(_EVENTS, 30)}
    place.write(".claude/settings.json", json.dumps(hooks, indent=2))
    if place.mcp:
        place.write(".mcp.json", json.dumps({"mcpServers": place.mcp_servers()}, indent=2))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        where = {"file_path": f"{repo}/{path}"}
        return Call("Edit", {**where, "old_string": old, "new_string": new})

    def part(path: str, first: int, count: int) -> Call:
        return Call("Read", {"file_path": f"{repo}/{path}", "offset": first, "limit": count})

    spawn = {"description": "sub", "prompt": SUBTASK, "subagent_type": "general-purpose"}
    return Tools(
        read=lambda path: Call("Read", {"file_path": f"{repo}/{path}"}),
        part=part,
        edit=edit,
        create=lambda p, text: Call("Write", {"file_path": f"{repo}/{p}", "content": text}),
        run=lambda command: Call("Bash", {"command": command, "description": "run"}),
        mcp=lambda server, tool, arguments: Call(f"mcp__{server}__{tool}", arguments),
        spawn=(Call("Agent", spawn),),
    )


HOST = Host(
    name="claude",
    package="claude",
    program="node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    arguments=(*_RUN, "--", "{prompt}"),
    resume=(*_RUN, "--continue", "--", "{prompt}"),
    conversation=(*_RUN, "--input-format", "stream-json"),
    environment={
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": URL,
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    register=_register,
    tools=_tools,
)
