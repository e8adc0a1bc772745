"""A tool call: what it may change, what kind of tool it uses, and whether it selects an intent.

Special calls are those that select an intent, and those that open a shell.

Specified in requirements section 6.

Invariant: tool names are compared without case. The team's lists take precedence over the built-in
ones.
Invariant: a tool in no list is not READ_ONLY if it names a path, a patch or a command, unless it
declares itself read-only.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from fnmatch import fnmatchcase
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.commands.reading import Effect, TouchedPath, changed_paths
from intent_lsp.core.commands.rows import CommandLists
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.records import MutationClass
from intent_lsp.core.text import pack

# A server's name ends at the first `__`, so that the prefix never swallows part of a tool's name.
_PREFIX = re.compile(r"(?:functions\.|mcp__.+?__)(?=.)", re.IGNORECASE | re.DOTALL)
_OTHER_MAGIC = re.compile(r"[?\[]")


class ToolCall(Struct, frozen=True, kw_only=True):
    """What an agent's tool is about to do, as the caller put it (protocol section 2).

    `paths` are as the caller wrote them. A rename has both its old and its new path. Relative paths
    of the call, its patch and its command begin at `directory`, which is relative to the root.
    `read_hashes` maps paths to the hash of the content that the caller last read; None means that
    the caller believes the file to be absent. `read_only_hint` is what an MCP tool declares about
    itself, or None. `background`: the host runs the call while it starts others. `pieces` are texts
    that the call would put into its file; there are none if the call gives the file's whole text.
    `host` is the name of the agent host whose hook reports the call, or None.
    """

    tool_name: str
    directory: str = ""
    paths: tuple[str, ...] = ()
    command: str | None = None
    patch: str | None = None
    new_text: str | None = None
    intent_id: str | None = None
    mutation_class: MutationClass | None = None
    read_hashes: Mapping[str, ContentHash | None] = field(default_factory=dict)
    tool_use_id: str | None = None
    read_only_hint: bool | None = None
    background: bool = False
    pieces: tuple[str, ...] = ()
    host: str | None = None

    @property
    def fingerprint(self) -> ContentHash:
        """The SHA-256 hash of what the call would do.

        It distinguishes calls with the same `tool_use_id`. `read_hashes` are left out, so that a
        repeated request for the same call has the same fingerprint.
        """
        text = None if self.new_text is None else hash_content(pack(self.new_text))
        kind = None if self.mutation_class is None else self.mutation_class.value
        told = (self.tool_name, self.paths, self.command, self.patch, text, self.intent_id, kind)
        where = (self.directory,) if self.directory else ()
        return hash_content(json.dumps((*told, *where)).encode("ascii"))


class ToolKind(Enum):
    """What a tool does. A COMMAND tool runs shell commands; these decide whether files change."""

    READ_ONLY = "read-only"
    EDIT = "edit"
    COMMAND = "command"


Rewrite = Callable[[str], str]
"""A function from a file's old text to its new text. The old text is empty if there is no file.

It raises ValueError if it cannot be applied to the old text.
"""


class FileChange(Struct, frozen=True, kw_only=True):
    """The change of one file. `path` is as the caller wrote it.

    `source` is the old path if the file is moved to `path`, else None. `rewrite` is the function
    that makes the new text, or None if the text does not change. `version` is the version of the
    open document that the change was computed for, or None.
    """

    path: str
    effect: Effect = Effect.WRITE
    source: str | None = None
    rewrite: Rewrite | None = None
    version: int | None = None

    @property
    def touched(self) -> tuple[TouchedPath, ...]:
        """The paths that change: `path`, and for a move also `source`, which is deleted."""
        return changed_paths(self.path, self.effect, self.source)


def tool_kind(call: ToolCall, policy: TeamPolicy, lists: CommandLists) -> ToolKind:
    """Return what kind of tool a call uses.

    The team's `policy` decides first, then the built-in `lists`. The policy's `mutating_tools` are
    EDIT and its `read_only_tools` READ_ONLY. A tool that is in no list is READ_ONLY if
    `read_only_hint` says so. Else it is EDIT if the call has a path or a patch, COMMAND if it has
    only a command, and READ_ONLY if it has none of them.
    """
    by_name = _kind_by_name(call.tool_name, policy, lists)
    if by_name is not None:
        return by_name
    if call.read_only_hint:
        return ToolKind.READ_ONLY
    if call.paths or call.patch is not None:
        return ToolKind.EDIT
    return ToolKind.READ_ONLY if call.command is None else ToolKind.COMMAND


def blocked(tool_name: str, policy: TeamPolicy) -> bool:
    """Whether the team's policy blocks a tool. A blocked tool may not even read."""
    return named_in(tool_name, policy.blocked_tools)


def named_in(tool_name: str, patterns: Iterable[str]) -> bool:
    """Whether any of `patterns` matches the tool's name. A pattern is a tool name, or has a `*`."""
    return any(same_name(pattern, tool_name) for pattern in patterns)


def same_name(pattern: str, tool_name: str) -> bool:
    """Whether `pattern` (a tool name, or a pattern with `*`) matches a tool. Case is ignored.

    Without `*`, both are compared without their prefixes `functions.` and `mcp__<server>__`. A
    pattern with `*` may match the name with or without `mcp__<server>__`. If the pattern itself
    begins with `mcp__`, as `mcp__github__*` does, it must match the name with that prefix.
    """
    wanted, name = (text.casefold().removeprefix("functions.") for text in (pattern, tool_name))
    if "*" not in wanted:
        return bare_name(wanted) == bare_name(name)
    if _stands_for(wanted, name):
        return True
    return not wanted.startswith("mcp__") and _stands_for(wanted, bare_name(name))


