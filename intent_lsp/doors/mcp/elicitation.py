"""Asks through the client: by elicitation, or by a result that asks for input.

The latter is for clients of protocol version 2026-07-28 and later.

Invariant: the client is asked only if the team's policy accepts answers that come through a client.
Invariant: an answer that approves says that it came through the client.
Invariant: an answer counts for the question that was shown, once, and until its time is over.
"""

import json
import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.gate.request import ASKABLE, ApprovalAnswer
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.governance.calls.approvals import REJECTED, ApprovalQuestion, answer_of

_log: Final = logging.getLogger(__name__)

_KEY: Final = "approval"
"""The name of our one question in a result that asks for input."""

_FIELD: Final = "answer"
_AT_MOST: Final = 1000
"""The most questions that wait for an answer; the oldest are forgotten first."""

DISMISSED: Final = "the question was closed without an answer"
_BY_A_PERSON: Final = (
    " A person can make the change, or expand the intent's scope in their editor or in"
    " .orchestration/active_intents.yaml; until then, do not make the change"
)
NOT_ASKED: Final = (
    "nobody can be asked through this client, since the team's policy counts no answer from it"
    " (`hitl_by`)." + _BY_A_PERSON
)
CANNOT_ASK: Final = "this client cannot ask a person (it declares no elicitation)." + _BY_A_PERSON


class InputNeeded(Exception):  # noqa: N818 - it is no error, and ends the call for now
    """Raised to end a call for now. `result` asks the client to call again, with an answer."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("the call waits for the client's answer")
        self.result = result


class OpenQuestion(Struct, frozen=True):
    """A question that a client was given to answer.

    `call` is the hash of the call that it is about. An answer counts only before `until`.
    """

    text: str
    call: ContentHash
    until: datetime


class OpenQuestions:
    """The questions that clients were given and have not answered, by a random name. Thread-safe.

    At most 1000 are kept; the oldest are forgotten first.
    """

    def __init__(self, clock: Callable[[], datetime], new_id: Callable[[], str]) -> None:
        self.clock = clock
        self._new_id = new_id
        self._lock = threading.Lock()
        self._waiting: dict[str, OpenQuestion] = {}

    def put(self, text: str, call: ContentHash, seconds: float) -> str:
        """Keep a question, to be answered within `seconds`. Return the name under which it is kept.

        `text` is the text of the question, and `call` the hash of the call that it is about.
        """
        name, until = self._new_id(), self.clock() + timedelta(seconds=seconds)
        with self._lock:
            self._waiting[name] = OpenQuestion(text, call, until)
            while len(self._waiting) > _AT_MOST:
                self._waiting.pop(next(iter(self._waiting)))
        return name

    def take(self, name: str | None, text: str, call: ContentHash) -> OpenQuestion | None:
        """Forget the question with this name. Return it if it has this text and is about this call.

        Return None if it has another text or is about another call, or if there is none.
        """
        with self._lock:
            found = self._waiting.pop(name or "", None)
        return found if found is not None and (found.text, found.call) == (text, call) else None


class ElicitingClient:
    """Asks the client of one call for a person's answer, or reads the answer in the call."""

    def __init__(
        self,
        context: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        questions: OpenQuestions,
    ) -> None:
        self._context = context
        self._questions = questions
        # The answer to one call must not let another one pass that asks in the same words.
        call = json.dumps([params.name, params.arguments], sort_keys=True)
        self._call = hash_content(call.encode("ascii"))
        self._name = params.request_state
        self._answer = (params.input_responses or {}).get(_KEY)

    def first_word(self, policy: TeamPolicy) -> ApprovalAnswer:
        """Return the answer that says that the client can be asked, or why it cannot."""
        if ApprovalChannel.ELICITATION not in policy.hitl_by:
            return ApprovalAnswer(feedback=NOT_ASKED, is_nobody=True)
        return ASKABLE if self._can_ask() else ApprovalAnswer(feedback=CANNOT_ASK, is_nobody=True)

    async def ask(
        self, question: ApprovalQuestion, session_id: str, policy: TeamPolicy
    ) -> ApprovalAnswer:
        """Ask the client, and return the person's answer, or one that says why there is none.

        `session_id` is the session for which the client is asked. In newer versions of the protocol
        the answer comes with a second call: if this call has no answer, raise InputNeeded.
        """
        first = self.first_word(policy)
        if not first.can_be_asked:
            return first
        seconds = policy.hitl_timeout_seconds
        if self._context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = self._answered(question, seconds)
        else:
            answer = await self._elicited(question, seconds)
        if isinstance(answer, ApprovalAnswer):
            return answer
        return _answer_in(answer, question, session_id).counted(policy.hitl_by)

    def _can_ask(self) -> bool:
        capabilities = self._context.session.client_capabilities
        elicitation = None if capabilities is None else capabilities.elicitation
        # Before there were modes, an empty declaration stood for forms.
        return elicitation is not None and (elicitation.form is not None or elicitation.url is None)

    def _answered(
        self, question: ApprovalQuestion, seconds: float
    ) -> types.ElicitResult | ApprovalAnswer:
        """Return the answer that came with this call, or one that says that it came too late.

        Raise InputNeeded if no answer came, or if the answer is to another question or is about
        another call.
        """
        asked = self._questions.take(self._name, question.text, self._call)
        self._name, answer = None, self._answer
        if asked is None or not isinstance(answer, types.ElicitResult):
            name = self._questions.put(question.text, self._call, seconds)
            request = types.ElicitRequest(params=_form(question))
            raise InputNeeded(
                types.InputRequiredResult(input_requests={_KEY: request}, request_state=name)
            )
        late = self._questions.clock() >= asked.until
        return _silence(seconds) if late else answer

    async def _elicited(
        self, question: ApprovalQuestion, seconds: float
    ) -> types.ElicitResult | ApprovalAnswer:
        context, form = self._context, _form(question)
        try:
            with anyio.fail_after(seconds):
                return await context.session.elicit_form(
                    form.message, form.requested_schema, related_request_id=context.request_id
                )
        except TimeoutError:
            return _silence(seconds)
        except MCPError as problem:
            _log.info("the client could not ask: %s", problem)
            return ApprovalAnswer(feedback=f"the client could not ask: {problem}", is_nobody=True)


def _form(question: ApprovalQuestion) -> types.ElicitRequestFormParams:
    return types.ElicitRequestFormParams(
        message=f"intent-lsp: {question.text}",
        requested_schema={
            "type": "object",
            "properties": {
                _FIELD: {"type": "string", "title": "Decision", "enum": list(question.titles)}
            },
            "required": [_FIELD],
        },
    )


def _silence(seconds: float) -> ApprovalAnswer:
    return ApprovalAnswer(feedback=f"nobody answered within {seconds:g} s")


def _answer_in(
    result: types.ElicitResult, question: ApprovalQuestion, session_id: str
) -> ApprovalAnswer:
    """Return the approval answer that a client's result of an elicitation stands for.

    A result `accept` stands for the choice that it names, one of the question's `titles`. A result
    `decline` is a refusal. Any other result counts as a question that was closed without an answer.
    """
    if result.action == "decline":
        return ApprovalAnswer(feedback=REJECTED, final=True)
    chosen = (result.content or {}).get(_FIELD)
    if result.action != "accept" or chosen not in question.titles:
        return ApprovalAnswer(feedback=DISMISSED)
    word = answer_of(str(chosen), session_id)
    return word if word.approval is None else replace(word, channel=ApprovalChannel.ELICITATION)
