"""Connections as they come: taken, put off while none can be, ended; written to from any thread."""

import asyncio
import errno
import socket
from typing import Any

import pytest

from intent_lsp.doors.lsp.protocol.framing import Frame
from intent_lsp.doors.lsp.protocol.messages import frame
from intent_lsp.doors.lsp.transport.acceptor import Acceptor
from intent_lsp.doors.lsp.transport.codec import HeaderCodec
from intent_lsp.doors.lsp.transport.peer import Peer

LIMIT = 30


class Guests:
    """Takes every connection, and keeps it."""

    def __init__(self) -> None:
        self.came: asyncio.Queue[Peer] = asyncio.Queue()

    def greet(self) -> Peer:
        return Peer(HeaderCodec(), self)

    def arrive(self, peer: Peer) -> None:
        self.came.put_nowait(peer)

    def handle(self, peer: Peer, frame: Frame) -> None:
        raise AssertionError(f"{peer} says nothing, and not {frame}")

    def watch(self, peer: Peer) -> None:
        raise AssertionError(f"{peer} says nothing")

    def leave(self, peer: Peer) -> None:
        peer.hang_up(1000, "")

    def forget(self, peer: Peer) -> None:
        pass


class Exhausted(socket.socket):
    """A listening socket of a system that has no descriptor left, for a while."""

    problems: list[OSError]
    tried: asyncio.Event

    def accept(self) -> tuple[socket.socket, Any]:
        self.tried.set()
        if self.problems:
            raise self.problems.pop()
        return super().accept()


def exhausted(*problems: OSError) -> Exhausted:
    listener = Exhausted(socket.AF_INET, socket.SOCK_STREAM)
    listener.problems, listener.tried = list(problems), asyncio.Event()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


async def test_a_connection_is_taken_once_it_can_be() -> None:
    guests = Guests()
    listener = exhausted(
        OSError(errno.EMFILE, "Too many open files"), ConnectionAbortedError(), BlockingIOError()
    )
    accepting = Acceptor(listener, guests.greet, pause=0)
    with socket.create_connection(listener.getsockname()):
        peer = await asyncio.wait_for(guests.came.get(), LIMIT)
        assert listener.problems == []
    await asyncio.wait_for(peer.gone.wait(), LIMIT)
    await accepting.end()


async def test_what_is_put_off_is_taken_no_more_in_the_end() -> None:
    guests = Guests()
    listener = exhausted(OSError(errno.EMFILE, "Too many open files"))
    address = listener.getsockname()
    accepting = Acceptor(listener, guests.greet)
    with socket.create_connection(address) as connection:
        await asyncio.wait_for(listener.tried.wait(), LIMIT)
        await accepting.end()
        with pytest.raises(ConnectionResetError):
            connection.recv(1)
    assert guests.came.empty()


async def test_messages_arrive_in_order_from_whatever_thread() -> None:
    guests = Guests()
    listener = exhausted()
    accepting = Acceptor(listener, guests.greet)
    with socket.create_connection(listener.getsockname()) as connection:
        peer = await asyncio.wait_for(guests.came.get(), LIMIT)
        await asyncio.to_thread(peer.write, b"1")
        peer.write(b"2")
        await asyncio.to_thread(peer.write, b"3")
        peer.hang_up(1000, "")
        peer.write(b"too late")
        expected = b"".join(frame(body) for body in (b"1", b"2", b"3"))
        assert await asyncio.to_thread(connection.recv, 1000) == expected
        assert await asyncio.to_thread(connection.recv, 1000) == b""
    await asyncio.wait_for(peer.gone.wait(), LIMIT)
    await accepting.end()


async def test_before_it_is_connected_a_peer_says_nothing() -> None:
    peer = Guests().greet()
    peer.write(b"lost")
    peer.hang_up(1000, "")
    peer.close()
    peer.drop()
    assert not peer.gone.is_set()


def test_a_message_for_a_loop_that_has_ended_is_dropped() -> None:
    async def greet() -> Peer:
        return Guests().greet()

    peer = asyncio.run(greet())

    async def write() -> None:
        await asyncio.to_thread(peer.write, b"lost")

    asyncio.run(write())
