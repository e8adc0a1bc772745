"""Runs a command as an agent host runs its hook, and asks a program over lines of JSON.

Invariant: a process that is started here has ended when the function returns.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any, Final

from msgspec import Struct

from intent_lsp.store.stopwatch import stopwatch

_SHELL: Final = "/bin/sh"
_LARGEST: Final = 64 * 1024


class HookRun(Struct, frozen=True, kw_only=True):
    """How a hook's command ended, and how many seconds it ran.

    `status` is its exit status, or minus the number of the signal that ended it. If it still ran at
    its time limit, or its outputs were still open, `status` is None and the outputs are empty. Of
    each output at most the first 64 KiB are there.
    """

    status: int | None
    stdout: str
    stderr: str
    seconds: float


def run_hook_command(
    command: str, root: Path, data: bytes, seconds: float, variables: Mapping[str, str]
) -> HookRun:
    """Run a command line in a root through the shell, with `data` on its standard input.

    `seconds` is the time limit, at which the command is killed. `variables` are added to the
    environment. Raise OSError if the shell cannot be started, ValueError if the command or a
    variable cannot be passed to it, for example because of a NUL.
    """
    passed = stopwatch()
    with _started([_SHELL, "-c", command], root, variables) as process:
        try:
            out, err = process.communicate(data, timeout=seconds)
        except subprocess.TimeoutExpired:
            return HookRun(status=None, stdout="", stderr="", seconds=passed())
        status = process.returncode
    said = (each[:_LARGEST].decode("utf-8", "replace") for each in (out, err))
    return HookRun(status=status, stdout=next(said), stderr=next(said), seconds=passed())


def ask_program(
    words: Sequence[str], root: Path, requests: Iterable[Mapping[str, Any]], seconds: float
) -> Mapping[str, Any] | None:
    """Start a program, send it requests as lines of JSON, and return its answer to the last one.

    After a request with an `id`, wait for the answer with the same `id` before the next request. If
    the last request has no `id`, return None. Return None also if the program cannot be started,
    ends before its answer or takes longer than `seconds` for all. `words` are its command line, and
    `root` its working directory. The program is killed at the end if it still runs.
    """
    answer: Mapping[str, Any] | None = None
    with suppress(OSError, ValueError), _started(words, root, {}) as process:
        timer = Timer(seconds, _kill, [process])
        timer.start()
        try:
            for request in requests:
                answer = None
                answer = _answered(process, request)
        finally:
            timer.cancel()
    return answer


def _answered(
    process: "subprocess.Popen[bytes]", request: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    sending, reading = process.stdin, process.stdout
    if sending is None or reading is None:
        return None
    sending.write(json.dumps(request).encode() + b"\n")
    sending.flush()
    if "id" not in request:
        return None
    for line in reading:
        with suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, Mapping) and said.get("id") == request["id"]:
                return said
    return None


@contextmanager
def _started(
    words: Sequence[str], root: Path, variables: Mapping[str, str]
) -> "Iterator[subprocess.Popen[bytes]]":
    with subprocess.Popen(  # noqa: S603 - what the user's own settings make a host run
        list(words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
        env={**os.environ, **variables},
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """If a program still runs, kill it and the processes in its group."""
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
