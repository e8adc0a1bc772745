"""The description of an agent host: its settings files, and the form of our entries in each.

Invariant: a host's list of what it trusts is never written. `steps` says what a person has to do.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.formats.registrations.registration import Place

SECONDS: Final = 30
"""How long hosts are told to wait for our hook, in seconds. The hook takes half of it at most."""


class HookShape(StrEnum):
    """The form in which a host's hooks are registered.

    GROUPS: in JSON, for each event an array of groups, each of them a matcher with handlers. FLAT:
    in JSON, for each event an array of handlers. TRIGGERS: in JSON, one array of handlers that name
    their events. TABLES: in TOML, one array of tables that name their events. SCRIPTS: one program
    for each event. PLUGIN: a module that the host loads.
    """

    GROUPS = "groups"
    FLAT = "flat"
    TRIGGERS = "triggers"
    TABLES = "tables"
    SCRIPTS = "scripts"
    PLUGIN = "plug-in"


class HookFile(Struct, frozen=True, kw_only=True):
    """Where and how a host's hooks are registered.

    `path` is the file with the hooks, or the directory of the programs if `shape` is SCRIPTS. It is
    relative to the directory that `place` means. `gate` is the name of the event before a call;
    `tools` are other events that are about calls, and `events` all others. `container` is the key
    of the hooks in the file. `matcher` is a pattern that matches every tool, or None; it is written
    at the events `gate` and `tools` in the shapes GROUPS and TRIGGERS. `command` is the key of a
    handler's command, and `extra` are further members of a handler in JSON. `limit` is the key and
    value of a handler's time limit, or None. `closed` is the key and value that make the host
    refuse a call if the hook fails, or None. `top` are members that the file must have, such as a
    version. `own`: the file is for our entries alone. `named`: the host does not tell a hook the
    event, so the command names it. `local` is the path of a file for hooks that is not committed,
    or None. The defaults are those of Claude Code and its followers.
    """

    path: str
    shape: HookShape = HookShape.GROUPS
    gate: str = "PreToolUse"
    tools: tuple[str, ...] = ("PostToolUse", "PostToolUseFailure")
    events: tuple[str, ...] = (
        *("UserPromptSubmit", "SessionStart", "SessionEnd"),
        *("SubagentStart", "SubagentStop", "Stop"),
    )
    container: str = "hooks"
    place: Place = Place.ROOT
    matcher: str | None = "*"
    command: str = "command"
    extra: tuple[tuple[str, str | bool], ...] = (("type", "command"),)
    limit: tuple[str, int] | None = ("timeout", SECONDS)
    closed: tuple[str, str | bool] | None = None
    top: tuple[tuple[str, str | int], ...] = ()
    own: bool = False
    named: bool = False
    local: str | None = None

    @property
    def every_event(self) -> tuple[str, ...]:
        """The events on which our hook is registered. The event before a call comes first."""
        return (self.gate, *self.tools, *self.events)


class McpFile(Struct, frozen=True, kw_only=True):
    """Where a host's MCP servers are registered.

    `paths` are the names that the file may have, relative to the repository. `container` is the key
    of all servers. `extra` are members that our entry has in JSON besides its command. `as_list`:
    the command and its arguments are one array.
    """

    paths: tuple[str, ...]
    container: str = "mcpServers"
    extra: tuple[tuple[str, str | bool], ...] = ()
    as_list: bool = False


class AgentHost(Struct, frozen=True, kw_only=True):
    """A program that runs agents, such as Claude Code.

    `name` is what a person chooses it by, and `title` is its name in texts. `asks_as` is its name
    in `intent-lsp hook NAME`, or "" if `name` is. `mcp` is None if the host has no file for MCP
    servers in the repository. The host is found by a program of `programs` on PATH, or by a
    directory or file: `at_home` is looked for in the home directory, `in_root` in the repository,
    and `directories` in both. `editors` are the `programs` that people also use without an agent.
    `package` is the npm package that holds the program, or "". `steps` are what a person has to do
    after the registration.
    """

    name: str
    title: str
    asks_as: str = ""
    hooks: HookFile
    mcp: McpFile | None = None
    programs: tuple[str, ...]
    editors: tuple[str, ...] = ()
    package: str = ""
    directories: tuple[str, ...] = ()
    at_home: tuple[str, ...] = ()
    in_root: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    @property
    def hook(self) -> str:
        """The host's name in `intent-lsp hook NAME`."""
        return self.asks_as or self.name

    @property
    def observed(self) -> bool:
        """Whether the host's hooks have been seen at work.

        If not, what is known of them is from the host's documentation.
        """
        return HOSTS[self.name].version is not None
