"""WebSocket as a carrier: each message is one, of text or binary, without headers.

Invariant: no message is read before the request for the connection was found to be allowed.
Invariant: memory is bounded by one message of the limit; nothing is compressed, so that nothing
small becomes large.
"""

import logging
from collections.abc import Sequence
from http import HTTPStatus

from websockets.frames import CloseCode, Opcode
from websockets.frames import Frame as Piece
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT, Body, Frame
from intent_lsp.doors.lsp.transport.web_handshake import HandshakeResult

_SUBPROTOCOL = Subprotocol("lsp")
_LONGEST_REASON = 120
"""Bytes of a reason; a close frame has room for 123."""


class WebSocketCodec:
    """One WebSocket; `admission` judges the request for it."""

    def __init__(self, admission: HandshakeResult) -> None:
        self._admission = admission
        self._socket = ServerProtocol(
            select_subprotocol=_choose,
            max_size=MESSAGE_LIMIT,
            logger=_discreet_log(),
        )
        self._data, self._text = bytearray(), False

    @property
    def opened(self) -> bool:
        """Whether the request was accepted, and nobody has begun to close."""
        return self._socket.state is State.OPEN

    @property
    def over(self) -> bool:
        """Whether a side has said that it ends, or the request was refused."""
        return self._socket.eof_sent or self._socket.state in {State.CLOSING, State.CLOSED}

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes; give the messages that they complete."""
        connecting = self._socket.state is State.CONNECTING
        # The request is answered before anything that stands behind it is looked at.
        pieces = data.splitlines(keepends=True) if connecting else [data]
        frames: list[Frame] = []
        for piece in pieces:
            frames += self._take(piece)
            if self.over:
                break
        return frames

    def replies(self) -> bytes:
        """Give the answer to the request, pongs, and the close frame."""
        return b"".join(self._socket.data_to_send())

    def encode(self, body: bytes) -> bytes:
        """Spell one message, as text; nothing once the connection is being closed."""
        if not self.opened:
            return b""
        self._socket.send_text(body)
        return self.replies()

    def close_frame(self, code: int, reason: str) -> bytes:
        """Spell a close frame, where none was sent."""
        if self.opened:
            said = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
            self._socket.send_close(code, said)
        return self.replies()

    def _take(self, data: bytes) -> list[Frame]:
        self._socket.receive_data(data)
        frames: list[Frame] = []
        for event in self._socket.events_received():
            if isinstance(event, Request):
                self._answer(event)
            elif isinstance(event, Piece):
                frames += self._message(event)
        return frames

    def _answer(self, request: Request) -> None:
        headers = request.headers
        problem = self._admission.refusal(
            hosts=headers.get_all("Host"), origins=headers.get_all("Origin")
        )
        if problem is None:
            answer = self._socket.accept(request)
        else:
            answer = self._socket.reject(HTTPStatus.FORBIDDEN, f"{problem}\n")
        self._socket.send_response(answer)

    def _message(self, piece: Piece) -> list[Frame]:
        if piece.opcode not in {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}:
            return []
        if piece.opcode is not Opcode.CONT:
            self._data, self._text = bytearray(), piece.opcode is Opcode.TEXT
        self._data += piece.data
        if not piece.fin:
            return []
        data = bytes(self._data)
        if self._text and not _is_utf8(data):
            self._socket.fail(CloseCode.INVALID_DATA, "a text is not UTF-8")
            return []
        return [Body(data)]


def _discreet_log() -> logging.Logger:
    """Give a log that never gets to `debug`, where each message would be told, and the token."""
    log = logging.getLogger(f"{__name__}.wire")
    log.setLevel(logging.WARNING)
    return log


def _choose(_: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Agree to `lsp` if it is offered; a client that offers none, or others, gets none."""
    return _SUBPROTOCOL if _SUBPROTOCOL in offered else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
