"""opencode: no command hooks; a plug-in in `.opencode/plugin/` hands events to the command."""

import json
from pathlib import Path

from tests.support.agent_lab.host import KEY, URL, Host, Place, Tools
from tests.support.agent_lab.model import SUBTASK
from tests.support.agent_lab.wire import Call

_PLUGIN = Path(__file__).with_name("opencode_plugin.js")


def _register(place: Place) -> None:
    # It wants a package from npm: without these lines it tries for 70 seconds to get it.
    place.write_at_home(".npmrc", "offline=true\nfetch-retries=0\n")
    if place.hook is not None:
        source = _PLUGIN.read_text(encoding="utf-8")
        command = json.dumps(place.hook("EVENT"))
        place.write(".opencode/plugin/hooks.js", source.replace('"COMMAND"', command))
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "models": {"mock": {}},
        "options": {"baseURL": f"{URL}/v1", "apiKey": KEY},
    }
    settings = {
        "provider": {"mock": provider},
        "model": "mock/mock",
        "small_model": "mock/mock",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
    }
    if place.mcp:
        settings["mcp"] = {"lab": {"type": "local", "command": list(place.mcp), "enabled": True}}
    place.write("opencode.json", json.dumps(settings, indent=2))


def _tools(repo: Path) -> Tools:
    def edit(path: str, old: str, new: str) -> Call:
        where = {"filePath": f"{repo}/{path}"}
        return Call("edit", {**where, "oldString": old, "newString": new})

    def part(path: str, first: int, count: int) -> Call:
        return Call("read", {"filePath": f"{repo}/{path}", "offset": first, "limit": count})

    spawn = {"description": "sub", "prompt": SUBTASK, "subagent_type": "general"}
    return Tools(
        read=lambda path: Call("read", {"filePath": f"{repo}/{path}"}),
        part=part,
        edit=edit,
        create=lambda p, text: Call("write", {"filePath": f"{repo}/{p}", "content": text}),
        run=lambda command: Call("bash", {"command": command, "description": "run"}),
        mcp=lambda server, tool, arguments: Call(f"{server}_{tool}", arguments),
        spawn=(Call("task", spawn),),
    )


HOST = Host(
    name="opencode",
    package="opencode",
    program="node_modules/opencode-linux-x64/bin/opencode",
    arguments=("run", "--format", "json", "{prompt}"),
    resume=("run", "--format", "json", "--continue", "{prompt}"),
    environment={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    register=_register,
    tools=_tools,
)
