"""A progress bar for long work on a terminal (ledger section 4).

Invariant: the bar is drawn on standard error, only on a terminal, and is erased at the end.
Invariant: rich is imported only once work has taken long.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Final, TextIO

from intent_lsp.store import clock

WONDERING: Final = timedelta(seconds=1)
"""How long work runs before the bar is shown."""

ReportProgress = Callable[[int, int], None]
"""Called with the amount done and the total, in any unit."""


@contextmanager
def bar(title: str, out: TextIO, wondering: timedelta = WONDERING) -> Iterator[ReportProgress]:
    """Show the progress of work that takes a while, on a terminal; show nothing elsewhere."""
    begun = clock.now()
    drawn: list[ReportProgress] = []
    with ExitStack() as stack:

        def report(done: int, of: int) -> None:
            if not drawn and clock.now() - begun >= wondering:
                drawn.append(stack.enter_context(_drawing(title, out)))
            for draw in drawn:
                draw(done, of)

        yield report if out.isatty() else _silent


@contextmanager
def _drawing(title: str, out: TextIO) -> Iterator[ReportProgress]:
    """Draw a bar until the context ends, then erase it. NO_COLOR and TERM are respected."""
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


def _silent(done: int, of: int) -> None:
    """Ignore progress."""
