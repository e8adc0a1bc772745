"""Broken worlds: disks that are small or read-only, locks that others hold, rights that bind.

Invariant: what was broken is mended when its block ends, however it ends.
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
    """Put a file system of a size, as mount(8) spells it, at `place`; skip where nobody lets us."""
    place.mkdir()
    owner = f"uid={os.getuid()},gid={os.getgid()},mode=0700"
    with _mounted(("-t", "tmpfs", "-o", f"size={size},{owner}", "tmpfs", str(place))):
        yield place


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """Let a file lie on a read-only file system."""
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
            # Lazily: whoever still has a file open there keeps it until the end.
            done = _run([*prefix, "umount", "--lazy", arguments[-1]])
            assert not done.returncode, done.stderr


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte; give the file to delete when there is to be room again."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for piece in (1 << 16, 1 << 12, 1):
            with suppress(OSError):
                while file.write(bytes(piece)):
                    pass
    return ballast


@contextmanager
def locked_by_another_process(lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Have another process hold a lock file; it lets go when its input ends, or the block does."""
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
    """Give the command of a server whose standard error is a file.

    `bound`: rights bind it, whoever it runs as; skips where that cannot be had.
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
