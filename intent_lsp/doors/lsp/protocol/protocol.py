"""The protocol of one connection: lifecycle, dispatch of messages, and their order.

Invariant: a readable request is answered once, unless the connection ends before, and nothing that
a client sends raises.
Invariant: an error in a request is sent to the client, and an error in a notification is logged. An
unexpected exception is always logged.
Invariant: documents change in the order of messages, each before the feature for the message runs.

pygls provides features, commands, typed notifications and progress. Its message handling is
replaced because (2.1.1) its `object_hook` structures nested objects, malformed standard requests
are never answered, custom params lose keys, requests before `initialize` are served, cancelled
commands run on, and `shutdown` fails while a request to the client is open.
"""

import asyncio
import contextvars
import logging
from collections.abc import Callable, Coroutine, Mapping
from enum import Enum, auto
from functools import partial
from typing import Any, TypeVar

from cattrs import Converter
from lsprotocol import types as lsp
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol import initialize, messages, structuring, text_sync
from intent_lsp.doors.lsp.protocol.documents import Documents
from intent_lsp.doors.lsp.protocol.framing import BadHeader, Frame
from intent_lsp.doors.lsp.protocol.in_flight import InFlightRequests, Shutdown
from intent_lsp.doors.lsp.protocol.messages import (
    Answer,
    InvalidMessage,
    Message,
    Notification,
    Request,
)
from intent_lsp.doors.lsp.protocol.outgoing import SendingProtocol
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.protocol.structuring import (
    accept_markup,
    is_notification,
    is_request,
    structure_params,
)

_log = logging.getLogger(__name__)

T = TypeVar("T")
_OWN_REQUESTS = frozenset({lsp.INITIALIZE, lsp.SHUTDOWN, lsp.WORKSPACE_EXECUTE_COMMAND})


class _Stage(Enum):
    NEW = auto()
    INITIALIZING = auto()
    READY = auto()


