"""Messages out over a socket: in order from whatever thread, and none after the end."""

import asyncio

from intent_lsp.doors.lsp.protocol.framing import Frame
from intent_lsp.doors.lsp.transport.channel import ChannelWriter, CloseCode

PATIENCE = 30.0


class Sent:
    """A channel that keeps what is sent; the other side is gone after `most` messages."""

    def __init__(self, most: int = 100) -> None:
        self.bodies: list[bytes] = []
        self._most = most

    async def receive(self) -> list[Frame] | None:
        return None

    async def send(self, body: bytes) -> None:
        if len(self.bodies) == self._most:
            raise ConnectionResetError
        self.bodies.append(body)

    async def close(self, code: CloseCode, reason: str) -> None:
        raise AssertionError(f"{code}, {reason}: it is the client's to end")


async def test_messages_are_sent_in_order_from_whatever_thread() -> None:
    channel = Sent()
    writer = ChannelWriter(channel)
    await asyncio.to_thread(writer.write, b"1")
    writer.write(b"2")
    await asyncio.to_thread(writer.write, b"3")
    writer.close()
    writer.write(b"too late")
    await writer.join(PATIENCE)
    assert channel.bodies == [b"1", b"2", b"3"]


async def test_who_is_gone_keeps_nobody_waiting() -> None:
    channel = Sent(most=1)
    writer = ChannelWriter(channel)
    for body in (b"1", b"2", b"3"):
        writer.write(body)
    await writer.join(PATIENCE)
    assert channel.bodies == [b"1"]


def test_a_message_for_a_loop_that_has_ended_is_dropped() -> None:
    async def make() -> ChannelWriter:
        return ChannelWriter(Sent())

    asyncio.run(make()).write(b"lost")
