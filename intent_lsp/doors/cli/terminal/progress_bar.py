"""A bar for work that takes long, before a person who waits (ledger section 4).

Invariant: it is no part of the answer: it is drawn on standard error, on a terminal alone, and
leaves nothing behind.
Invariant: rich is loaded for work that takes long, and for nothing else.
Invariant: what is drawn is wiped away at the end.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from intent_lsp.store import clock

WONDERING: Final = timedelta(seconds=1)
"""How long work goes on before it is shown."""

Report = Callable[[int, int], None]
"""Told how much is done of how much, in any unit."""


@contextmanager
def bar(title: str, out: TextIO, wondering: timedelta = WONDERING) -> Iterator[Report]:
    """Show work on a terminal once it has gone on for a while; elsewhere never."""
    begun = clock.now()
    drawn: list[Report] = []
    with ExitStack() as stack:

        def report(done: int, of: int) -> None:
            if not drawn and clock.now() - begun >= wondering:
                # rich costs more than most commands.
                from intent_lsp.doors.cli.terminal.progress_bar import drawing  # noqa: PLC0415

                drawn.append(stack.enter_context(drawing(title, out)))
            for draw in drawn:
                draw(done, of)

        yield report if out.isatty() else _silent


def _silent(done: int, of: int) -> None:
    """Show nothing."""


@contextmanager
def drawing(title: str, out: TextIO) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on a terminal until the end; NO_COLOR and TERM are honoured."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    progress = Progress(*columns, TimeRemainingColumn(), console=Console(file=out), transient=True)
    with progress:
        task = progress.add_task(title, total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
