"""Logging of a server to standard error, and of warnings and errors to the client as well.

Invariant: sending to the client never raises. A log record caused by sending another is not sent.
Invariant: nothing is sent to the client before the answer to `initialize` is made, nor after
`shutdown`.
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
"""The longest message sent to the client, in characters. Standard error gets it whole."""


@contextmanager
def logging_to(protocol: IntentProtocol, level: str) -> Iterator[None]:
    """Log to standard error from the level named `level` up, and to the client from WARNING up.

    A client that has tracing on gets INFO too. At the end of the context, both logs stop and the
    root logger gets its former level back.
    """
    root = logging.getLogger()
    before = root.level
    local = logging.StreamHandler()
    local.setLevel(level.upper())
    local.setFormatter(logging.Formatter(_FORMAT))
    remote = ClientLog(protocol)
    # A client that has tracing on gets INFO, whatever the level for standard error.
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
    """A logging handler that sends records to the client as `window/logMessage`.

    It sends WARNING and up, and INFO too if the client has tracing on.
    """

    def __init__(self, protocol: IntentProtocol) -> None:
        super().__init__(logging.INFO)
        self._protocol = protocol
        self._here = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one log record to the client, from any thread, or drop it.

        It is dropped before the answer to `initialize` is made, after `shutdown`, if the client
        does not want its level, if the sending of another record caused it, or if it cannot be
        sent.
        """
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
        # `server_capabilities` is set when `initialize` is answered.
        ready = hasattr(protocol, "server_capabilities") and not protocol.shutdown_requested
        tracing = protocol.trace is not lsp.TraceValue.Off
        return ready and (tracing or record.levelno >= logging.WARNING)


def _kind(level: int) -> lsp.MessageType:
    if level >= logging.ERROR:
        return lsp.MessageType.Error
    return lsp.MessageType.Warning if level >= logging.WARNING else lsp.MessageType.Info


def _said(record: logging.LogRecord) -> str:
    """Return a log record for the client: logger, message and exception, without a traceback.

    A text of more than _LONGEST characters is cut off.
    """
    said = record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        said = f"{said}: {type(error).__name__}: {error}"
    return f"{record.name.rpartition('.')[2]}: {said}"[:_LONGEST]
