"""A fork server: a process that has loaded the server's modules, and forks a server on request.

Loading a server takes longer than most tests take to use it. A forked server is still a process of
its own, with its own standard streams.

Invariant: `python -m MODULE …` by a fork differs from one by a start only in what is loaded
already. How servers start and load is tested on servers that were started.
"""

import importlib
import io
import json
import os
import runpy
import signal
import socket
import sys
from collections.abc import Sequence

LONGEST = 1 << 16
"""Most bytes of a request: the words after `python -m`, as JSON."""

STREAMS = 4
"""Descriptors that come with a request: standard input, output and error, and a pipe to which the
process id of the fork is written, and in the end its exit status, a line each."""

_LOADED = (
    "intent_lsp.doors.cli.main",
    "intent_lsp.doors.lsp.logs",
    "intent_lsp.doors.lsp.language_service",
    "intent_lsp.doors.lsp.server",
    "intent_lsp.doors.lsp.transport.stdio",
)


def main() -> None:
    """Fork for each request that comes over the socket, until it is closed."""
    for name in _LOADED:
        importlib.import_module(name)
    # The intermediate processes of `_serve_or_wait` are reaped by the system.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        while words := _next(requests):
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def _next(requests: socket.socket) -> Sequence[str]:
    """Wait for requests; return one's words in its fork, or nothing once the socket closes."""
    while True:
        request, streams, _, _ = socket.recv_fds(requests, LONGEST, STREAMS)
        if not request:
            return ()
        if not os.fork():
            requests.close()
            _serve_or_wait(streams)
            words: list[str] = json.loads(request)
            sys.argv[1:] = words[1:]
            return words
        for stream in streams:
            os.close(stream)


def _serve_or_wait(streams: Sequence[int]) -> None:
    """Fork once more: the child returns and serves; its parent waits and reports its status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *standard, status = streams
    if server := os.fork():
        for stream in (0, 1, 2, *standard):
            os.close(stream)
        os.write(status, b"%d\n" % server)
        _, how = os.waitpid(server, 0)
        os.write(status, b"%d\n" % os.waitstatus_to_exitcode(how))
        os._exit(0)
    for number, (stream, name) in enumerate(
        zip(standard, ("stdin", "stdout", "stderr"), strict=True)
    ):
        os.dup2(stream, number)
        _renew(name, number)
    for stream in streams:
        os.close(stream)


def _renew(name: str, number: int) -> None:
    """Replace a standard stream: the object of the parent knows another kind of file."""
    old: io.TextIOWrapper = getattr(sys, name)
    new = io.TextIOWrapper(
        os.fdopen(number, "wb" if number else "rb", closefd=False),
        encoding=old.encoding,
        errors=old.errors,
        newline=None if name == "stdin" else "\n",
        line_buffering=old.line_buffering,
        write_through=old.write_through,
    )
    setattr(sys, name, new)
    setattr(sys, f"__{name}__", new)


if __name__ == "__main__":
    main()
