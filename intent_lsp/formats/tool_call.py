"""What an agent's call would do: whether it changes files, and which (requirements section 6).

Invariant: every path that a mutating call names, or that its patch or its command is known to
change, is returned.
Invariant: a mutating call that names no path says why no path is known, unless the work tree is
compared before and after it.
"""

import re
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tools import ToolCall, ToolKind, bare_name, named_in, tool_kind
from intent_lsp.core.commands.reading import (
    NOTHING,
    CommandKind,
    CommandReading,
    Effect,
    TouchedPath,
    changed_paths,
    entered,
    unknown,
)
from intent_lsp.core.commands.rows import CommandLists
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.redaction import redacted
from intent_lsp.formats.patch.reader import PatchReading, read_patch
from intent_lsp.formats.shell.reader import read_command

NO_PATH: Final = "The call names no file; what it changes is judged when the change is recorded."

_LITERAL: Final = re.compile(r"[*?\[]")
"""Characters of a directory's name that a pattern would not take literally."""

_DELETING: Final = frozenset({"delete_file"})
_MOVING: Final = frozenset({"rename_file", "move_file"})


class CallReading(Struct, frozen=True, kw_only=True):
    """What an agent's tool call would do: whether it changes files (`mutating`), and the `paths`.

    `unknown` are sentences that say which paths cannot be known, and why. `perhaps` are further
    paths that a patch could mean; they count if they exist. `looking`: the work tree is compared
    before and after the call, which shows what the call changes besides `paths`. `git`: the call
    runs git and is not `mutating`. `program` is the program that decided the reading, such as
    `git commit`, or "" if no program did. It is None if no command was read, or if the program's
    name may hold a secret.
    """

    mutating: bool
    looking: bool = False
    git: bool = False
    paths: tuple[TouchedPath, ...] = ()
    perhaps: tuple[TouchedPath, ...] = ()
    unknown: tuple[str, ...] = ()
    program: str | None = None


def read_call(call: ToolCall, policy: TeamPolicy, lists: CommandLists) -> CallReading:
    """Return what a tool call would do, judged by its tool, paths, patch and command.

    A call that is not `mutating` has no paths here. Relative paths begin at the root; absolute ones
    stay as they are.
    """
    kind = tool_kind(call, policy, lists)
    if kind is ToolKind.READ_ONLY:
        return CallReading(mutating=False)
    command = _command(call, lists, runs=kind is ToolKind.COMMAND)
    patch = None if call.patch is None else read_patch(call.patch)
    alone = kind is ToolKind.COMMAND and not call.paths and patch is None
    if alone and command.kind is CommandKind.PLAIN:
        return CallReading(mutating=False, git=command.git, program=_told(call, command))
    reading = _from_root(_changing(call, patch, command), call.directory)
    if alone and command.kind is CommandKind.LOOKING:
        return replace(reading, looking=True, unknown=())
    return reading


def looking(reading: CallReading) -> CallReading:
    """Return `reading`, changed to that of a call that may change files.

    The work tree is then compared before and after the call, which shows what the call changed.
    """
    return replace(reading, mutating=True, looking=True)


def public_program(command: str, program: str) -> str | None:
    """Return `program` if it may be shown, or None if it may hold a secret.

    `program` is a part of `command`. It may hold a secret if one of its words is no longer in
    `command` after secrets there are redacted.
    """
    shown = redacted(command)
    return program if all(word in shown for word in program.split()) else None


def _changing(call: ToolCall, patch: PatchReading | None, command: CommandReading) -> CallReading:
    paths = [*_named(call)]
    sentences: list[str] = []
    perhaps: list[TouchedPath] = []
    if patch is not None:
        for file in patch.files:
            touched = changed_paths(file.path, file.effect, file.previous)
            (perhaps if file.doubtful else paths).extend(touched)
        sentences += patch.problems
    paths += command.paths
    sentences += command.unknown
    if not paths and not sentences:
        sentences.append(NO_PATH)
    return CallReading(
        mutating=True,
        paths=tuple(dict.fromkeys(paths)),
        perhaps=tuple(dict.fromkeys(perhaps)),
        unknown=tuple(dict.fromkeys(sentences)),
        program=_told(call, command),
    )


def _from_root(reading: CallReading, directory: str) -> CallReading:
    """Return a reading with its paths relative to the root.

    So far they are relative to `directory`, which is itself relative to the root, or "" for the
    root.
    """
    if not directory:
        return reading
    paths, perhaps = (
        tuple(_below(directory, touched) for touched in each)
        for each in (reading.paths, reading.perhaps)
    )
    return replace(reading, paths=paths, perhaps=perhaps)


def _below(directory: str, touched: TouchedPath) -> TouchedPath:
    begins = _LITERAL.sub(r"[\g<0>]", directory) if touched.pattern else directory
    source = None if touched.source is None else entered(directory, touched.source)
    return replace(touched, path=entered(begins, touched.path) or touched.path, source=source)


def _command(call: ToolCall, lists: CommandLists, *, runs: bool) -> CommandReading:
    """Return what the call's shell command does.

    `runs`: the call's tool is a shell. A call without a command may do anything if its tool is a
    shell, and does nothing otherwise. A command for another shell than `bash` is not parsed, and
    may do anything.
    """
    if call.command is None and not runs:
        return NOTHING
    if named_in(call.tool_name, lists.other_shells):
        return unknown(
            "", f"`{call.tool_name}` runs another shell than `bash`, so its command is not parsed"
        )
    return read_command(call.command or "", lists)


def _told(call: ToolCall, command: CommandReading) -> str | None:
    return None if call.command is None else public_program(call.command, command.program)


def _named(call: ToolCall) -> tuple[TouchedPath, ...]:
    """Return the paths in the call's arguments, each with its effect.

    If a tool that renames has two paths, they are the old and the new one. A tool that deletes
    deletes all its paths; any other call writes them.
    """
    name = bare_name(call.tool_name).lower()
    match call.paths:
        case (old, new) if name in _MOVING:
            return changed_paths(new, Effect.MOVE, old)
    effect = Effect.DELETE if name in _DELETING else Effect.WRITE
    return tuple(TouchedPath(path, effect) for path in call.paths)
