"""The TypeScript compiler, installed from npm into a directory of its own below `build/`."""

import fcntl
import subprocess
from functools import cache
from pathlib import Path

VERSION = "5.9.3"
_ROOM = Path(__file__).parents[2] / "build" / f"typescript-{VERSION}"


@cache
def installed() -> Path:
    """Return the directory of `tsc`, installed if need be."""
    programs = _ROOM / "node_modules" / ".bin"
    _ROOM.mkdir(parents=True, exist_ok=True)
    with (_ROOM / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (programs / "tsc").exists():
            command = ("npm", "install", "--silent", "--no-audit", "--prefix", _ROOM)
            subprocess.run([*command, f"typescript@{VERSION}"], check=True, timeout=600)
    return programs
