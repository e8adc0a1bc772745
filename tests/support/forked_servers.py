"""Servers forked from a loaded process instead of started, for clients of pytest-lsp.

Invariant: a forked server has the environment and working directory of the test that asks for it;
if the fork server has others, the server is started.
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
"""A command prefix: the file follows to which standard error goes, then the command."""


@dataclass(frozen=True, slots=True)
class _Output:
    """A pipe that a server writes to."""

    transport: asyncio.ReadTransport
    reader: asyncio.StreamReader


class Client(pytest_lsp.LanguageClient):
    """A pytest-lsp client whose server is forked if possible."""

    _pipes: "Server | None" = None

    async def start_io(self, cmd: str, *args: str, **kwargs: object) -> None:
        """Connect to a server, as pygls does with one that it has started."""
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
        """Wait for the server's end, and close the pipes to it."""
        await super().stop()  # type: ignore[no-untyped-call]  # pytest-lsp's
        if self._pipes is not None:
            await self._pipes.close_pipes()


def end() -> None:
    """End the fork server, if there is one; the next server makes another."""
    if _fork_server.cache_info().currsize:
        _fork_server().end()
        _fork_server.cache_clear()


class Server:
    """A forked server with the interface of `asyncio.subprocess.Process`."""

    stderr = None

    def __init__(self, pid: int, stdin: asyncio.StreamWriter, *outputs: _Output) -> None:
        self.pid, self.stdin, self._outputs = pid, stdin, outputs
        self.stdout = outputs[0].reader
        self.returncode: int | None = None
        self._ending = asyncio.create_task(self._end(outputs[1].reader))

    async def wait(self) -> int:
        """Wait for the end; return the exit status, or the signal as a negative number."""
        return await asyncio.shield(self._ending)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send a signal, if the server still runs."""
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
    """The process of the fork server, and the socket to it."""

    def __init__(self) -> None:
        self._environment = _environment()
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            handle = theirs.fileno()
            command = (*PYTHON, "tests.support.fork_server", str(handle))
            self._process = subprocess.Popen(command, pass_fds=(handle,), stdin=subprocess.DEVNULL)

    def has_same_environment(self) -> bool:
        """Return whether a process started now would have the environment of the fork server."""
        return _environment() == self._environment

    async def fork(self, words: Sequence[str], log: str | None) -> Server:
        """Run `python -m` with these words in a fork; standard error goes to `log`, or to ours."""
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
        """Close the socket, which ends the process, and wait for it."""
        self._requests.close()
        self._process.wait()


@cache
def _fork_server() -> _ForkServer:
    fork_server = _ForkServer()
    atexit.register(fork_server.end)
    return fork_server


def _read(command: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """Return a command's words after `python -m`, and its error file; no words for another."""
    log = None
    if tuple(command[:3]) == TO_A_FILE:
        log, *command = command[3:]
    return (command[2:], log) if tuple(command[:2]) == PYTHON else ((), None)


def _environment() -> tuple[Mapping[str, str], str]:
    """Return what a process inherits, without pytest's variables, which differ by test."""
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
