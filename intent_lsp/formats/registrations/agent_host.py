"""The description of an agent host: its files, and the form of an entry in each.

Invariant: a host's trust is never written. `steps` says what a person has to do.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from intent_lsp.formats.registrations.registration import Place

SECONDS: Final = 30
"""How long a host waits for our hook, in seconds. The hook takes half of it at most."""


class HookShape(StrEnum):
    """The form of the file in which a host's hooks are registered.

    GROUPS: for each event an array of matchers with handlers. FLAT: for each event an array of
    handlers. TRIGGERS: one array of handlers that name their events. TABLES: such an array in TOML.
    SCRIPTS: one program for each event. PLUGIN: a module that the host loads.
    """

    GROUPS = "groups"
    FLAT = "flat"
    TRIGGERS = "triggers"
    TABLES = "tables"
    SCRIPTS = "scripts"
    PLUGIN = "plug-in"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFile:
    """Where and how a host's hooks are registered.

    `gate` is the event before a call; `tools` are the events that are about calls, `events` all
    others. `matcher` is what a group of the first two says to be about every tool, or None for no
    matcher. `limit` is the key and value of the time limit, or None. `closed` is the switch that
    makes a failure of the hook a refusal, or None. `named`: the host sends no name of the event, so
    the command says it. `local` is the path of a file that is not committed, or None.
    """

    path: str
    shape: HookShape
    gate: str = ""
    tools: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    container: str = "hooks"
    place: Place = Place.ROOT
    matcher: str | None = None
    command: str = "command"
    extra: tuple[tuple[str, str | bool], ...] = ()
    limit: tuple[str, int] | None = ("timeout", SECONDS)
    closed: tuple[str, str | bool] | None = None
    top: tuple[tuple[str, str | int], ...] = ()
    own: bool = False
    named: bool = False
    local: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class McpFile:
    """Where a host's MCP servers are registered.

    `paths` are the names that the file may have. `container` is the key of the servers. `extra` are
    members that an entry has besides. `as_list`: the command and its arguments are one array.
    """

    paths: tuple[str, ...]
    container: str = "mcpServers"
    extra: tuple[tuple[str, str | bool], ...] = ()
    as_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentHost:
    """A program that runs agents.

    `hook` is its name in `intent-lsp hook NAME`. It is found by `programs` on PATH, or by a
    directory or file in the home directory (`at_home`) or in the repository (`in_root`). Those of
    `programs` that are `editors` also run while no agent is at work. `package` is the npm package
    that holds the program, or "".
    `observed`: its hooks have been seen at work; otherwise its documentation alone is followed.
    `steps` are what a person has to do afterwards.
    """

    name: str
    title: str
    hook: str
    hooks: HookFile
    mcp: McpFile | None
    programs: tuple[str, ...]
    editors: tuple[str, ...] = ()
    package: str = ""
    at_home: tuple[str, ...] = ()
    in_root: tuple[str, ...] = ()
    observed: bool = False
    steps: tuple[str, ...] = ()
