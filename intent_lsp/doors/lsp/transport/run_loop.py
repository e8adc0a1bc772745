"""The frame of a conversation with one client, whatever carries it: its loop, its end, its status.

Invariant: a signal ends it as quietly as the client does.
"""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final

from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol

PATIENCE: Final = 5.0
"""Seconds for work that must be finished, and again for a client that reads slowly."""

Converse = Callable[[IntentProtocol], Coroutine[Any, Any, None]]


def conduct(server: LanguageServer, converse: Converse) -> int:
    """Run a conversation in an event loop of its own.

    Gives the exit status: 0 when the client asked for `shutdown` before, else 1. Raises TypeError
    unless the server speaks IntentProtocol.
    """
    protocol = server.protocol
    if not isinstance(protocol, IntentProtocol):
        raise TypeError("the server must be made with protocol_cls=IntentProtocol")
    try:
        asyncio.run(converse(protocol))
    finally:
        server.shutdown()  # type: ignore[no-untyped-call]  # pygls's
    return protocol.exit_status


def end_on_signals(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Have the signals that ask for an end set `ended`, from now on and since the start."""
    ending = (signal.SIGINT, signal.SIGTERM)
    for number in ending:
        # Only the main thread of a POSIX process hears signals.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, ended.set)
    if sys.platform != "win32":
        # What came while we started is heard now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
