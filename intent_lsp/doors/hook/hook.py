"""Answers one event of an agent host: asks the server of the root, else judges by itself.

Invariant: one answer is written to one event.
Invariant: until governance is needed, `typing` and `contextlib`, which load slowly, are not loaded.
Invariant: if a server answers, this process does not load governance, which takes long.
"""

import io
import json
import os
import select
from collections.abc import Callable

from intent_lsp.core.agents.hook_answer import (
    COPILOT_VARIABLE,
    INTENT_VARIABLE,
    PROBE_VARIABLE,
    HookAnswer,
)
from intent_lsp.core.errors import IntentLspError
from intent_lsp.formats.hook_wire import HookRequest
from intent_lsp.store.fs.root_search import governing_directory
from intent_lsp.store.hook_socket import NoReplyError, ask_server
from intent_lsp.store.stopwatch import stopwatch

LARGEST = 32 * 1024 * 1024
"""The most bytes of one event."""

_CHUNK = 1 << 20

READING_SECONDS = 6.0
"""Seconds within which a host must have written the whole event."""

SERVER_SECONDS = 4.0
"""Seconds that the server of the root has to answer, or to say that it asks a person.

If it does neither, this process judges by itself.
"""

HANDED_ON = (INTENT_VARIABLE, COPILOT_VARIABLE, PROBE_VARIABLE)
"""The environment variables that change an answer."""


class UnreadInputError(IntentLspError):
    """Raised if the host's event could not be read from standard input in time, or is too large."""


def run_hook(host: str, event: str | None) -> int:
    """Answer the event on standard input, and return the exit status (hooks section 2).

    `host` is the name of the agent host. `event` is the event's name from the command line, or
    None; it counts only if the input has no name. The answer is written to standard output and
    standard error.
    """
    reply = _reply(host, event)
    _write(1, reply.stdout)
    _write(2, reply.stderr)
    return reply.status


def _reply(host: str, event: str | None) -> HookAnswer:
    passed = stopwatch()
    cwd = _working_directory()
    environment = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    try:
        data = _read_input(0, READING_SECONDS)
    except (UnreadInputError, OSError) as problem:
        request = HookRequest(host, event, environment, cwd, b"")
        return _here(request, passed, str(problem))
    request = HookRequest(host, event, environment, cwd, data)
    root = governing_directory(request.place())
    try:
        reply = None if root is None else ask_server(root, request, SERVER_SECONDS)
    except NoReplyError as problem:
        # There is no time left to judge, and the person may still answer.
        return _here(request, passed, str(problem))
    return reply or _here(request, passed)


def _read_input(descriptor: int, seconds: float) -> bytes:
    """Return what a host writes to a hook, up to the end of input or of one JSON object.

    The end of an object counts because one host never closes the input. At the end of input,
    whatever has come is returned, JSON or not. Raise UnreadInputError if neither end comes within
    `seconds`, or if more than LARGEST bytes come. Raise OSError if the descriptor cannot be read.
    """
    passed = stopwatch()
    parts: list[bytes] = []
    size, closed = 0, False
    while True:
        left = seconds - passed()
        if left <= 0 or not _is_ready(descriptor, left):
            raise _unfinished(b"".join(parts), seconds)
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return b"".join(parts)
        parts.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise UnreadInputError(f"the event on standard input has more than {LARGEST >> 20} MiB")
        if not chunk.isspace():
            # A line end may come by itself.
            closed = chunk.rstrip().endswith(b"}")
        if closed and not _is_ready(descriptor, 0.0):
            # Mostly the end is there at once, and nothing has to be parsed to find it.
            data = b"".join(parts)
            if _is_whole(data):
                return data


def _unfinished(data: bytes, seconds: float) -> UnreadInputError:
    if not data.strip():
        return UnreadInputError(f"nothing came on standard input within {seconds:g} s")
    return UnreadInputError(f"the event on standard input did not end within {seconds:g} s")


def _is_ready(descriptor: int, seconds: float) -> bool:
    """Whether there is more to read, or the end, within `seconds`."""
    return bool(select.select([descriptor], [], [], seconds)[0])


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _working_directory() -> str:
    """Return the working directory; if it was deleted, its former path from PWD, else `/`.

    If it was deleted, change to `/`, so that relative paths can be resolved.
    """
    try:
        return os.getcwd()  # noqa: PTH109 - no path object is needed
    except OSError:
        os.chdir(os.sep)
        former = os.environ.get("PWD", "")
        return former if former.startswith("/") else "/"


def _here(
    request: HookRequest, passed: Callable[[], float], unread: str | None = None
) -> HookAnswer:
    # Governance is loaded late: a server mostly answers instead.
    from intent_lsp.doors.hook.judging_here import answer_here  # noqa: PLC0415

    return answer_here(request, passed, unread)


def _write(descriptor: int, text: str) -> None:
    """Write the whole text at once. Ignore errors: the host may have closed its end."""
    data = text.encode("utf-8", "replace")
    try:
        with io.FileIO(descriptor, "w", closefd=False) as raw:
            while data:
                data = data[raw.write(data) or 0 :]
    except (OSError, ValueError):
        return
