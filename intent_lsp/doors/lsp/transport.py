"""Standard input and output as the connection to one client.

Invariant: only messages reach the client: whatever else is printed, by us or by a child process,
goes to standard error, and no child process can read what the client sends.
Invariant: the event loop never waits on the client: a thread reads, a thread writes.
Invariant: a connection ends quietly, by `exit`, by the end of the input, by a closed output, or by
a signal; work that must not be broken off is waited for, but not for ever.

The inbox has no bound: against a client that writes before it reads, a bound would be a deadlock.
"""

import asyncio
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable
from threading import Thread

from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.framing import Frame, Frames
from intent_lsp.doors.lsp.outbox import Outbox
from intent_lsp.doors.lsp.protocol import IntentProtocol

_CHUNK = 64 << 10
_PATIENCE = 5.0
"""Seconds for work that must be finished, and again for a client that reads slowly."""

_STDIN, _STDOUT, _STDERR = 0, 1, 2


def serve_stdio(server: LanguageServer) -> int:
    """Serve the client at standard input and output until the connection ends.

    Gives the exit status: 0 when the client asked for `shutdown` before, else 1. Standard output
    stays with standard error afterwards: this process has said all it has to say.
    """
    return serve(server, *_take_stdio())


def serve(server: LanguageServer, source: int, sink: int) -> int:
    """Serve the client that writes to `source` and reads from `sink`; both are closed.

    Gives the exit status. Raises TypeError unless the server speaks IntentProtocol.
    """
    protocol = server.protocol
    if not isinstance(protocol, IntentProtocol):
        raise TypeError("the server must be made with protocol_cls=IntentProtocol")
    try:
        asyncio.run(_converse(protocol, source, sink))
    finally:
        server.shutdown()  # type: ignore[no-untyped-call]  # pygls's
    return protocol.exit_status


async def _converse(protocol: IntentProtocol, source: int, sink: int) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    _end_on_signals(loop, ended)

    def deliver(frame: Frame) -> None:
        if not ended.is_set():
            protocol.receive(frame)
        if protocol.exit_requested:
            ended.set()

    def later(call: Callable[..., None], *args: Frame) -> None:
        # The loop may be closed by now: then nobody is left to be told.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(call, *args)

    outbox = Outbox(sink, lambda: later(ended.set))
    protocol.set_writer(outbox)
    Thread(target=_read_all, args=(source, deliver, ended.set, later), daemon=True).start()
    await ended.wait()
    await protocol.settle(_PATIENCE)
    outbox.close()
    await loop.run_in_executor(None, outbox.join, _PATIENCE)


def _end_on_signals(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    ending = (signal.SIGINT, signal.SIGTERM)
    for number in ending:
        # Only the main thread of a POSIX process hears signals.
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, ended.set)
    if sys.platform != "win32":
        # What came while we started is heard now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)


def _read_all(
    source: int,
    deliver: Callable[[Frame], None],
    end: Callable[[], None],
    later: Callable[..., None],
) -> None:
    frames = Frames()
    # Unbuffered: a thread that dies in a buffered reader takes the reader's lock along.
    with io.FileIO(source, "r") as stream, contextlib.suppress(OSError):
        while data := stream.read(_CHUNK):
            for frame in frames.feed(data):
                later(deliver, frame)
    later(end)


def _take_stdio() -> tuple[int, int]:
    """Move the connection to descriptors that nobody else knows; give source and sink."""
    for descriptor in (_STDIN, _STDOUT, _STDERR):
        _fill(descriptor)
    source, sink = os.dup(_STDIN), os.dup(_STDOUT)
    for private in (source, sink):
        os.set_blocking(private, True)
    with io.FileIO(os.devnull, "r") as nothing:
        os.dup2(nothing.fileno(), _STDIN)
    os.dup2(_STDERR, _STDOUT)
    if sys.stdout is not None:
        # What was printed before now goes where all that is printed later goes.
        sys.stdout.flush()
    return source, sink


def _fill(descriptor: int) -> None:
    """Open nothing where whoever started us closed a standard stream.

    Otherwise the next descriptor that is opened would be taken for that stream.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        with io.FileIO(os.devnull, "r+") as nothing:
            spare = os.dup(nothing.fileno())
        os.dup2(spare, descriptor)
        os.close(spare)
