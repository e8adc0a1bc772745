"""Codex CLI: hooks in `.codex/hooks.json`, one patch tool, or in code mode one JavaScript tool."""

import dataclasses
import json
from pathlib import Path

from tests.support.agent_lab.host import URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

_EVENTS = (
    *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest"),
    *("PostToolUse", "PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "Interrupt"),
    "Stop",
)
_RUN = (
    *("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"),
    *("--json", "{prompt}"),
)


def _register(place: Place) -> None:
    program, *arguments = place.mcp or [""]
    server = f"[mcp_servers.lab]\ncommand = {json.dumps(program)}\nargs = {json.dumps(arguments)}\n"
    place.write_at_home(
        ".codex/config.toml",
        f"""\
model_provider = "mock"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "{URL}/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
[projects.{json.dumps(str(place.repo))}]
trust_level = "trusted"
[analytics]
enabled = false
{server if place.mcp else ""}""",
    )
    if place.hook is not None:
        hooks = {"hooks": place.claude_hooks(_EVENTS, 30)}
        place.write(".codex/hooks.json", json.dumps(hooks, indent=2))


def _patch(kind: str, path: str, lines: str) -> str:
    return f"*** Begin Patch\n*** {kind} File: {path}\n{lines}*** End Patch\n"


def _update(path: str, old: str, new: str) -> str:
    removed = "".join(f"-{line}\n" for line in old.splitlines())
    added = "".join(f"+{line}\n" for line in new.splitlines())
    return _patch("Update", path, f"@@\n{removed}{added}")


def _add(path: str, text: str) -> str:
    return _patch("Add", path, "".join(f"+{line}\n" for line in text.splitlines()))


def _space(server: str) -> str:
    """Return the namespace of a server's tools, in the spelling of Codex."""
    return f"mcp__{server.replace('-', '_')}"


def _tools(_repo: Path) -> Tools:
    def shell(command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    return Tools(
        read=lambda path: shell(f"cat {path}"),
        part=lambda path, first, count: shell(f"sed -n '{first},{first + count - 1}p' {path}"),
        edit=lambda path, old, new: Call("apply_patch", _update(path, old, new)),
        create=lambda path, text: Call("apply_patch", _add(path, text)),
        run=shell,
        mcp=lambda server, tool, arguments: Call(f"{_space(server)}/{tool}", arguments),
    )


def _code_tools(_repo: Path) -> Tools:
    def code(tool: str, argument: object) -> Call:
        return Call("exec", f"text(await tools.{tool}({json.dumps(argument)}))")

    def shell(command: str) -> Call:
        return code("exec_command", {"cmd": command})

    spawn = {"task_name": "sub", "message": SUBTASK, "fork_turns": "none"}
    return Tools(
        read=lambda path: shell(f"cat {path}"),
        part=lambda path, first, count: shell(f"sed -n '{first},{first + count - 1}p' {path}"),
        edit=lambda path, old, new: code("apply_patch", _update(path, old, new)),
        create=lambda path, text: code("apply_patch", _add(path, text)),
        run=shell,
        mcp=lambda server, tool, arguments: code(f"{_space(server)}__{tool}", arguments),
        spawn=(
            Call("collaboration/spawn_agent", spawn),
            Call("collaboration/wait_agent", {"timeout_ms": 60000}),
        ),
    )


# The model decides the tools: gpt-5.5 has `apply_patch`, later ones have code mode.
HOST = Host(
    name="codex",
    package="codex",
    program="node_modules/@openai/codex-linux-x64/vendor/*/bin/codex",
    arguments=("exec", "--model", "gpt-5.5", *_RUN),
    resume=("exec", "resume", "--last", "--model", "gpt-5.5", *_RUN),
    environment={"MOCK_KEY": "sk-test"},
    register=_register,
    tools=_tools,
)
CODE_MODE = dataclasses.replace(
    HOST, arguments=("exec", "--model", "gpt-6.1-sol", *_RUN), resume=(), tools=_code_tools
)