def bare_name(tool_name: str) -> str:
    """Return a tool's name without any leading `functions.` and `mcp__<server>__`. Case is kept."""
    at = 0
    while (found := _PREFIX.match(tool_name, at)) is not None:
        at = found.end()
    return tool_name[at:]


SELECT_TOOL: Final = "select_active_intent"
_PROGRAMS: Final = frozenset({"intent-lsp", "intent_lsp"})
_VALUED: Final = frozenset({"--session", "--agent", "-C", "--root"})
_LONGEST: Final = 4096
_INTERACTIVE: Final = frozenset(
    ["bash", "sh", "zsh", "fish", "dash", "ksh", "python", "python3", "node", "irb"]
)
_ABOUT: Final = frozenset({"--version", "--help"})
_OF_PYTHON: Final = frozenset({"-V", "-VV", "-h"})
_ABOUT_OF: Final = {"python": _OF_PYTHON, "python3": _OF_PYTHON, "node": frozenset({"-v", "-h"})}

_TOOL_PREFIXES: Final = ("mcp__{}__", "mcp_{}_", "{}__", "{}_", "{}-", "{}.", "{}/")
"""How hosts write the name of a server, `{}`, before that of its tool."""

OWN_TOOLS: Final = frozenset(
    {
        *("list_intents", SELECT_TOOL, "get_intent_context", "check_edit", "record_edit"),
        *("apply_edit", "request_scope_expansion", "report_verification", "complete_intent"),
        *("who_wrote", "ledger_status", "write_to_file"),
    }
)
"""The names of the tools of our own MCP server."""


def selected_in_shell(command: str | None) -> str | None:
    """Return ID if the shell command is `intent-lsp intents select ID`, else None.

    The program may also be called by a path, or as `python -m intent_lsp`, and options may follow.
    Return None too if `--session` is given, if there is more than one ID, or if the command is not
    a simple one (see `_words`).
    """
    words = _words(command)
    if words[1:3] == ["-m", "intent_lsp"]:
        words = ["intent-lsp", *words[3:]]
    if not words or words[0].rpartition("/")[2] not in _PROGRAMS:
        return None
    if words[1:3] != ["intents", "select"]:
        return None
    operands, rest = [], iter(words[3:])
    for word in rest:
        if word.partition("=")[0] == "--session":
            return None
        if word in _VALUED:
            next(rest, None)
        elif not word.startswith("-"):
            operands.append(word)
    return operands[0] if len(operands) == 1 else None


def opens_shell(command: str | None) -> bool:
    """Whether a shell command only opens an interactive shell or interpreter, such as `bash -l`.

    Only the programs in _INTERACTIVE are known: for any other, the result is False. It is also
    False if there is an operand, an option in _ABOUT or _ABOUT_OF, or an option with a `c` or `C`
    in it, since `-c` would run a text.
    """
    words = _words(command)
    program = words[0].rpartition("/")[2] if words else ""
    about = _ABOUT | _ABOUT_OF.get(program, frozenset())
    if program not in _INTERACTIVE or not about.isdisjoint(words):
        return False
    return all(word.startswith("-") and "c" not in word.lower() for word in words[1:])


def own_tool(call: ToolCall, servers: Iterable[str]) -> str | None:
    """Return the name in OWN_TOOLS of the tool that a call uses, or None if it is another tool.

    `servers` are the names under which hosts have registered our server. The call's tool name must
    begin with one of them, as hosts write it: `mcp__<server>__list_intents`,
    `<server>_list_intents` and the like. A bare `list_intents` gives None.
    """
    names = {name for server in servers for name in (server, server.replace("-", "_"))}
    begins = [form.format(name) for name in names for form in _TOOL_PREFIXES]
    return {begin + tool: tool for begin in begins for tool in OWN_TOOLS}.get(call.tool_name)


def may_be_own(call: ToolCall) -> bool:
    """Whether the call's tool name ends in a name from OWN_TOOLS and is longer than that name.

    What precedes it may then name our MCP server. Letter case counts.
    """
    return bare_name(call.tool_name).endswith(tuple(OWN_TOOLS)) and (
        call.tool_name not in OWN_TOOLS
    )


def _kind_by_name(tool_name: str, policy: TeamPolicy, lists: CommandLists) -> ToolKind | None:
    kinds = (
        (policy.mutating_tools, ToolKind.EDIT),
        (policy.read_only_tools, ToolKind.READ_ONLY),
        (lists.edit_tools, ToolKind.EDIT),
        (lists.command_tools, ToolKind.COMMAND),
        (lists.read_only_tools, ToolKind.READ_ONLY),
    )
    return next((kind for names, kind in kinds if named_in(tool_name, names)), None)


def _stands_for(pattern: str, name: str) -> bool:
    """Whether a pattern matches a name. A `*` matches any text, any other character only itself."""
    return fnmatchcase(name, _OTHER_MAGIC.sub(r"[\g<0>]", pattern))


def _words(command: str | None) -> list[str]:
    """Return the words of a simple command, without quotes.

    Return [] if there is no command, if it is too long, or if it has an operator, a `$`, a
    back-quote, a back-slash, a line end or an open quote. Globs stay as they are written.
    """
    if command is None or len(command) > _LONGEST:
        return []
    lexer = shlex.shlex(command.strip(), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    if any(set(word) <= set("();<>|&") for word in words):
        return []
    # An expansion may be anything.
    if any(sign in command for sign in "$`\n\\"):
        return []
    return words
