"""Standard input and output as the connection to one client.

Invariant: only messages reach the client: other output, ours or a child process's, goes to standard
error. No child process can read the client's messages.
Invariant: the event loop never waits on the client. It reads what is there and a thread writes; a
thread also reads if the loop cannot watch the descriptor.
Invariant: the connection ends cleanly by `exit`, end of input, closed output or a signal.
Uncancellable work is waited for, within a time limit.

The queue of input has no limit: with one, a client that writes before it reads would deadlock.
"""

import asyncio
import contextlib
import io
import os
import stat
import sys
from collections.abc import Callable
from threading import Thread

from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol.framing import Frame, Frames
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.transport.run_loop import PATIENCE, conduct, end_on_signals
from intent_lsp.doors.lsp.transport.writer import MessageWriter

_CHUNK = 64 << 10

_STDIN, _STDOUT, _STDERR = 0, 1, 2


def serve_stdio(server: LanguageServer) -> int:
    """Serve the client at standard input and output, and return the exit status.

    0 if the client sent `shutdown`, else 1. Standard output is standard error afterwards.
    """
    return serve(server, *_take_stdio())


def serve(server: LanguageServer, source: int, sink: int) -> int:
    """Serve the client that writes to `source` and reads from `sink`, and return the exit status.

    Both descriptors are closed. Raise TypeError unless the server speaks IntentProtocol.
    """
    return conduct(server, lambda protocol: _converse(protocol, source, sink))


async def _converse(protocol: IntentProtocol, source: int, sink: int) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    end_on_signals(loop, ended)

    def deliver(frame: Frame) -> None:
        if not ended.is_set():
            protocol.receive(frame)
        if protocol.exit_requested:
            ended.set()

    def later(call: Callable[..., None], *args: Frame) -> None:
        # If the loop is closed, the connection has ended.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(call, *args)

    outbox = MessageWriter(sink, lambda: later(ended.set))
    protocol.set_writer(outbox)
    reading = _read_when_ready(loop, source, deliver, ended.set)
    if not reading:
        Thread(target=_read_all, args=(source, deliver, ended.set, later), daemon=True).start()
    await ended.wait()
    if reading:
        loop.remove_reader(source)
        os.close(source)
    await protocol.settle(PATIENCE)
    outbox.close()
    await loop.run_in_executor(None, outbox.join, PATIENCE)


def _read_when_ready(
    loop: asyncio.AbstractEventLoop,
    source: int,
    deliver: Callable[[Frame], None],
    end: Callable[[], None],
) -> bool:
    """Read a descriptor on the event loop and return True, or return False if it cannot be watched.

    On the loop, because handing a message over from a thread takes longer than most messages do.
    """
    frames = Frames()

    def ready() -> None:
        try:
            data = os.read(source, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        for frame in frames.feed(data):
            deliver(frame)
        if not data:
            loop.remove_reader(source)
            end()

    mode = os.fstat(source).st_mode
    if sys.platform == "win32" or not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return False
    loop.add_reader(source, ready)
    return True


def _read_all(
    source: int,
    deliver: Callable[[Frame], None],
    end: Callable[[], None],
    later: Callable[..., None],
) -> None:
    frames = Frames()
    # Unbuffered: a daemon thread killed inside a buffered reader would keep the reader's lock.
    with io.FileIO(source, "r") as stream, contextlib.suppress(OSError):
        while data := stream.read(_CHUNK):
            for frame in frames.feed(data):
                later(deliver, frame)
    later(end)


def _take_stdio() -> tuple[int, int]:
    """Return private copies of standard input and output, and redirect the standard ones."""
    for descriptor in (_STDIN, _STDOUT, _STDERR):
        _fill(descriptor)
    source, sink = os.dup(_STDIN), os.dup(_STDOUT)
    for private in (source, sink):
        os.set_blocking(private, True)
    with io.FileIO(os.devnull, "r") as nothing:
        os.dup2(nothing.fileno(), _STDIN)
    os.dup2(_STDERR, _STDOUT)
    if sys.stdout is not None:
        # Text printed before goes to standard error, like all later text.
        sys.stdout.flush()
    return source, sink


def _fill(descriptor: int) -> None:
    """Open the null device for a standard stream that the parent has closed.

    Otherwise the next descriptor opened would get its number and be taken for it.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        with io.FileIO(os.devnull, "r+") as nothing:
            spare = os.dup(nothing.fileno())
        os.dup2(spare, descriptor)
        os.close(spare)
