"""What an agent's call would change, parsed before the root's lock is taken.

Invariant: a call that cannot be read is never allowed.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.errors import InvalidCallError, RequestLimitError
from intent_lsp.core.paths import is_file_name
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.formats.tool_call import CallReading, looking, read_call
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.git.configured_programs import runs_programs
from intent_lsp.store.packaged_files import command_lists, tool_lists

_log: Final = logging.getLogger(__name__)

FILES_AT_MOST: Final = 10_000
"""The most files that one call may name."""


def read_tool_call(call: ToolCall, policy: TeamPolicy, stores: Stores) -> CallReading:
    """Return the reading of a call: the paths that it would or may change, and how.

    A read-only git command counts as one that may change files if git may run other programs, or if
    the root has no git repository, so that its settings are unknown.
    """
    lists = tool_lists() if call.command is None else command_lists()
    reading = read_call(call, policy, lists)
    if reading.mutating or not reading.git or not runs_programs(stores.git):
        return reading
    return looking(reading)


def read_changes(changes: Sequence[FileChange]) -> CallReading:
    """Return the reading of a call that states its file changes itself."""
    touched = dict.fromkeys(path for change in changes for path in change.touched)
    return CallReading(mutating=True, paths=tuple(touched))


def whole_reading(call: ToolCall, read: Callable[[], CallReading]) -> CallReading:
    """Parse a call with the function `read`. Check the result and return it.

    Raise InvalidCallError if the call cannot be parsed, or if a path, its command or its patch has
    a lone surrogate that stands for no byte of a file name; RequestLimitError if it names too many
    files.
    """
    try:
        reading = read()
    except Exception as problem:
        _log.exception("a call could not be read")
        raise InvalidCallError(f"the call cannot be parsed: {problem}") from problem
    if len(reading.paths) + len(reading.perhaps) > FILES_AT_MOST:
        raise RequestLimitError(problem="the call names too many files", limit=FILES_AT_MOST)
    named = [touched.path for touched in (*reading.paths, *reading.perhaps)]
    for text in (*named, *call.paths, call.command or "", call.patch or ""):
        if not is_file_name(text):
            name = text[:100]
            raise InvalidCallError(
                f"{name!r} has half of a character (a lone surrogate), which no file name has"
            )
    return reading


def parts_of(reading: CallReading) -> Iterator[CallReading]:
    """Yield the parts of a changing call: the call without paths, then with one path at a time.

    A read-only call has no parts.
    """
    if reading.mutating:
        yield replace(reading, paths=(), perhaps=())
        for touched in reading.paths:
            yield replace(reading, paths=(touched,), perhaps=())
        for touched in reading.perhaps:
            yield replace(reading, paths=(), perhaps=(touched,))
