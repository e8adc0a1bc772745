"""Authentication of the one client of a socket server, by token and first message.

Invariant: until a connection has sent `initialize`, with the token if there is one, it gets nothing
but errors, and nothing that it sends reaches the protocol.
Invariant: a connection that does not speak LSP is closed at its first wrong line. A web page can
make a browser send an HTTP request, with messages in its body, to any port of this machine.
"""

import hmac
from typing import Final, assert_never

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import Frame
from intent_lsp.doors.lsp.protocol.messages import Answer, InvalidMessage, Notification, Request
from intent_lsp.doors.lsp.transport.channel import CloseCode

SERVER_NOT_INITIALIZED: Final = -32002


class Accept(Struct, frozen=True):
    """Result for a message after which its connection becomes the client."""


class Retry(Struct, frozen=True):
    """Result for a message after which its connection stays open, and may try again.

    If `answer` is not None, it is sent to the connection first.
    """

    answer: InvalidMessage | None = None


class Reject(Struct, frozen=True):
    """Result for a message after which its connection is closed with `code`.

    If `answer` is not None, it is sent to the connection first.
    """

    answer: InvalidMessage | None
    code: CloseCode = CloseCode.REFUSED


class ClientAuthenticator:
    """Judges the messages of a connection that is not the client yet.

    If `token` is None, no token is required.
    """

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()

    def handle(self, frame: Frame) -> Accept | Retry | Reject:
        """Judge the message in a frame. Return what happens to its connection.

        Accept makes the connection the client, Retry keeps it waiting, Reject closes it.
        """
        message = messages.read_frame(frame)
        match message:
            case Request(method=lsp.INITIALIZE):
                return self._judge(message)
            case Request():
                said = f"{message.method[:100]}: the first request must be initialize"
                return Retry(
                    InvalidMessage(id=message.id, code=SERVER_NOT_INITIALIZED, message=said)
                )
            case InvalidMessage():
                return Reject(message)
            case Notification(method=lsp.EXIT):
                return Reject(None, CloseCode.FINE)
            case Notification() | Answer():
                return Retry()
            case _ as never:
                assert_never(never)

    def _judge(self, request: Request) -> Accept | Reject:
        if self._token is None:
            return Accept()
        told = _token_in(request.params)
        if told is None:
            problem = "initializationOptions.token: is missing; this server needs its token there"
        elif hmac.compare_digest(told.encode("utf-8", "surrogatepass"), self._token):
            return Accept()
        else:
            problem = "initializationOptions.token: is wrong; it is not the token of this server"
        return Reject(InvalidMessage(id=request.id, code=messages.INVALID_REQUEST, message=problem))


def encode_refusal(refusal: InvalidMessage) -> bytes:
    """Return the body of the JSON-RPC error response for a message that was refused."""
    error = {"code": refusal.code, "message": refusal.message}
    return messages.encode({"jsonrpc": "2.0", "id": refusal.id, "error": error}, str)


def _token_in(params: object) -> str | None:
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    token = options.get("token") if isinstance(options, dict) else None
    return token if isinstance(token, str) else None
