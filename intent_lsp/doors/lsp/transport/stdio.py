"""Standard input and output as the connection to one client.

The queue of input has no limit: with a limit, a client that writes before it reads would deadlock.

Invariant: only messages reach the client: other output, ours or a child process's, goes to standard
error. No child process can read the client's messages.
Invariant: the event loop never waits for input. A thread reads if the loop cannot watch the
descriptor.
Invariant: the connection ends cleanly by `exit`, end of input, closed output, SIGINT or SIGTERM.
Uncancellable work is waited for, within a time limit.
Invariant: no caller of `write` waits for the client. What the client cannot take at once is written
by a thread.
Invariant: messages are written one after the other, in the order of the calls of `write`.
"""

import asyncio
import contextlib
import io
import logging
import os
import select
import stat
import sys
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Final

from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol.framing import Frame, Frames
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.transport.run_loop import PATIENCE, conduct, end_on_signals

_CHUNK = 64 << 10
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_log: Final = logging.getLogger(__name__)

_AT_ONCE: Final = getattr(select, "PIPE_BUF", 0)
"""Bytes that a writable pipe takes without blocking; 0 if the system has no such size."""


class MessageWriter:
    """Writes messages to a file descriptor and closes it at the end.

    `broken` is called once, on the writing thread, when the reader is gone. Later messages are
    dropped.
    """

    def __init__(self, descriptor: int, broken: Callable[[], None]) -> None:
        # Unbuffered: a daemon thread killed inside a buffered writer would keep the writer's lock.
        self._stream = io.FileIO(descriptor, "w")
        self._broken = broken
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._guard = Lock()
        self._waiting = 0
        self._poll = _poll(descriptor)
        self._thread = Thread(target=self._write_all, name="outbox", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write `data` after all that was written before, without waiting for the reader.

        What the reader cannot take at once is queued for the writing thread.
        """
        with self._guard:
            # Write here if possible: handing over to a thread takes longer than most messages do.
            if not self._waiting and self._written_at_once(data):
                return
            self._waiting += 1
            self._queue.put(data)

    def close(self) -> None:
        """Stop writing and close the descriptor, after all queued messages are written."""
        with self._guard:
            self._waiting += 1
            self._queue.put(None)

    def join(self, patience: float) -> None:
        """Wait until the writing thread has ended after `close`, at most `patience` seconds."""
        self._thread.join(patience)

    def _written_at_once(self, data: bytes) -> bool:
        """Write a short message if the reader can take it now, and return True.

        Otherwise return False: the writing thread must write it. That thread also handles errors.
        """
        if self._poll is None or len(data) > _AT_ONCE:
            return False
        try:
            ready = self._poll.poll(0)
            return bool(ready) and ready[0][1] == select.POLLOUT and self._written_or_queued(data)
        except OSError:
            return False

    def _written_or_queued(self, data: bytes) -> bool:
        """Write as much of `data` as fits now, and queue the rest for the writing thread.

        Return False if nothing was written; then nothing is queued either.
        """
        written = self._stream.write(data)
        if 0 < written < len(data):
            self._waiting += 1
            self._queue.put(data[written:])
        return written > 0

    def _write_all(self) -> None:
        with self._stream:
            try:
                for data in iter(self._queue.get, None):
                    rest = memoryview(data)
                    while rest:
                        rest = rest[self._stream.write(rest) :]
                    with self._guard:
                        self._waiting -= 1
            except OSError as error:
                _log.info("the client reads no more: %s", error)
                self._broken()


def serve_stdio(server: LanguageServer) -> int:
    """Serve the client at standard input and output, and return the exit status.

    The status is 0 if the client sent `shutdown`, else 1. Once this is called, what the process
    prints to standard output goes to standard error.
    """
    return serve(server, *_take_stdio())


def serve(server: LanguageServer, source: int, sink: int) -> int:
    """Serve the client that writes to `source` and reads from `sink`; return the exit status.

    Both are file descriptors, which the caller must not use any more. The status is 0 if the client
    sent `shutdown`, else 1. Raise TypeError unless the server speaks IntentProtocol.
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
    """Start to read `source` on the event loop. Return False if it is neither a pipe nor a socket.

    `deliver` gets each frame, and `end` is called at the end of input. No thread is used, because
    handing a message over to the event loop takes longer than handling most messages.
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
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
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
    """Return duplicates of standard input and output, in this order, for the client alone.

    Redirect standard input to the null device, and standard output to standard error.
    """
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
    """Open the null device in place of a standard stream that the parent process has closed.

    While the stream's number is free, the next file that is opened would get the number and be used
    as the stream.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        with io.FileIO(os.devnull, "r+") as nothing:
            spare = os.dup(nothing.fileno())
        os.dup2(spare, descriptor)
        os.close(spare)


def _poll(descriptor: int) -> "select.poll | None":
    """Return a poll object for writing to a descriptor, or None if the system has no `poll`."""
    if not hasattr(select, "poll"):
        return None
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return poll