class IntentProtocol(SendingProtocol):
    """pygls's protocol with its own handling of messages, documents and answers.

    `documents` are the open documents, and `encoding` is the unit of positions. Both are ready when
    the feature for `initialize` runs; that feature may register more features. `exit_requested`
    means that the transport must stop: after `exit`, or after a header that leaves the end of its
    message unknown. `ending` ends the connection, whether the client sends `shutdown` or not.
    """

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.encoding = PositionEncoding.UTF_16
        self.documents = Documents(self.encoding)
        self.exit_requested = False
        self._stage = _Stage.NEW
        self._calls = InFlightRequests()
        self.ending = Shutdown(self._calls.finished)
        self._effects: Mapping[str, Callable[[Any], None]] = {
            lsp.INITIALIZED: _nothing,
            lsp.SET_TRACE: self._set_trace,
            lsp.TEXT_DOCUMENT_DID_OPEN: partial(text_sync.open_document, self.documents),
            lsp.TEXT_DOCUMENT_DID_CHANGE: partial(text_sync.change_document, self.documents),
            lsp.TEXT_DOCUMENT_DID_CLOSE: partial(text_sync.close_document, self.documents),
            lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (
                lambda params: text_sync.change_folders(self.workspace, params)
            ),
            lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL: self._cancel_progress,
        }

    @property
    def exit_status(self) -> int:
        """The process's exit status: 0 after `shutdown`, else 1."""
        return 0 if self._shutdown else 1

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Await `work` and return its result.

        Neither `$/cancelRequest` nor `exit` interrupts it.
        """
        return await self._calls.finish(work)

    def accept_markup(self) -> None:
        """From now on, accept diagnostics with Markdown that the client sends back."""
        accept_markup(self._converter)

    async def settle(self, patience: float) -> None:
        """Cancel the running features, then end the connection.

        First, unanswered requests to the client fail. Wait at most `patience` seconds for features
        and uncancellable work, and then at most `patience` seconds for `ending.then`.
        """
        clock = asyncio.get_running_loop().time
        late = clock() + patience
        self._questions.end("the connection is being closed")
        await self._calls.settle(patience)
        await self.ending.ended_within(max(0.0, late - clock()), patience)

    def receive(self, frame: Frame) -> None:
        """Read the message in a frame from the client, and handle it."""
        self._take(messages.read_frame(frame))
        if isinstance(frame, BadHeader):
            # The start of the next message is unknown.
            self.exit_requested = True

    def _take(self, message: Message) -> None:
        # Each message has its own context, because `msg_id` is a context variable.
        run = contextvars.copy_context().run
        match message:
            case Request():
                run(self._requested, message)
            case Notification():
                run(self._notified, message)
            case Answer():
                self._questions.answer(message)
            case InvalidMessage():
                _log.warning("refused a message: %s", message.message)
                self._send_error(message.id, JsonRpcException(message.message, message.code))

    def _requested(self, request: Request) -> None:
        self._ctx_msg_id.set(request.id)  # type: ignore[arg-type]  # a float is no LSP id, but a JSON-RPC one
        try:
            self._admit(request)
            params = structure_params(self._converter, request.method, request.params)
            self._serve(request, params)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets its answer
            self._reply(request, None, error)

    def _admit(self, request: Request) -> None:
        method = request.method
        if self._calls.is_running(messages.id_key(request.id)):
            raise JsonRpcInvalidRequest("id: a request with this id has not been answered yet")
        if method == lsp.INITIALIZE and self._stage is not _Stage.NEW:
            raise JsonRpcInvalidRequest("initialize: was sent already")
        if method != lsp.INITIALIZE and self._stage is not _Stage.READY:
            raise JsonRpcServerNotInitialized(
                f"{method[:100]}: the first request must be initialize"
            )
        if self._shutdown:
            raise JsonRpcInvalidRequest(f"{method[:100]}: the server was asked to shut down")
        if is_notification(method):
            raise JsonRpcInvalidRequest(f"{method}: is a notification and must not have an id")
        if method not in _OWN_REQUESTS and method not in self.fm.features:
            raise JsonRpcMethodNotFound(f"{method[:100]}: is not a method of this server")

    def _serve(self, request: Request, params: Any) -> None:  # noqa: ANN401 - as many types as methods
        feature: Callable[..., Any] = self.fm.features.get(request.method, _nothing)
        args: tuple[Any, ...] = (params,)
        done = partial(self._reply, request)
        match request.method:
            case lsp.INITIALIZE:
                self._prepare(params)
                done = partial(self._initialized, request, params)
            case lsp.SHUTDOWN:
                self._shutdown = True
                self._questions.end(
                    "the client is shutting the server down, and is asked nothing more"
                )
                done = partial(self._shut_down, request)
            case lsp.WORKSPACE_EXECUTE_COMMAND:
                feature, args = structuring.bind(self.fm, params, self._server)
            case _:
                pass
        self._calls.start(feature, args, done, messages.id_key(request.id))

    def _prepare(self, params: lsp.InitializeParams) -> None:
        self._server.process_id = params.process_id
        self.client_capabilities = params.capabilities
        if params.trace is not None:
            self.trace = _trace_of(params.trace)
        self.encoding = initialize.agree_encoding(params)
        self.documents.encoding = self.encoding
        self._workspace = initialize.open_workspace(params, self.encoding)
        # Last: a client whose `initialize` failed may try again.
        self._stage = _Stage.INITIALIZING

    def _initialized(
        self, request: Request, params: lsp.InitializeParams, _: object, error: BaseException | None
    ) -> None:
        result = None
        if error is None:
            # Built afterwards, because the feature may have registered others.
            try:
                self.server_capabilities = initialize.build_capabilities(
                    params.capabilities, self.fm, self.encoding
                )
                result = lsp.InitializeResult(self.server_capabilities, self.server_info)
            except Exception as problem:  # noqa: BLE001 - whatever it is, the client gets its answer
                error = problem
        # A client whose `initialize` failed may try again.
        self._stage = _Stage.READY if error is None else _Stage.NEW
        self._reply(request, result, error)

    def _shut_down(self, request: Request, _: object, error: BaseException | None) -> None:
        # A cancellation comes from an `exit` sent before the answer. The end goes on in its own
        # task.
        if error is not None and not isinstance(error, asyncio.CancelledError):
            _log.error("shutdown failed", exc_info=error)
        self._reply(request, None, None)

    def _notified(self, message: Notification) -> None:
        method = message.method
        if method == lsp.EXIT:
            self.exit_requested = True
            self._tell(message, None)
        elif method == lsp.CANCEL_REQUEST:
            self._cancel(message.params)
        elif self._stage is not _Stage.READY or self._shutdown or not self._concerns_us(method):
            _log.debug("dropped a notification: %r", method)
        else:
            self._obey(message)

    def _concerns_us(self, method: str) -> bool:
        known = method in self._effects or method in self.fm.features
        return known and not is_request(method)

    def _obey(self, message: Notification) -> None:
        try:
            params = structure_params(self._converter, message.method, message.params)
            self._effects.get(message.method, _nothing)(params)
        except Exception as error:  # noqa: BLE001 - nothing that a client sends ends the connection
            _log_failure(message.method, None, error)
        else:
            self._tell(message, params)

    def _tell(self, message: Notification, params: Any) -> None:  # noqa: ANN401 - as many types as methods
        feature = self.fm.features.get(message.method)
        if feature is not None:
            self._calls.start(feature, (params,), partial(_log_failure, message.method), None)

    def _cancel(self, params: object) -> None:
        identity = messages.read_id(params.get("id")) if isinstance(params, dict) else None
        if identity is not None:
            self._calls.cancel(messages.id_key(identity))

    def _set_trace(self, params: lsp.SetTraceParams) -> None:
        self.trace = _trace_of(params.value)

    def _cancel_progress(self, params: lsp.WorkDoneProgressCancelParams) -> None:
        token = self.progress.tokens.get(params.token)
        if token is not None:
            token.cancel()


def _trace_of(told: str) -> lsp.TraceValue:
    """Return a trace value. One that LSP does not have, such as `compact`, counts as `messages`."""
    try:
        return lsp.TraceValue(told)
    except ValueError:
        return lsp.TraceValue.Messages


def _nothing(_: object) -> None:
    """Do nothing: stands for a feature or a built-in effect that a method does not have."""


def _log_failure(method: str, _: object, error: BaseException | None) -> None:
    if isinstance(error, JsonRpcException):
        _log.warning("%s: %s", method, error)
    elif isinstance(error, Exception):
        _log.error("%s failed", method, exc_info=error)
