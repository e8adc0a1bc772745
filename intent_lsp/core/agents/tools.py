"""A tool call, the change of a file that it may ask for, and what kind of tool it is.

Specified in requirements section 6.

Invariant: names are compared without case and prefix; the team's lists win over ours.
Invariant: an unknown tool is mutating as soon as it names a path or a command.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from intent_lsp.core.commands.reading import Effect, TouchedPath, changed_paths
from intent_lsp.core.commands.rows import CommandLists
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.records import MutationClass
from intent_lsp.core.text import pack

# A server's name ends at the first `__`, so that the prefix never swallows part of a tool's name.
_PREFIX = re.compile(r"(?:functions\.|mcp__.+?__)(?=.)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What an agent's tool is about to do, as the caller put it (protocol section 2).

    `paths` are as the caller spelled them; a rename has the old and the new one. A None in
    `read_hashes` means that the caller takes the file for absent. `read_only_hint` is what an MCP
    tool declares about itself, or None. `background`: the host runs the call while others start.
    """

    tool_name: str
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

    @property
    def fingerprint(self) -> ContentHash:
        """A SHA-256 of what the call would do, to tell apart calls with the same `tool_use_id`.

        `read_hashes` are left out, so that a repeated request for the same call has the same
        fingerprint.
        """
        text = None if self.new_text is None else hash_content(pack(self.new_text))
        kind = None if self.mutation_class is None else self.mutation_class.value
        told = (self.tool_name, self.paths, self.command, self.patch, text, self.intent_id, kind)
        return hash_content(json.dumps(told).encode("ascii"))


class ToolKind(Enum):
    """What a tool does. Whether a COMMAND changes files depends on the command."""

    READ_ONLY = "read-only"
    EDIT = "edit"
    COMMAND = "command"


Rewrite = Callable[[str], str]
"""A function from a file's old text to its new text. The old text is empty if there is no file.

It raises ValueError if the old text is not one that it can be applied to.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The change of one file. `path` is as the caller spelled it.

    `source` is the old name of a file that is moved, else None. `rewrite` is None if the content
    stays. `version` is that of the open document that the change was made for, or None.
    """

    path: str
    effect: Effect = Effect.WRITE
    source: str | None = None
    rewrite: Rewrite | None = None
    version: int | None = None

    @property
    def touched(self) -> tuple[TouchedPath, ...]:
        """The paths that change.

        A move changes two: the old path is deleted, the new one written.
        """
        return changed_paths(self.path, self.effect, self.source)


def tool_kind(call: ToolCall, policy: TeamPolicy, lists: CommandLists) -> ToolKind:
    """Return what a call's tool does: by the team's lists, then ours, then the tool's own hint.

    A tool in the team's `mutating_tools` is EDIT whatever its command. A tool that is in no list
    and names a path is EDIT even if it also names a command, since a harmless command does not make
    the edit of the path harmless.
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
    """Whether the team blocks a tool altogether, read-only or not."""
    return named_in(tool_name, policy.blocked_tools)


def named_in(tool_name: str, patterns: Iterable[str]) -> bool:
    """Whether any of the names or patterns matches a tool."""
    return any(same_name(pattern, tool_name) for pattern in patterns)


def same_name(pattern: str, tool_name: str) -> bool:
    """Whether a name, or a pattern with `*`, matches a tool, whatever its case and prefix.

    The server in a pattern such as `mcp__github__*` is compared: without it, the pattern would
    match every tool.
    """
    wanted, name = (text.casefold().removeprefix("functions.") for text in (pattern, tool_name))
    if "*" not in wanted:
        return bare_name(wanted) == bare_name(name)
    if _stands_for(wanted, name):
        return True
    return not wanted.startswith("mcp__") and _stands_for(wanted, bare_name(name))


def bare_name(tool_name: str) -> str:
    """Return a tool's name without `functions.` and `mcp__<server>__`. Its case is kept."""
    at = 0
    while (found := _PREFIX.match(tool_name, at)) is not None:
        at = found.end()
    return tool_name[at:]


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
    """Match a pattern that has at least one `*`, each for any run of characters.

    The first occurrence of each piece is as good as a later one, so no backtracking is needed.
    """
    head, *middle, tail = pattern.split("*")
    end = len(name) - len(tail)
    if not name.startswith(head) or not name.endswith(tail):
        return False
    at = len(head)
    for run in middle:
        found = name.find(run, at, end)
        if found < 0:
            return False
        at = found + len(run)
    return at <= end
