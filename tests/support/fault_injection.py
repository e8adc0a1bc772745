"""Faults that a test causes: full and read-only disks, locks that are held, permissions that bind.

Invariant: a fault ends with its `with` block, however that ends.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.editor import SERVER
from tests.support.forked_servers import TO_A_FILE

_HOLDER = """\
import fcntl, sys
with open(sys.argv[1], "a+b") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""
_AS_ADMINISTRATOR = ((), ("sudo", "-n"))
_CAPABILITIES = "-dac_override,-dac_read_search"


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a file system of a size, as mount(8) spells it, at `place`; skip if not allowed."""
    place.mkdir()
    owner = f"uid={os.getuid()},gid={os.getgid()},mode=0700"
    with _mounted(("-t", "tmpfs", "-o", f"size={size},{owner}", "tmpfs", str(place))):
        yield place


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Make a file read-only by mounting it so: permissions do not bind root."""
    with (
        _mounted(("--bind", str(path), str(path))),
        _mounted(("-o", "remount,ro,bind", str(path)), unmount=False),
    ):
        yield


@contextmanager
def _mounted(arguments: Sequence[str], *, unmount: bool = True) -> Iterator[None]:
    refusals = []
    for prefix in _AS_ADMINISTRATOR:
        if prefix and shutil.which(prefix[0]) is None:
            continue
        done = _run([*prefix, "mount", *arguments])
        if not done.returncode:
            break
        refusals.append(done.stderr.strip())
    else:
        pytest.skip(f"no file system can be mounted here: {'; '.join(refusals)}")
    try:
        yield
    finally:
        if unmount:
            # Lazily: a process that still has a file open there must not make this fail.
            done = _run([*prefix, "umount", "--lazy", arguments[-1]])
            assert not done.returncode, done.stderr


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte; return the file to delete to free it again."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for piece in (1 << 16, 1 << 12, 1):
            with suppress(OSError):
                while file.write(bytes(piece)):
                    pass
    return ballast


@contextmanager
def locked_by_another_process(lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Have another process lock a file, until the block ends or the test closes its input."""
    command = [sys.executable, "-c", _HOLDER, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        try:
            yield holder
        finally:
            with suppress(BrokenPipeError):
                holder.stdin.close()


def logging_server(log: Path, *, bound: bool = False) -> Sequence[str]:
    """Return the command of a server that appends its standard error to a file.

    `bound`: file permissions bind the server even as root; skip if that cannot be arranged.
    """
    command = (*TO_A_FILE, str(log), *SERVER)
    if not bound or os.geteuid() != 0:
        return command
    binding = ("setpriv", f"--bounding-set={_CAPABILITIES}", "--")
    if shutil.which(binding[0]) is None or _run([*binding, "true"]).returncode:
        pytest.skip("rights do not bind root, and setpriv(1) cannot make them")
    return (*binding, *command)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
