"""A bar drawn by rich.

Invariant: what is drawn is wiped away at the end.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


@contextmanager
def drawing(title: str, out: TextIO) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on a terminal until the end; NO_COLOR and TERM are honoured."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    progress = Progress(*columns, TimeRemainingColumn(), console=Console(file=out), transient=True)
    with progress:
        task = progress.add_task(title, total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
