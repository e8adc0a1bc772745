"""Debian packages, for programs that a test needs and no other package registry has."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_CACHE = Path(__file__).parents[2] / "build" / "editors"
_PATIENCE = 600.0
"""Seconds for an installation."""


def install(*packages: str) -> bool:
    """Install packages if this process is root and has apt-get; return whether that worked."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    with _one_at_a_time():
        commands = (
            ("apt-get", "update", "-qq"),
            ("apt-get", "install", "-qq", "--yes", "--no-install-recommends", *packages),
        )
        return all(succeeds(command) for command in commands)


def succeeds(command: Sequence[str], directory: Path | None = None) -> bool:
    """Run a command that may ask nothing; return whether it succeeded; print what failed."""
    done = subprocess.run(
        command,
        cwd=directory,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE,
    )
    if done.returncode != 0:
        print(*command, done.stdout[-2000:], done.stderr[-2000:], sep="\n")  # noqa: T201 - shown by pytest
    return done.returncode == 0


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Lock out other test processes that install something."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / "debian.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
