"""The sending half of the protocol: answers, errors, notifications and requests to the client.

Invariant: a value that cannot be encoded is never sent in part, and is logged: a result becomes an
internal error, an error loses its data, a notification is dropped, a request fails.
Invariant: a request to the client ends at `shutdown` or the end of the connection at the latest. A
request that `ask` sends also ends at its time limit.
"""

import asyncio
import itertools
import logging
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum
from functools import partial
from typing import Any

import attrs
from cattrs import Converter
from lsprotocol import types as lsp
from msgspec import Struct
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.messages import Answer, MessageId, Request
from intent_lsp.doors.lsp.protocol.structuring import (
    describe,
    know_markup,
    make_strict,
    structure_result,
)


class _Question(Struct, frozen=True):
    method: str
    future: Future[Any]


class OutgoingRequests:
    """The requests of this server that one client has not answered yet. Thread-safe."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._open: dict[MessageId, _Question] = {}
        self._numbers = itertools.count(1)
        self.over: str | None = None
        """Why no request can be sent any more, or None."""

    def next_id(self) -> str:
        """Return a request id that is new on this connection."""
        return f"server-{next(self._numbers)}"

    def put(self, identity: MessageId, method: str) -> Future[Any]:
        """Add a request that waits for its answer.

        Return a future of its result. The future raises a JsonRpcException if there is no valid
        result.
        """
        future: Future[Any] = Future()
        self._open[identity] = _Question(method, future)
        return future

    def forget(self, identity: MessageId) -> bool:
        """Remove a request, so that an answer to it is ignored.

        Return True if it was open until now, and False if it has ended or the id is unknown.
        """
        return self._open.pop(identity, None) is not None

    def fail(self, identity: MessageId, reason: str) -> None:
        """End an unanswered request: its future raises a JsonRpcException with `reason`.

        Do nothing if no unanswered request has this id.
        """
        question = self._open.pop(identity, None)
        if question is not None and question.future.set_running_or_notify_cancel():
            question.future.set_exception(JsonRpcException(reason))

    def end(self, reason: str) -> None:
        """End all unanswered requests, and let all later ones fail too.

        Their futures raise a JsonRpcException with `reason`.
        """
        self.over = reason
        for identity in tuple(self._open):
            self.fail(identity, reason)

    def answer(self, answer: Answer) -> None:
        """Resolve the future of a request with the client's answer: a typed result or an exception.

        Ignore an answer to an unknown id.
        """
        question = self._open.pop(answer.id, None)
        if question is None or not question.future.set_running_or_notify_cancel():
            _log.debug("an answer to no open question: %r", answer.id)
        elif answer.error is not None:
            question.future.set_exception(_error_of(answer.error))
        else:
            self._resolve(question, answer.result)

    def _resolve(self, question: _Question, result: object) -> None:
        try:
            typed = structure_result(self._converter, question.method, result)
        except Exception as error:  # noqa: BLE001 - the converter's hooks raise whatever they like
            problem = f"{question.method}: the client's answer is not valid: {describe(error)}"
            _log.warning("%s", problem)
            question.future.set_exception(JsonRpcException(problem))
        else:
            question.future.set_result(typed)


_log = logging.getLogger(__name__)


class SendingProtocol(LanguageServerProtocol):
    """The sending half of `IntentProtocol`: answers, errors, notifications and requests."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        make_strict(converter)
        know_markup(converter)
        self._questions = OutgoingRequests(converter)
        self._unknown: set[str] = set()

    @property
    def shutdown_requested(self) -> bool:
        """Whether the client has sent `shutdown`."""
        return self._shutdown

    async def ask(
        self,
        method: str,
        params: object = None,
        timeout: float = 10.0,  # noqa: ASYNC109 - every caller must think of a limit
    ) -> Any | None:  # noqa: ANN401 - as many types as methods
        """Send a request and return its result, or None if that is null or there is no result.

        There is none if the client answers with an error or a wrong type, if it does not answer
        within `timeout` seconds or before `shutdown`, or if the request cannot be sent. The result
        of an LSP method has lsprotocol's type. If the request times out or the caller is cancelled,
        the request is cancelled at the client.
        """
        identity = self._questions.next_id()
        future = self.send_request(method, params, msg_id=identity)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), timeout)
        except (JsonRpcException, TimeoutError) as error:
            _log.info("%s: no answer: %s", method, str(error) or f"none within {timeout:g} seconds")
            if isinstance(error, JsonRpcException) and error.code == JsonRpcMethodNotFound.CODE:
                self._unknown.add(method)
            return None
        finally:
            if self._questions.forget(identity):
                self.notify(lsp.CANCEL_REQUEST, lsp.CancelParams(id=identity))

    def understands(self, method: str) -> bool:
        """Return False if `ask` has learnt that the client does not know `method`, else True."""
        return method not in self._unknown

    def send_request(  # type: ignore[override]  # without pygls's callback: we await
        self,
        method: str,
        params: Any | None = None,  # noqa: ANN401 - pygls's signature
        msg_id: MessageId | None = None,
    ) -> Future[Any]:
        """Send a request. Return a future that gets the typed result or a JsonRpcException.

        `msg_id` is the id of the request, or None for a new one.
        """
        identity = self._questions.next_id() if msg_id is None else msg_id
        future = self._questions.put(identity, method)
        message = {"jsonrpc": self.VERSION, "id": identity, "method": method}
        if self._questions.over is not None:
            self._questions.fail(identity, self._questions.over)
        elif not self._send_data(_with_params(message, params)):
            self._questions.fail(
                identity, "the request cannot be sent: it cannot be written as JSON"
            )
        return future

    def notify(self, method: str, params: Any | None = None) -> None:  # noqa: ANN401 - pygls's signature
        """Send a notification, from any thread. If it cannot be encoded, log and drop it."""
        self.notification(method, params)()

    def notification(self, method: str, params: object) -> Callable[[], None]:
        """Encode a notification, on any thread, and return a function that sends it.

        If it cannot be encoded, log that; the function then does nothing.
        """
        message = _with_params({"jsonrpc": self.VERSION, "method": method}, params)
        return partial(self._write, self._spelled(message))

    def _reply(self, request: Request, result: object, error: BaseException | None) -> None:
        """Answer a request with `result`, or with `error` if that is not None.

        If the answer cannot be encoded, send an internal error, or the error without its data.
        """
        if error is not None:
            self._send_error(request.id, self._explain(request, error))
        elif not self._send_data({"jsonrpc": self.VERSION, "id": request.id, "result": result}):
            self._send_error(request.id, _internal_error(request))

    def _send_error(self, identity: MessageId | None, error: JsonRpcException) -> None:
        said: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not None:
            said["data"] = error.data
        message = {"jsonrpc": self.VERSION, "id": identity, "error": said}
        if not self._send_data(message):
            said.pop("data", None)
            self._send_data(message)

    def _explain(self, request: Request, error: BaseException) -> JsonRpcException:
        """Return the JSON-RPC error to send for `error`, which was raised while handling `request`.

        The details of an unexpected exception go only to the log.
        """
        if isinstance(error, JsonRpcException):
            return error
        if isinstance(error, asyncio.CancelledError):
            return JsonRpcRequestCancelled("the request was cancelled")
        _log.error("%s failed", request.method, exc_info=error)
        return _internal_error(request)

    def _send_data(self, data: Any) -> bool:  # noqa: ANN401 - pygls's signature
        """Encode and send one message. Return False if it cannot be encoded, else True."""
        body = self._spelled(data)
        self._write(body)
        return body is not None

    def _spelled(self, data: dict[str, Any]) -> bytes | None:
        try:
            return messages.encode(data, self._plain)
        except Exception:  # noqa: BLE001 - the converter raises whatever it likes at a wrong value
            _log.exception("a message cannot be spelled in JSON")
            return None

    def _write(self, body: bytes | None) -> None:
        if self.writer is not None and body is not None:
            self.writer.write(messages.frame(body) if self._include_headers else body)

    def _plain(self, value: object) -> Any:  # noqa: ANN401 - whatever JSON knows
        if attrs.has(type(value)):
            return self._converter.unstructure(value)
        if isinstance(value, Enum):
            return value.value
        raise TypeError(f"a value of the type {type(value).__name__} cannot be sent as JSON")


def _with_params(message: dict[str, Any], params: object) -> dict[str, Any]:
    if params is not None:
        message["params"] = params
    return message


def _internal_error(request: Request) -> JsonRpcException:
    return JsonRpcInternalError(f"{request.method} failed; the server's log says why")


def _error_of(error: object) -> JsonRpcException:
    said = error if isinstance(error, dict) else {}
    code, message = said.get("code"), said.get("message")
    return JsonRpcException(
        message=message if isinstance(message, str) else "the client answered with an error",
        code=code if isinstance(code, int) else None,
        data=said.get("data"),
    )
