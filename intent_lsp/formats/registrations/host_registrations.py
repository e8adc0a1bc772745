"""Turns the description of an agent host into registrations: what each of its files must hold."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from intent_lsp.formats.registrations.agent_host import AgentHost, HookShape, McpFile
from intent_lsp.formats.registrations.file_registration import FileRegistration
from intent_lsp.formats.registrations.json_entry import HANDLERS, MATCHER, JsonEntry
from intent_lsp.formats.registrations.json_registration import JsonRegistration
from intent_lsp.formats.registrations.jsonc import JsonValue
from intent_lsp.formats.registrations.opencode_plugin import plugin_text
from intent_lsp.formats.registrations.registration import (
    PROGRAM,
    SERVER_NAME,
    WRITTEN_BY,
    Place,
    Purpose,
    Registration,
    RegistrationText,
)
from intent_lsp.formats.registrations.toml_registration import TomlEntry, TomlRegistration

_TRIGGER: Final = "trigger"


class RegistrationOptions(Struct, frozen=True, kw_only=True):
    """How registrations are made.

    `program` is how a hook's command calls our program, as words of a shell; in a committed file it
    is the program's name. `local`: hooks are registered in files that are not committed.
    `fail_closed`: if the hook before a call fails, the call is refused, where the host can do that.
    """

    program: str = PROGRAM
    local: bool = False
    fail_closed: bool = False


def registrations_of(host: AgentHost, wish: RegistrationOptions) -> tuple[Registration, ...]:
    """Return a host's registrations: its hooks, and our MCP server if the host has a file for it.

    With `wish.local` there are only hooks, and none if the host has neither a local file for hooks
    nor one in the home directory.
    """
    hooks = host.hooks
    if wish.local and hooks.local is None and hooks.place is not Place.HOME:
        return ()
    found = tuple(_hooks(host, wish))
    return found if wish.local or host.mcp is None else (*found, _server(host, host.mcp))


def hook_files(host: AgentHost) -> tuple[tuple[Place, str], ...]:
    """Return the files for a host's hooks, there or not, each as its place and its path in there.

    Local files come last. Of files that are named after their event, that of the event before a
    call comes first.
    """
    wishes = (RegistrationOptions(), RegistrationOptions(local=True))
    found = (each for wish in wishes for each in registrations_of(host, wish))
    hooks = (each for each in found if each.purpose is Purpose.HOOKS)
    return tuple(dict.fromkeys((each.place, each.paths[0]) for each in hooks))


def hook_command(host: AgentHost, event: str, program: str = PROGRAM) -> str:
    """Return the shell command that a host must run on an event, so that our hook is called.

    The command names the event only if the host does not tell a hook the event.
    """
    host_name, event_option = host.hook, f" --event {event}" if host.hooks.named else ""
    return f"{program} hook {host_name}{event_option}"


def _hooks(host: AgentHost, wish: RegistrationOptions) -> Iterator[Registration]:
    hooks = host.hooks
    place, path = hooks.place, hooks.path
    content: RegistrationText
    if wish.local and hooks.local is not None:
        place, path = Place.LOCAL, hooks.local
    match hooks.shape:
        case HookShape.SCRIPTS:
            for event in hooks.every_event:
                yield Registration(
                    purpose=Purpose.HOOKS,
                    place=place,
                    paths=(f"{path}/{event}",),
                    content=_script(host, event, wish),
                    executable=True,
                )
            return
        case HookShape.PLUGIN:
            content = FileRegistration(
                host=host.hook,
                content=plugin_text(fail_closed=wish.fail_closed),
                command=hook_command(host, ""),
                module=True,
            )
        case HookShape.TABLES:
            content = _tables(host, wish)
        case HookShape.GROUPS | HookShape.FLAT | HookShape.TRIGGERS:
            content = _entries(host, wish)
    yield Registration(purpose=Purpose.HOOKS, place=place, paths=(path,), content=content)


def _script(host: AgentHost, event: str, wish: RegistrationOptions) -> FileRegistration:
    command = hook_command(host, event, wish.program)
    return FileRegistration(
        host=host.hook,
        content=f"#!/bin/sh\n# {WRITTEN_BY}\nexec {command}\n",
        command=command,
    )


def _tables(host: AgentHost, wish: RegistrationOptions) -> TomlRegistration:
    hooks = host.hooks
    limit = () if hooks.limit is None else (hooks.limit,)
    return TomlRegistration(
        host=host.hook,
        entries=tuple(
            TomlEntry(
                path=(hooks.container,),
                values=(
                    ("event", event),
                    (hooks.command, hook_command(host, event, wish.program)),
                    *limit,
                ),
                item=True,
            )
            for event in hooks.every_event
        ),
    )


def _entries(host: AgentHost, wish: RegistrationOptions) -> JsonRegistration:
    hooks = host.hooks
    listed = hooks.shape is HookShape.TRIGGERS
    return JsonRegistration(
        host=host.hook,
        entries=tuple(
            JsonEntry(
                path=(hooks.container,) if listed else (hooks.container, event),
                value=_entry(host, event, wish),
                trigger=_TRIGGER if listed else None,
            )
            for event in hooks.every_event
        ),
        container=(hooks.container,),
        top=hooks.top,
        own=hooks.own,
    )


def _entry(host: AgentHost, event: str, wish: RegistrationOptions) -> JsonValue:
    hooks = host.hooks
    command = hook_command(host, event, wish.program)
    matcher: dict[str, JsonValue] = {}
    if hooks.matcher is not None and event in (hooks.gate, *hooks.tools):
        matcher = {MATCHER: hooks.matcher}
    limit = {} if hooks.limit is None else dict((hooks.limit,))
    if hooks.shape is HookShape.TRIGGERS:
        return {
            "name": f"{PROGRAM} {event}",
            _TRIGGER: event,
            **matcher,
            "action": {"type": "command", "command": command},
            **limit,
            "enabled": True,
        }
    handler: dict[str, JsonValue] = {**dict(hooks.extra), hooks.command: command, **limit}
    if hooks.closed is not None and wish.fail_closed and event == hooks.gate:
        # Not on other events, where a refusal would stop the person's own prompt.
        handler[hooks.closed[0]] = hooks.closed[1]
    return {**matcher, HANDLERS: [handler]} if hooks.shape is HookShape.GROUPS else handler


def _server(host: AgentHost, file: McpFile) -> Registration:
    arguments = ["mcp"]
    if file.paths[0].endswith(".toml"):
        table = TomlEntry(
            path=(file.container, SERVER_NAME),
            values=(("command", PROGRAM), ("args", [*arguments])),
        )
        content: RegistrationText = TomlRegistration(host=host.hook, entries=(table,))
    else:
        call: dict[str, JsonValue] = {"command": PROGRAM, "args": [*arguments]}
        if file.as_list:
            call = {"command": [PROGRAM, *arguments]}
        entry = JsonEntry(
            path=(file.container, SERVER_NAME), value={**dict(file.extra), **call}, item=False
        )
        content = JsonRegistration(
            host=host.hook, entries=(entry,), container=(file.container, SERVER_NAME)
        )
    return Registration(purpose=Purpose.MCP, place=Place.ROOT, paths=file.paths, content=content)
