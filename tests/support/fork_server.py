"""A process that has loaded what a server loads, and becomes a server each time it is asked.

A server takes longer to load than most tests take to speak with it. Each server is still a process
of its own, with standard streams of its own.

Invariant: `python -m MODULE …` by a fork differs from one by a start in what is loaded already, and
in nothing else: how servers start and load is tested on servers that were started.
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
"""Bytes of a request: the words after `python -m`, as JSON."""

STREAMS = 4
"""What is handed over with a request: standard input, output and error, and where the fork's id is
written, and in the end its status, a line each."""

_LOADED = (
    "intent_lsp.doors.cli.main",
    "intent_lsp.doors.lsp.logs",
    "intent_lsp.doors.lsp.language_service",
    "intent_lsp.doors.lsp.server",
    "intent_lsp.doors.lsp.transport.stdio",
)


def main() -> None:
    """Fork for each request that comes by the socket, until it is closed."""
    for name in _LOADED:
        importlib.import_module(name)
    # Nobody here waits for those who wait for the servers.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        while words := _next(requests):
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)


def _next(requests: socket.socket) -> Sequence[str]:
    """Wait for requests; give the words of one in its fork, and none to whom nobody asks."""
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
    """Fork once more: who is asked serves, and its parent tells how that ended."""
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
    """Make a standard stream anew: it remembers what it was, a file or a terminal or a pipe."""
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
