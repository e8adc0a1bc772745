"""Servers by a fork of a loaded process instead of a start, for clients of pytest-lsp.

Invariant: a server has the environment and the directory of whoever asks for it, or it is started.
"""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import cast

import pytest_lsp
from pygls.io_ import run_async

from tests.support.fork_server import LONGEST

PYTHON = (sys.executable, "-m")
TO_A_FILE = ("sh", "-c", 'exec "$@" 2>>"$0"')
"""What stands before a file and a command whose standard error is to go there."""


@dataclass(frozen=True, slots=True)
class _Output:
    """What a server writes to, and the way to let go of it."""

    transport: asyncio.ReadTransport
    reader: asyncio.StreamReader


class Client(pytest_lsp.LanguageClient):
    """A client whose server needs not load itself, where the fork server can make it."""

    _pipes: "Server | None" = None

    async def start_io(self, cmd: str, *args: str, **kwargs: object) -> None:
        """Begin to speak with a server, as pygls does with one that it has started."""
        words, log = _read((cmd, *args))
        if not words or kwargs or not (fork_server := _fork_server()).has_same_environment():
            await super().start_io(cmd, *args, **kwargs)
            return
        server = await fork_server.fork(words, log)
        self.protocol.set_writer(server.stdin)
        speaking = run_async(
            stop_event=self._stop_event,
            reader=server.stdout,
            protocol=self.protocol,
            error_handler=self.report_server_error,
        )
        self._server = cast("asyncio.subprocess.Process", server)
        self._pipes = server
        self._async_tasks += [
            asyncio.create_task(speaking),
            asyncio.create_task(self._server_exit()),  # type: ignore[no-untyped-call]  # pygls's
        ]

    async def stop(self) -> None:
        """Wait for the end, and let go of what was held to speak with the server."""
        await super().stop()  # type: ignore[no-untyped-call]  # pytest-lsp's
        if self._pipes is not None:
            await self._pipes.close_pipes()


def end() -> None:
    """End the fork server, if there is one; the next server makes another."""
    if _fork_server.cache_info().currsize:
        _fork_server().end()
        _fork_server.cache_clear()


class Server:
    """A server as `asyncio.subprocess.Process` shows one; `status` tells of its end."""

    stderr = None

    def __init__(self, pid: int, stdin: asyncio.StreamWriter, *outputs: _Output) -> None:
        self.pid, self.stdin, self._outputs = pid, stdin, outputs
        self.stdout = outputs[0].reader
        self.returncode: int | None = None
        self._ending = asyncio.create_task(self._end(outputs[1].reader))

    async def wait(self) -> int:
        """Wait for the end; give the exit status, or the signal as a negative number."""
        return await asyncio.shield(self._ending)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it is still there."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def close_pipes(self) -> None:
        """Close the pipes."""
        self.stdin.close()
        for output in self._outputs:
            output.transport.close()
            # To the end, which comes when it is closed.
            await output.reader.read()

    async def _end(self, status: asyncio.StreamReader) -> int:
        self.returncode = int(await status.readline())
        return self.returncode


class _ForkServer:
    """The nursery's process, and the way to ask it."""

    def __init__(self) -> None:
        self._environment = _environment()
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            handle = theirs.fileno()
            command = (*PYTHON, "tests.support.fork_server", str(handle))
            self._process = subprocess.Popen(command, pass_fds=(handle,), stdin=subprocess.DEVNULL)

    def has_same_environment(self) -> bool:
        """Tell whether a process started now would have the environment of the fork server."""
        return _environment() == self._environment

    async def fork(self, words: Sequence[str], log: str | None) -> Server:
        """Have the words after `python -m` run in a fork."""
        request = json.dumps(words).encode()
        assert len(request) <= LONGEST
        pipes = [os.pipe() for _ in range(3)]
        (their_in, our_in), (our_out, their_out), (our_status, their_status) = pipes
        where = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        errors = os.dup(2) if log is None else os.open(log, where, 0o666)
        theirs = [their_in, their_out, errors, their_status]
        socket.send_fds(self._requests, [request], theirs)
        for stream in theirs:
            os.close(stream)
        stdin, stdout = await _writing(our_in), await _reading(our_out)
        status = await _reading(our_status)
        return Server(int(await status.reader.readline()), stdin, stdout, status)

    def end(self) -> None:
        """Let the process end."""
        self._requests.close()
        self._process.wait()


@cache
def _fork_server() -> _ForkServer:
    fork_server = _ForkServer()
    atexit.register(fork_server.end)
    return fork_server


def _read(command: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """Give what a command has Python run, and the file of its errors; nothing of any other."""
    log = None
    if tuple(command[:3]) == TO_A_FILE:
        log, *command = command[3:]
    return (command[2:], log) if tuple(command[:2]) == PYTHON else ((), None)


def _environment() -> tuple[Mapping[str, str], str]:
    """Give what a process inherits without being told; pytest's word on the test is none of it."""
    variables = {name: value for name, value in os.environ.items() if name[:7] != "PYTEST_"}
    return variables, os.getcwd()  # noqa: PTH109 - compared, never followed


async def _reading(stream: int) -> _Output:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(stream, "rb", 0)
    )
    return _Output(transport, reader)


async def _writing(stream: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(stream, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
