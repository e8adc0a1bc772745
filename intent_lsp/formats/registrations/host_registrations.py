"""Turns the description of an agent host into registrations: what each of its files must hold."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from intent_lsp.formats.registrations.agent_host import AgentHost, HookShape, McpFile
from intent_lsp.formats.registrations.file_registration import FileRegistration, plugin_text
from intent_lsp.formats.registrations.json_entry import HANDLERS, MATCHER, SettingsEntry
from intent_lsp.formats.registrations.json_registration import JsonRegistration
from intent_lsp.formats.registrations.jsonc import JsonValue
from intent_lsp.formats.registrations.registration import (
    PROGRAM,
    SERVER_NAME,
    WRITTEN_BY,
    Place,
    Purpose,
    Registration,
    RegistrationText,
)
from intent_lsp.formats.registrations.toml_registration import TomlRegistration

_TRIGGERS: Final = {HookShape.TRIGGERS: "trigger", HookShape.TABLES: "event"}
"""The key with which an entry names its event, where one array has those of all events."""


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
    """Return the files for a host's hooks, also files that do not exist, as (place, path in it).

    Local files come last. If a host has a file for each event, the file of the event before a call
    comes first.
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
    if wish.local and hooks.local is not None:
        place, path = Place.LOCAL, hooks.local
    if hooks.shape is HookShape.SCRIPTS:
        for event in hooks.every_event:
            command = hook_command(host, event, wish.program)
            script = f"#!/bin/sh\n# {WRITTEN_BY}\nexec {command}\n"
            yield Registration(
                purpose=Purpose.HOOKS,
                place=place,
                paths=(f"{path}/{event}",),
                content=FileRegistration(host=host.hook, content=script, command=command),
                executable=True,
            )
        return
    content: RegistrationText
    if hooks.shape is HookShape.PLUGIN:
        content = FileRegistration(
            host=host.hook,
            content=plugin_text(fail_closed=wish.fail_closed),
            command=hook_command(host, ""),
            module=True,
        )
    else:
        content = _entries(host, wish)
    yield Registration(purpose=Purpose.HOOKS, place=place, paths=(path,), content=content)


def _entries(host: AgentHost, wish: RegistrationOptions) -> JsonRegistration | TomlRegistration:
    hooks = host.hooks
    trigger = _TRIGGERS.get(hooks.shape)
    entries = tuple(
        SettingsEntry(
            path=(hooks.container, event) if trigger is None else (hooks.container,),
            value=_entry(host, event, wish),
            trigger=trigger,
        )
        for event in hooks.every_event
    )
    if hooks.shape is HookShape.TABLES:
        return TomlRegistration(host=host.hook, entries=entries)
    return JsonRegistration(
        host=host.hook, entries=entries, container=(hooks.container,), top=hooks.top, own=hooks.own
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
            "trigger": event,
            **matcher,
            "action": {"type": "command", "command": command},
            **limit,
            "enabled": True,
        }
    if hooks.shape is HookShape.TABLES:
        return {"event": event, hooks.command: command, **limit}
    handler: dict[str, JsonValue] = {**dict(hooks.extra), hooks.command: command, **limit}
    if hooks.closed is not None and wish.fail_closed and event == hooks.gate:
        # Not on other events, where a refusal would stop the person's own prompt.
        handler[hooks.closed[0]] = hooks.closed[1]
    return {**matcher, HANDLERS: [handler]} if hooks.shape is HookShape.GROUPS else handler


def _server(host: AgentHost, file: McpFile) -> Registration:
    call: dict[str, JsonValue] = {"command": PROGRAM, "args": ["mcp"]}
    if file.as_list:
        call = {"command": [PROGRAM, "mcp"]}
    path = (file.container, SERVER_NAME)
    entry = SettingsEntry(path=path, value={**dict(file.extra), **call}, item=False)
    content: RegistrationText
    if file.paths[0].endswith(".toml"):
        content = TomlRegistration(host=host.hook, entries=(entry,))
    else:
        content = JsonRegistration(host=host.hook, entries=(entry,), container=path)
    return Registration(purpose=Purpose.MCP, place=Place.ROOT, paths=file.paths, content=content)
