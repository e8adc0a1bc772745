"""Messages out: whole, in order, and nobody waits on the reader."""

import os
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent_lsp.doors.lsp.transport.stdio import MessageWriter

PATIENCE = 30.0
MORE_THAN_A_PIPE = 1 << 20


class Pipe:
    """An outbox that writes into a pipe, and the end that is read."""

    def __init__(self) -> None:
        self.source, sink = os.pipe()
        self.broken = threading.Event()
        self.outbox = MessageWriter(sink, self.broken.set)

    def rest(self) -> bytes:
        """Read to the end, which comes when the outbox is closed."""
        parts = list[bytes]()
        while part := os.read(self.source, 1 << 16):
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        with suppress(OSError):
            os.close(self.source)
        self.outbox.close()
        self.outbox.join(PATIENCE)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    opened = Pipe()
    yield opened
    opened.close()


def test_a_short_message_is_there_when_write_returns(pipe: Pipe) -> None:
    os.set_blocking(pipe.source, False)
    for number in range(100):
        message = b"message %d" % number
        pipe.outbox.write(message)
        assert os.read(pipe.source, 1 << 16) == message


def test_a_reader_that_reads_nothing_keeps_nobody_waiting(pipe: Pipe) -> None:
    messages = [b"%6d" % number * 500 for number in range(1_000)]
    for message in messages:
        pipe.outbox.write(message)
    pipe.outbox.close()
    assert pipe.rest() == b"".join(messages)


def test_a_short_message_does_not_overtake_a_long_one(pipe: Pipe) -> None:
    long = b"x" * MORE_THAN_A_PIPE
    pipe.outbox.write(long)
    pipe.outbox.write(b"short")
    pipe.outbox.close()
    assert pipe.rest() == long + b"short"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 20_000)), max_size=40))
@settings(max_examples=50, deadline=None)
def test_each_thread_finds_its_messages_whole_and_in_order(sizes: list[tuple[int, int]]) -> None:
    pipe = Pipe()
    wanted = [
        [
            b"<%d %d %s>" % (thread, n, b"x" * size)
            for n, (of, size) in enumerate(sizes)
            if of == thread
        ]
        for thread in range(4)
    ]

    def write(messages: list[bytes]) -> None:
        for message in messages:
            pipe.outbox.write(message)

    threads = [threading.Thread(target=write, args=(messages,)) for messages in wanted]
    for thread in threads:
        thread.start()

    def close() -> None:
        for thread in threads:
            thread.join()
        pipe.outbox.close()

    closing = threading.Thread(target=close)
    closing.start()
    read = [b"<" + part for part in pipe.rest().split(b"<")[1:]]
    closing.join()
    os.close(pipe.source)
    for of, messages in enumerate(wanted):
        assert [each for each in read if each.startswith(b"<%d " % of)] == messages


def test_a_reader_that_is_gone_is_told_of_once_and_stops_nobody(pipe: Pipe) -> None:
    os.close(pipe.source)
    for _ in range(3):
        pipe.outbox.write(b"nobody reads this")
    assert pipe.broken.wait(PATIENCE)
    pipe.outbox.write(b"nor this")


def test_nothing_is_written_after_the_end(pipe: Pipe) -> None:
    pipe.outbox.write(b"all")
    pipe.outbox.close()
    pipe.outbox.write(b"too late")
    assert pipe.rest() == b"all"
    # The descriptor may be another file's by now.
    pipe.outbox.join(PATIENCE)
    other = os.pipe()
    pipe.outbox.write(b"in nobody's file")
    os.set_blocking(other[0], False)
    with pytest.raises(BlockingIOError):
        os.read(other[0], 1)
    for descriptor in other:
        os.close(descriptor)
