"""Finds running programs by their names and their working directory, on Linux.

Invariant: of another process only its program, its script, its directory and its start are used.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from intent_lsp.store.fs.root_search import governing_directory

_PROCESSES: Final = Path("/proc")
_STARTED: Final = 19
"""The place, from 0, of the start time among the fields that follow the name in a `stat` file."""


_INTERPRETERS: Final = ("node", "bun", "deno", "python", "pypy")
"""What the names of programs begin with that run scripts."""


def processes_in(root: Path) -> tuple[Path, ...]:
    """Return the directories `/proc/PID` of the programs whose working directory `root` governs.

    Programs in another root, or in a repository nested in `root`, do not count, nor do those whose
    working directory this process may not see. The result is empty if the system has no `/proc`.
    """
    return tuple(_inside(root))


def earliest_start(
    processes: Iterable[Path], names: Collection[str], package: str, now: datetime
) -> datetime | None:
    """Return when the oldest program among `processes` with one of the `names` was started.

    Scripts of the npm package `package` count too, unless it is "". Return None if there is no such
    program. `now` is the present time.
    """
    found = (each for each in processes if _is_one(each, frozenset(names), package))
    return min((now - age for each in found if (age := _age(each)) is not None), default=None)


def _inside(root: Path) -> Iterator[Path]:
    try:
        entries = os.listdir(_PROCESSES)  # noqa: PTH208 - names are enough
    except OSError:
        return
    top = os.path.realpath(root)
    governing: dict[str, bool] = {}
    for entry in entries:
        # A process may end at any moment, and those of other users cannot be read.
        with suppress(OSError):
            process = _PROCESSES / entry
            where = _link(process, "cwd") if entry.isdecimal() else ""
            if not _is_below(where, top):
                continue
            if where not in governing:
                found = governing_directory(where)
                governing[where] = found is not None and os.path.realpath(found) == top
            if governing[where]:
                yield process


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")


def _link(process: Path, name: str) -> str:
    return os.fspath((process / name).readlink())


def _is_one(process: Path, names: frozenset[str], package: str) -> bool:
    """Return whether a process has one of `names`.

    A process has its own name, that of its executable and, if that is an interpreter, that of its
    script: the first argument that is not an option. If `package` is not "", a process also counts
    if its script belongs to that npm package, or if it has the package's name without the scope.
    """
    try:
        words = [os.fsdecode(word) for word in (process / "cmdline").read_bytes().split(b"\0")]
    except OSError:
        return False
    # A name that a process takes for its own is filled up with spaces.
    known = [_last(words[0].rstrip())]
    with suppress(OSError):
        known.append(_last(_link(process, "exe")))
    if any(name.startswith(_INTERPRETERS) for name in known):
        script = next((word for word in words[1:] if word and not word.startswith("-")), "")
        if package and f"/node_modules/{package}/" in script:
            return True
        known.append(_last(script))
    wanted = names | {_last(package)} if package else names
    return not wanted.isdisjoint(known)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _age(process: Path) -> timedelta | None:
    """Return how long ago a process was started, or None if it has ended or cannot be read."""
    # The name of a program may contain spaces and brackets, but nothing that follows it does.
    try:
        fields = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        up = float((_PROCESSES / "uptime").read_text("ascii").split()[0])
        return timedelta(seconds=up - int(fields[_STARTED]) / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError):
        return None
