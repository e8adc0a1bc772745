"""The output of a command: the answer on standard output, remarks and progress on standard error.

Invariant: JSON is UTF-8 whatever the terminal's encoding. Every character can be written.
Invariant: rich is imported only for a table on a terminal, or for a progress bar once work has
taken long.
Invariant: a progress bar is drawn only on a terminal, and is erased at the end (ledger section 4).
"""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from typing import Final, TextIO

from intent_lsp.doors.cli.terminal.table import TextTable, spoken
from intent_lsp.store import clock

WONDERING: Final = timedelta(seconds=1)
"""How long work runs before its progress bar is shown."""

ReportProgress = Callable[[int, int], None]
"""Called with the amount done and the total, in any unit."""


class Output:
    """Writes a command's answer to standard output, and its remarks to standard error."""

    def __init__(self, out: TextIO | None, remarks: TextIO | None) -> None:
        """Take the streams: `out` for answers, `remarks` for remarks.

        A stream is None if the parent process has closed it; then nothing is written.
        """
        self._out = out or io.StringIO()
        self._remarks = remarks or io.StringIO()
        if isinstance(self._out, io.TextIOWrapper):
            self._out.reconfigure(errors="backslashreplace")

    @property
    def terminal(self) -> bool:
        """True if standard output is a terminal."""
        return self._out.isatty()

    @property
    def asks(self) -> bool:
        """True if a person can be asked: standard input and standard output are terminals."""
        return self.terminal and sys.stdin is not None and sys.stdin.isatty()

    def agreed(self, question: str) -> bool:
        """Ask a yes-or-no question on standard output, and read the answer from standard input.

        Return True for `y` or `yes`, in any letter case, and False for every other line.
        """
        self._out.write(f"{spoken(question)} [y/N] ")
        self._out.flush()
        return sys.stdin.readline().strip().lower() in {"y", "yes"}

    def shows(self, text: str) -> bool:
        """Return whether the encoding of standard output has every character of `text`."""
        try:
            text.encode(getattr(self._out, "encoding", None) or "utf-8")
        except UnicodeEncodeError:
            return False
        return True

    def line(self, text: str = "") -> None:
        """Write one line to standard output, with control characters escaped."""
        self._out.write(spoken(text) + "\n")

    def text(self, text: str) -> None:
        """Write text to standard output as it is, without escaping control characters."""
        self._out.write(text)

    def json(self, value: object) -> None:
        """Write a value as JSON on a line of its own to standard output."""
        # A lone surrogate becomes the escape that JSON has for it.
        self.raw(json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace"))

    def raw(self, line: bytes) -> None:
        """Write UTF-8 bytes to standard output, with exactly one line feed at their end."""
        if isinstance(self._out, io.TextIOWrapper):
            self._out.flush()
            self._out.buffer.write(line.rstrip(b"\n") + b"\n")
        else:
            self._out.write(line.decode().rstrip("\n") + "\n")

    def table(self, table: TextTable) -> None:
        """Write a table to standard output: with rich on a terminal, else as aligned text.

        A table without rows is skipped.
        """
        if not table.rows:
            return
        if self.terminal:
            # Imported late: rich takes longer to import than a command takes to run.
            from intent_lsp.doors.cli.terminal.rich_table import draw  # noqa: PLC0415

            draw(table, self._out)
        else:
            self.text("".join(line + "\n" for line in table.aligned()))

    def remark(self, text: str) -> None:
        """Write a remark as one line to standard error. Ignore errors of that stream."""
        with suppress(OSError):
            self._remarks.write(f"{spoken(text)}\n")
            self._remarks.flush()

    @contextmanager
    def bar(self, title: str, wondering: timedelta = WONDERING) -> Iterator[ReportProgress]:
        """Yield a function that reports progress, shown as a bar if standard error is a terminal.

        The function is called with the amount done and the total. The bar appears with the first
        call after the time `wondering`, and is erased at the end.
        """
        begun, seen = clock.now(), self._remarks.isatty()
        drawn: list[ReportProgress] = []
        with ExitStack() as stack:

            def report(done: int, of: int) -> None:
                if seen and not drawn and clock.now() - begun >= wondering:
                    drawn.append(stack.enter_context(_drawing(title, self._remarks)))
                for draw in drawn:
                    draw(done, of)

            yield report

    def flush(self) -> None:
        """Flush standard output. Raise OSError if that fails."""
        self._out.flush()

    def give_up(self) -> None:
        """Redirect standard output to the null device, so that the flush at exit cannot fail."""
        with suppress(OSError, ValueError), io.FileIO(os.devnull, "r+") as nothing:
            os.dup2(nothing.fileno(), self._out.fileno())


@contextmanager
def _drawing(title: str, out: TextIO) -> Iterator[ReportProgress]:
    """Draw a progress bar on the terminal `out`, and erase it at the end.

    Respect NO_COLOR and TERM. Yield a function that is called with the amount done and the total.
    """
    # Imported late: rich takes longer to import than most commands take to run.
    from rich import progress  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(file=out), transient=True) as shown:
        task = shown.add_task(title, total=None)
        yield lambda done, of: shown.update(task, completed=done, total=of)
