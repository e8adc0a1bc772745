"""A server that writes down what saving a file costs it: `counting_server KINDS LOG serve`.

It is the product's own server. With `costs`, it appends a line to the file `LOG` each time that it
judges a save, opens a file `NAME`, decodes or hashes a content with `MARK`, asks the sessions'
state, starts git, or is told of a change by a watch: the kind, a tab, and the place in the product.
With `modules`, it appends the name of each module of the product that runs, once, from when the
file `LOG.begin` exists.

Invariant: opened files and started programs are counted by audit hooks, so none is missed.
"""

import hashlib
import os
import sqlite3
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

from intent_lsp.core import content

NAME: Final = "counted"
"""What the names of the files begin with whose reads are counted."""

MARK: Final = b"a text to be counted"
"""What the contents hold that are counted when they are decoded or hashed."""

BEGIN: Final = ".begin"
"""What is put behind a log's path for the file that says when to begin."""

PACKAGE: Final = f"{os.sep}intent_lsp{os.sep}"
STATE: Final = "state.sqlite3"
_FRAMES: Final = 12


class Log:
    """The file to which a server appends what it does, line by line."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._begin = f"{path}{BEGIN}"

    def begun(self) -> bool:
        """Return whether the test has made the file that says when to begin."""
        return os.path.lexists(self._begin)

    def write(self, kind: str, place: str = "") -> None:
        """Append a line."""
        os.write(self._file, f"{kind}\t{place or _place()}\n".encode())


def _place() -> str:
    """Return the product's innermost functions on the stack, innermost first."""
    frames = [each for each in traceback.extract_stack() if PACKAGE in each.filename]
    names = [f"{Path(each.filename).stem}.{each.name}" for each in frames[-_FRAMES:]]
    return " < ".join(reversed(names))


def count_costs(log: Log) -> None:
    """Count what marked files cost. Call it before the rest of the product is imported."""
    sys.addaudithook(lambda event, given: _audited(log, event, given))
    content.decode = _counted(log, "decode", content.decode)
    content.hash_content = _counted(log, "hash", content.hash_content)
    sqlite3.connect = _connecting(log, sqlite3.connect)
    hashlib.sha256 = _counted(log, "sha256", hashlib.sha256)
    from intent_lsp.governance.judging.save_judge import SaveJudge  # noqa: PLC0415 - see above
    from intent_lsp.store.watch.watch import Watch  # noqa: PLC0415 - see above

    judge, begin = SaveJudge.judge, Watch.__init__

    def watched(self: Watch, changed: Any, **named: Any) -> None:
        def noticed(paths: frozenset[Path]) -> None:
            changed(paths)
            for path in paths:
                log.write("noticed", os.fspath(path))

        begin(self, noticed, **named)

    def judged(self: SaveJudge, *given: Any, **named: Any) -> Any:
        log.write("judge")
        return judge(self, *given, **named)

    SaveJudge.judge = judged  # type: ignore[method-assign]
    Watch.__init__ = watched  # type: ignore[method-assign]


def _audited(log: Log, event: str, given: tuple[Any, ...]) -> None:
    name = Path(os.fsdecode(given[0])).name if given and isinstance(given[0], str | bytes) else ""
    if event == "open" and name.startswith(NAME):
        log.write("read")
    elif event == "subprocess.Popen" and name == "git":
        log.write("git")


def _counted(log: Log, kind: str, work: Callable[..., Any]) -> Callable[..., Any]:
    def counted(data: bytes = b"", **named: Any) -> Any:
        if MARK in data:
            log.write(kind)
        return work(data, **named)

    return counted


def _connecting(log: Log, connect: Callable[..., sqlite3.Connection]) -> Callable[..., Any]:
    """Count the transactions on the sessions' state. A SELECT outside of any is one by itself."""

    def connected(path: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(path, **named)

        def ran(statement: str) -> None:
            verb = statement.split(maxsplit=1)[0].upper()
            if verb == "BEGIN" or (verb == "SELECT" and not connection.in_transaction):
                log.write("transaction")

        if os.fspath(path).endswith(STATE):
            connection.set_trace_callback(ran)
        return connection

    return connected


def list_modules(log: Log) -> None:
    """Append the name of each module of the product that runs, once, after the beginning."""
    seen: set[str] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event != "call" or PACKAGE not in name or name in seen:
            return
        # Each message from the client comes through the framing, so asking there is enough.
        if seen or (name.endswith("framing.py") and log.begun()):
            seen.add(name)
            log.write("module", name.rpartition(PACKAGE)[2])

    threading.setprofile(profile)
    sys.setprofile(profile)


if __name__ == "__main__":
    kinds, path = sys.argv.pop(1), sys.argv.pop(1)
    (count_costs if kinds == "costs" else list_modules)(Log(path))
    from intent_lsp.__main__ import main

    sys.exit(main())
