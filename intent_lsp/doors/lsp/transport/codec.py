"""What carries messages over the bytes of a socket.

Invariant: sans-IO: a carrier is given bytes and gives bytes, and knows no socket.
"""

from typing import Protocol

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import Frame, Frames


class MessageCodec(Protocol):
    """One connection's way to spell messages."""

    @property
    def opened(self) -> bool:
        """Whether messages may travel."""
        ...

    @property
    def over(self) -> bool:
        """Whether a side has ended it."""
        ...

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes; give the frames that they complete."""
        ...

    def replies(self) -> bytes:
        """Give what the carrier itself has to answer to what it was fed."""
        ...

    def encode(self, body: bytes) -> bytes:
        """Spell one message."""
        ...

    def close_frame(self, code: int, reason: str) -> bytes:
        """Spell the end of the connection, with a close code of WebSocket and a line."""
        ...


class HeaderCodec:
    """The base protocol's headers, as over standard input and output."""

    opened = True
    over = False

    def __init__(self) -> None:
        self._frames = Frames()

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes; give the frames that they complete."""
        return self._frames.feed(data)

    def replies(self) -> bytes:
        """Give nothing: only messages answer messages."""
        return b""

    def encode(self, body: bytes) -> bytes:
        """Put the header before a body."""
        return messages.frame(body)

    def close_frame(self, _: int, __: str) -> bytes:
        """Give nothing: this protocol has no word for the end."""
        return b""
