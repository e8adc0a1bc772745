"""Runs the event loop of one connection over any transport, and returns the exit status.

Invariant: SIGINT or SIGTERM ends the connection as cleanly as the client's `exit` does, if the loop
runs in the main thread.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Final

from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol

PATIENCE: Final = 5.0
"""Seconds to wait at the end for uncancellable work, and as long for a client to read the rest."""

Converse = Callable[[IntentProtocol], Coroutine[Any, Any, None]]


def conduct(server: LanguageServer, converse: Converse) -> int:
    """Run a connection in an event loop of its own and return the exit status.

    `converse` gets the server's protocol and serves the connection to its end. The status is 0 if
    the client sent `shutdown`, else 1. Raise TypeError unless the server speaks IntentProtocol.
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
    """Set `ended` when SIGINT or SIGTERM arrives, or at once if one came during the start.

    Unblock both signals, which are blocked while the server starts. A loop outside of the main
    thread cannot handle them: `ended` is then not set.
    """
    ending = (signal.SIGINT, signal.SIGTERM)
    for number in ending:
        # Signal handlers only exist in the main thread.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, ended.set)
    # Signals were blocked during the start; one that came is delivered now.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
