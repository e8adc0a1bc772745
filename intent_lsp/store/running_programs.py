"""Finds running programs by their names and their working directory, on Linux.

Invariant: of another process only its program, its script, its directory and its start are read.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_STARTED: Final = 19
"""The place of the start time among the fields of a `stat` file that follow the program's name."""


def earliest_start(
    directory: Path, names: Collection[str], package: str, now: datetime
) -> datetime | None:
    """Return when the oldest running program with one of these names was started.

    A script of the npm package `package` counts too, unless that is "". Only programs whose working
    directory is `directory`, or is below it, count. Return None if none runs, or if the system has
    no `/proc`. `now` is the present time.
    """
    found = (each for each in _inside(directory) if _is_one(each, frozenset(names), package))
    return min((now - age for each in found if (age := _age(each)) is not None), default=None)


def _inside(directory: Path) -> Iterator[Path]:
    """Yield the process directories of the programs that work in a directory or below it."""
    try:
        entries = os.listdir(_PROCESSES)  # noqa: PTH208 - names are enough
    except OSError:
        return
    top = os.path.realpath(directory)
    for entry in entries:
        # A process may end at any moment, and those of other users cannot be read.
        with suppress(OSError):
            process = _PROCESSES / entry
            if entry.isdecimal() and _is_below(_link(process, "cwd"), top):
                yield process


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")


def _link(process: Path, name: str) -> str:
    return os.fspath((process / name).readlink())


def _is_one(process: Path, names: frozenset[str], package: str) -> bool:
    """Whether the name of a process, of its executable or of its script is one of `names`.

    The script is the first argument that is not an option. It may also belong to `package`, and the
    process may have taken the package's name for its own.
    """
    try:
        words = [os.fsdecode(word) for word in (process / "cmdline").read_bytes().split(b"\0")]
    except OSError:
        return False
    script = next((word for word in words[1:] if word and not word.startswith("-")), "")
    # A name that a process takes for its own is filled up with spaces.
    known = [words[0].rstrip(), script]
    with suppress(OSError):
        known.append(_link(process, "exe"))
    if package and f"/node_modules/{package}/" in script:
        return True
    wanted = names | {package.rpartition("/")[2]} if package else names
    return not wanted.isdisjoint(path.rpartition("/")[2] for path in known)


def _age(process: Path) -> timedelta | None:
    """Return how long ago a process was started, or None if it has ended meanwhile."""
    # The name of a program may contain spaces and brackets, but nothing that follows it does.
    try:
        fields = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        up = float((_PROCESSES / "uptime").read_text("ascii").split()[0])
        return timedelta(seconds=up - int(fields[_STARTED]) / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None
