"""Who is let in as the client of a socket.

Invariant: until a connection has asked for `initialize`, with the token where one is needed,
nothing that it sends is answered but by errors, and nothing of it reaches the protocol or the
world.
Invariant: what speaks no LSP is refused at its first line that shows it: a web page can make a
browser send an HTTP request to any port of this machine, with messages in its body.
"""

import hmac
from dataclasses import dataclass
from typing import Final, assert_never

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import Frame
from intent_lsp.doors.lsp.protocol.messages import Answer, InvalidMessage, Notification, Request
from intent_lsp.doors.lsp.transport.channel import CloseCode

SERVER_NOT_INITIALIZED: Final = -32002


@dataclass(frozen=True, slots=True)
class Accept:
    """The connection is the client's from this message on."""


@dataclass(frozen=True, slots=True)
class Retry:
    """The connection goes on, once it has its answer, if there is one."""

    answer: InvalidMessage | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """The connection ends with `code`, once its answer is sent, if there is one."""

    answer: InvalidMessage | None
    code: CloseCode = CloseCode.REFUSED


class ClientAuthenticator:
    """Knows the token of a server; None: whoever reaches it may be its client."""

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()

    def handle(self, frame: Frame) -> Accept | Retry | Reject:
        """Judge a connection by what it sends."""
        message = messages.read_frame(frame)
        match message:
            case Request(method=lsp.INITIALIZE):
                return self._judge(message)
            case Request():
                said = f"{message.method[:100]}: initialize comes first"
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
            problem = "initializationOptions.token: is missing; this server asks for its token"
        elif hmac.compare_digest(told.encode("utf-8", "surrogatepass"), self._token):
            return Accept()
        else:
            problem = "initializationOptions.token: is not the token of this server"
        return Reject(InvalidMessage(id=request.id, code=messages.INVALID_REQUEST, message=problem))


def encode_refusal(refusal: InvalidMessage) -> bytes:
    """Return a refusal as the body of a message."""
    error = {"code": refusal.code, "message": refusal.message}
    return messages.encode({"jsonrpc": "2.0", "id": refusal.id, "error": error}, str)


def _token_in(params: object) -> str | None:
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    token = options.get("token") if isinstance(options, dict) else None
    return token if isinstance(token, str) else None
