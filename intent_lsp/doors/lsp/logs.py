"""The log of a server: to standard error, and what matters to the client's own log.

Invariant: logging never raises, and what sending a message logs is not sent again.
Invariant: the client hears nothing before it is initialized, and nothing after `shutdown`.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol

_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_LONGEST: Final = 8192
"""Characters of a message that a client is sent; standard error has all of it."""


@contextmanager
def logging_to(protocol: IntentProtocol, level: str) -> Iterator[None]:
    """Log to standard error from `level` on, and warnings to the client; until the end of this."""
    root = logging.getLogger()
    before = root.level
    local = logging.StreamHandler()
    local.setLevel(level.upper())
    local.setFormatter(logging.Formatter(_FORMAT))
    remote = ClientLog(protocol)
    # A client that traces gets INFO too, whatever standard error is told.
    root.setLevel(min(local.level, logging.INFO))
    for each in (local, remote):
        root.addHandler(each)
    try:
        yield
    finally:
        for each in (local, remote):
            root.removeHandler(each)
        root.setLevel(before)


class ClientLog(logging.Handler):
    """Sends records by `window/logMessage`: warnings, and INFO to a client that traces."""

    def __init__(self, protocol: IntentProtocol) -> None:
        super().__init__(logging.INFO)
        self._protocol = protocol
        self._here = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record, from any thread; what cannot be sent is dropped."""
        if getattr(self._here, "sending", False) or not self._wanted(record):
            return
        self._here.sending = True
        try:
            params = lsp.LogMessageParams(type=_kind(record.levelno), message=_said(record))
            self._protocol.notify(lsp.WINDOW_LOG_MESSAGE, params)
        except Exception:  # noqa: BLE001 - whatever is wrong, it must not reach who logged
            return
        finally:
            self._here.sending = False

    def _wanted(self, record: logging.LogRecord) -> bool:
        protocol = self._protocol
        # Known from the moment in which `initialize` is answered.
        ready = hasattr(protocol, "server_capabilities") and not protocol.shutdown_requested
        tracing = protocol.trace is not lsp.TraceValue.Off
        return ready and (tracing or record.levelno >= logging.WARNING)


def _kind(level: int) -> lsp.MessageType:
    if level >= logging.ERROR:
        return lsp.MessageType.Error
    return lsp.MessageType.Warning if level >= logging.WARNING else lsp.MessageType.Info


def _said(record: logging.LogRecord) -> str:
    """Say what happened; the traceback is for standard error alone."""
    said = record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        said = f"{said}: {type(error).__name__}: {error}"
    return f"{record.name.rpartition('.')[2]}: {said}"[:_LONGEST]
