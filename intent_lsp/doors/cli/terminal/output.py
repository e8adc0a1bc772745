"""The page that a command writes its answer on: standard output, for a person or for a program.

Invariant: JSON is UTF-8 whatever the terminal speaks; no character can fail to be written.
Invariant: rich is loaded for a table or a bar on a terminal, and for nothing else.
"""

import io
import os
import sys
from contextlib import AbstractContextManager, suppress
from typing import TextIO

from intent_lsp.doors.cli.terminal.escape import spoken
from intent_lsp.doors.cli.terminal.progress_bar import ReportProgress, bar
from intent_lsp.doors.cli.terminal.table import TextTable


class Output:
    """Standard output, and standard error for remarks that are no part of the answer."""

    def __init__(self, out: TextIO | None, remarks: TextIO | None) -> None:
        """Write to `out`; None: whoever started us closed it, and nobody reads."""
        self._out = out or io.StringIO()
        self._remarks = remarks or io.StringIO()
        if isinstance(self._out, io.TextIOWrapper):
            self._out.reconfigure(errors="backslashreplace")

    @property
    def terminal(self) -> bool:
        """Whether a person looks at it."""
        return self._out.isatty()

    @property
    def asks(self) -> bool:
        """Whether a person can be asked: both ends are a terminal."""
        return self.terminal and sys.stdin is not None and sys.stdin.isatty()

    def agreed(self, question: str) -> bool:
        """Ask a person a question; whether the answer is yes."""
        self._out.write(f"{spoken(question)} [y/N] ")
        self._out.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def shows(self, text: str) -> bool:
        """Whether every character of a text can be written as it is."""
        try:
            text.encode(getattr(self._out, "encoding", None) or "utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def line(self, text: str = "") -> None:
        """Write one line; whatever in it could move a cursor is spelled out."""
        self._out.write(spoken(text) + "\n")

    def text(self, text: str) -> None:
        """Write text of our own as it is."""
        self._out.write(text)

    def json(self, line: bytes) -> None:
        """Write one JSON value, on a line of its own."""
        if isinstance(self._out, io.TextIOWrapper):
            self._out.flush()
            self._out.buffer.write(line.rstrip(b"\n") + b"\n")
        else:
            self._out.write(line.decode().rstrip("\n") + "\n")

    def document(self, text: str) -> None:
        """Write a whole document, which is UTF-8 and ends with a line end of its own."""
        self.json(text.encode())

    def table(self, table: TextTable) -> None:
        """Write a table: drawn on a terminal, aligned for a pipe, nothing without rows."""
        if not table.rows:
            return
        if self.terminal:
            # rich costs more than all the rest of a command.
            from intent_lsp.doors.cli.terminal.rich_table import draw  # noqa: PLC0415

            draw(table, self._out)
        else:
            self.text("".join(line + "\n" for line in table.aligned()))

    def remark(self, text: str) -> None:
        """Tell the person something that is no part of the answer."""
        with suppress(OSError):
            self._remarks.write(f"{spoken(text)}\n")
            self._remarks.flush()

    def bar(self, title: str) -> AbstractContextManager[ReportProgress]:
        """Show how far work is that takes long."""
        return bar(title, self._remarks)

    def flush(self) -> None:
        """Have everything read; raises OSError when it cannot be."""
        self._out.flush()

    def give_up(self) -> None:
        """Write no more, so that the interpreter's last flush finds nothing to complain about."""
        with suppress(OSError, ValueError), io.FileIO(os.devnull, "r+") as nothing:
            os.dup2(nothing.fileno(), self._out.fileno())
