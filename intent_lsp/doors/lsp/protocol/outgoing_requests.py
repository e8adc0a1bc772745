"""Requests of ours that the client has not answered.

Invariant: every question ends: with an answer of the right type, or with an exception.
"""

import itertools
import logging
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from cattrs import Converter
from pygls.exceptions import JsonRpcException

from intent_lsp.doors.lsp.protocol.messages import Answer, MessageId
from intent_lsp.doors.lsp.protocol.structuring import describe, structure_result

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Question:
    method: str
    future: Future[Any]


class Questions:
    """The open questions of one connection; may be asked from any thread."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self._open: dict[MessageId, _Question] = {}
        self._numbers = itertools.count(1)
        self.over: str | None = None
        """Why nothing can be asked any more; None: it can."""

    def next_id(self) -> str:
        """Give an id that was never given on this connection."""
        return f"server-{next(self._numbers)}"

    def put(self, identity: MessageId, method: str) -> Future[Any]:
        """Open a question; its future gets the result, or a JsonRpcException."""
        future: Future[Any] = Future()
        self._open[identity] = _Question(method, future)
        return future

    def forget(self, identity: MessageId) -> bool:
        """Close a question that nobody waits for; tell whether it was open."""
        return self._open.pop(identity, None) is not None

    def fail(self, identity: MessageId, reason: str) -> None:
        """Close a question without an answer."""
        question = self._open.pop(identity, None)
        if question is not None and question.future.set_running_or_notify_cancel():
            question.future.set_exception(JsonRpcException(reason))

    def end(self, reason: str) -> None:
        """Close all questions without an answer, those included that are still to come."""
        self.over = reason
        for identity in tuple(self._open):
            self.fail(identity, reason)

    def answer(self, answer: Answer) -> None:
        """Take the client's answer; one to a question that is not open is dropped."""
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
            problem = f"{question.method}: invalid response: {describe(error)}"
            _log.warning("%s", problem)
            question.future.set_exception(JsonRpcException(problem))
        else:
            question.future.set_result(typed)


def _error_of(error: object) -> JsonRpcException:
    said = error if isinstance(error, dict) else {}
    code, message = said.get("code"), said.get("message")
    return JsonRpcException(
        message=message if isinstance(message, str) else "the client answered with an error",
        code=code if isinstance(code, int) else None,
        data=said.get("data"),
    )
