"""Standard input and output as the connection to one client.

Invariant: only messages reach the client: whatever else is printed, by us or by a child process,
goes to standard error, and no child process can read what the client sends.
Invariant: the event loop never waits on the client: it reads what is there, a thread writes, and a
thread reads from what cannot tell when something is there.
Invariant: a connection ends quietly, by `exit`, by the end of the input, by a closed output, or by
a signal; work that must not be broken off is waited for, but not for ever.

The inbox has no bound: against a client that writes before it reads, a bound would be a deadlock.
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
    """Serve the client at standard input and output until the connection ends.

    Gives the exit status: 0 when the client asked for `shutdown` before, else 1. Standard output
    stays with standard error afterwards: this process has said all it has to say.
    """
    return serve(server, *_take_stdio())


def serve(server: LanguageServer, source: int, sink: int) -> int:
    """Serve the client that writes to `source` and reads from `sink`; both are closed.

    Gives the exit status. Raises TypeError unless the server speaks IntentProtocol.
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
        # The loop may be closed by now: then nobody is left to be told.
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
    """Read a pipe or a socket on the loop: a trip from a thread takes longer than most messages do.

    False: this system's loop cannot tell when the descriptor has something to give.
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
