"""Serves one editor, over standard input and output or at an address."""

import gc
import signal
import sys
from typing import Final

from intent_lsp.formats.endpoint import ListenAddress

_SWITCH_SECONDS: Final = 0.001


def serve_editor(level: str, address: ListenAddress | None) -> int:
    """Serve until the editor leaves or a signal comes, and return the exit status.

    `level` is the level of the log. If `address` is None, serve standard input and output. Raise
    ListeningError or TokenFileError if nobody can be served at the address.
    """
    # Heard once the event loop can: an interrupt in the midst of an import may get lost there.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    # What is loaded stays: the garbage collector need not look for garbage in it, now or ever.
    gc.disable()
    # Imported late, with signals blocked and without garbage collection: it takes long.
    from intent_lsp.doors.lsp.logs import logging_to  # noqa: PLC0415
    from intent_lsp.doors.lsp.server import build_server  # noqa: PLC0415
    from intent_lsp.doors.lsp.transport.stdio import serve_stdio  # noqa: PLC0415

    # An editor waits for the event loop, which waits until a thread that computes lets it run.
    sys.setswitchinterval(_SWITCH_SECONDS)
    server = build_server()
    gc.freeze()
    gc.enable()
    with logging_to(server.protocol, level):
        if address is None:
            return serve_stdio(server)
        # Who is started at standard input, as nearly all are, does not pay for the network.
        from intent_lsp.doors.lsp.transport.socket_server import (  # noqa: PLC0415
            open_socket_server,
            serve_sockets,
        )

        return serve_sockets(server, open_socket_server(address))
