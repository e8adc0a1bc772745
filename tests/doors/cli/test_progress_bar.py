"""The bar before a person who waits."""

import io
from datetime import timedelta

import pytest

from intent_lsp.doors.cli.terminal.output import Output
from tests.doors.cli.conftest import Terminal

AT_ONCE, NEVER = timedelta(0), timedelta(hours=1)


def test_work_that_takes_long_is_shown_and_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Terminal()
    with Output(None, terminal).bar("Indexing the ledger", AT_ONCE) as report:
        for done in range(5):
            report(done, 4)
    assert "Indexing the ledger" in terminal.getvalue()
    # Cursor up and erase: what comes next is written where the bar was.
    assert terminal.getvalue().endswith(("\x1b[2K", "\x1b[2K\n"))


def test_work_that_is_soon_over_leaves_no_trace() -> None:
    terminal = Terminal()
    with Output(None, terminal).bar("Indexing", NEVER) as report:
        report(1, 2)
    assert terminal.getvalue() == ""


def test_a_pipe_is_told_nothing() -> None:
    pipe = io.StringIO()
    with Output(None, pipe).bar("Indexing", AT_ONCE) as report:
        report(1, 2)
    assert pipe.getvalue() == ""
