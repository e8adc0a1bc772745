"""A bar for work that takes long, before a person who waits (ledger section 4).

Invariant: it is no part of the answer: it is drawn on standard error, on a terminal alone, and
leaves nothing behind.
Invariant: rich is loaded for work that takes long, and for nothing else.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Final, TextIO

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
                from intent_lsp.doors.cli.terminal.rich_bar import drawing  # noqa: PLC0415

                drawn.append(stack.enter_context(drawing(title, out)))
            for draw in drawn:
                draw(done, of)

        yield report if out.isatty() else _silent


def _silent(done: int, of: int) -> None:
    """Show nothing."""
