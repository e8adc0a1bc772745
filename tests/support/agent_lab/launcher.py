"""The first process of a namespace: brings up loopback, listens for the model, runs one host.

It is started as a program with a JSON object as its argument (`command`, `directory`,
`environment`, `port`, `stdin`, `stdout`, `stderr`). It hands the listening socket to its parent
over the inherited socket `channel`, so that the model answers from the test's own process.
"""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

_SIOCSIFFLAGS = 0x8914
_UP_AND_RUNNING = 0x41
_PATIENCE = 8.0
"""Seconds for what a host leaves running, such as a hook that it did not wait for."""


def main(order: str) -> int:
    """Run the host; return its exit status once nothing else is left in the namespace."""
    wanted = json.loads(order)
    _bring_up_loopback()
    listening = socket.create_server(("127.0.0.1", wanted["port"]), backlog=64)
    channel = socket.socket(fileno=wanted["channel"])
    socket.send_fds(channel, [b"!"], [listening.fileno()])
    listening.close()
    threading.Thread(target=_end_with_the_test, args=(channel,), daemon=True).start()
    given = Path(wanted.get("stdin", os.devnull))
    out, err = Path(wanted["stdout"]), Path(wanted["stderr"])
    with given.open("rb") as stdin, out.open("ab") as stdout, err.open("ab") as stderr:
        done = subprocess.run(
            wanted["command"],
            cwd=wanted["directory"],
            env=wanted["environment"],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            check=False,
        )
    _wait_until_alone()
    return done.returncode


def _end_with_the_test(channel: socket.socket) -> None:
    """End the namespace, and all that runs in it, as soon as the test's process is gone."""
    channel.recv(1)
    os._exit(1)


def _bring_up_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14s", b"lo", _UP_AND_RUNNING, b"")
        fcntl.ioctl(control, _SIOCSIFFLAGS, request)


def _wait_until_alone() -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) & 0xFF)
