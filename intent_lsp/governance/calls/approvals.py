"""Settling a call that waits for a person's approval (requirements section 6, row 16).

Invariant: no lock is held while a person is asked, and the call is judged again with their answer.
Invariant: a person's rejection refuses the call.
"""

from collections.abc import Awaitable, Callable
from typing import Final, Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import ApprovalAnswer, Ask, Denied
from intent_lsp.core.redaction import neutral
from intent_lsp.core.scope.language import escape
from intent_lsp.core.text import counted
from intent_lsp.governance.calls.admission import Applied, CallDecision
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session

APPROVE: Final = "Approve"
APPROVE_ONCE: Final = "Approve once"
EXPAND: Final = "Approve and expand scope"
REJECT: Final = "Reject"

REJECTED: Final = "a person rejected it"

_REASON: Final = "a person approved this scope together with an agent's call"
_WORDS_AT_MOST: Final = 300
_PATHS_SHOWN: Final = 3

T = TypeVar("T", CallDecision, Applied)
"""The result of judging a call: the decision, or a change that was judged and made."""


class ApprovalQuestion(Struct, frozen=True, kw_only=True):
    """The question that a person is asked, and the titles of the answers to choose from."""

    text: str
    titles: tuple[str, ...]


class ApprovalTime(Struct, frozen=True):
    """How many seconds a person has to answer.

    `cut` says, as the end of a sentence, why they are fewer than the policy allows. It is "" if
    they are not fewer.
    """

    seconds: float
    cut: str = ""

    @property
    def silence(self) -> ApprovalAnswer:
        """The answer to use if nobody has answered within `seconds`: no approval, and why."""
        return ApprovalAnswer(feedback=f"nobody answered within {self.seconds:g} s{self.cut}")


class PersonAtEditor(Protocol):
    """The person at an editor, for a thread that waits for their answer."""

    def ask(self, question: ApprovalQuestion, time: ApprovalTime) -> ApprovalAnswer:
        """Ask the person. Return their answer, or one that says why there is none."""
        ...

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        """Grant the scope that the person has approved. `session` asked for it.

        Return the grant, or why it was refused.
        """
        ...


class ApprovalSteps(Struct, Generic[T], frozen=True, kw_only=True):
    """What an entry point does for a call that waits for a person's approval, as callbacks.

    `judge` judges the call with the person's answer and carries out the decision. `ask` asks the
    person. `grant` expands a scope, as the person's answer says, and `warn` shows the person a
    message.
    """

    judge: Callable[[ApprovalAnswer], Awaitable[T]]
    ask: Callable[[ApprovalQuestion], Awaitable[ApprovalAnswer]]
    grant: Callable[[Wish, ApprovalAnswer], Awaitable[Granted | CheckoutRefusal]]
    warn: Callable[[str], None]


async def settled(asker: str, judged: T, steps: ApprovalSteps[T]) -> T:
    """Return `judged`, or if its decision is Ask, the result of judging with the answer of `ask`.

    `judged` is the result of the first judgement; `asker` is the id of the session that makes the
    call. If the person approves more scope, it is granted before the call is judged again; if the
    grant is refused, only this one call is approved.
    """
    admission = _admission(judged)
    if not isinstance(admission.decision, Ask):
        return judged
    why = admission.decision.why
    word = await steps.ask(_question(asker, admission, why))
    if word.approval is ApprovalChoice.EXPANDED:
        word = await _expanded(admission, why, word, steps)
    return await steps.judge(word)


def expansion_words(wish: Wish) -> str:
    """Return what a request for more scope asks for, as the end of a sentence."""
    scope = ", ".join(map(neutral, wish.patterns))
    until = "" if wish.ttl is None else f" for {wish.ttl}"
    reason = "" if wish.reason is None else f" ({neutral(wish.reason)})"
    return f"expand the scope of {neutral(wish.intent_id)} with {scope}{until}{reason}"


def answer_of(chosen: str, session_id: str) -> ApprovalAnswer:
    """Return the approval answer for the title that a person chose.

    REJECT refuses the call and EXPAND approves it with more scope; any other title approves it
    once. `session_id` is the session of that person.
    """
    if chosen == REJECT:
        return ApprovalAnswer(feedback=REJECTED, final=True)
    choice = ApprovalChoice.EXPANDED if chosen == EXPAND else ApprovalChoice.ONCE
    return ApprovalAnswer(approval=choice, session_id=session_id)


def _admission(judged: CallDecision | Applied) -> CallDecision:
    return judged.admission if isinstance(judged, Applied) else judged


async def _expanded(
    admission: CallDecision, why: Denied, word: ApprovalAnswer, steps: ApprovalSteps[T]
) -> ApprovalAnswer:
    """Grant the call's intent the paths out of scope, and return the person's answer.

    `why` is the refusal that the person overrides, `word` the answer. If the grant is refused, warn
    the person and return an answer that approves only this one call.
    """
    patterns = tuple(escape(path) for path in why.paths)
    wish = Wish(intent_id=admission.intent_id or "", patterns=patterns, reason=_REASON)
    granted = await steps.grant(wish, word)
    if isinstance(granted, CheckoutRefusal):
        steps.warn(f"intent-lsp: {granted.message} Only this one call is approved.")
        return replace(word, approval=ApprovalChoice.ONCE)
    return word


def _question(asker: str, admission: CallDecision, why: Denied) -> ApprovalQuestion:
    """Return the question for the person. Names in it come from outside and are neutralised.

    `why` is the refusal of the call if nobody approves it. Expanding the scope is offered only if
    the call is out of its intent's scope.
    """
    shown = ", ".join(map(neutral, why.paths[:_PATHS_SHOWN])) or "files that the call does not name"
    more = len(why.paths) - _PATHS_SHOWN
    paths = f"{shown} and {counted(more, 'more file')}" if more > 0 else shown
    intent = "" if admission.intent_id is None else f" for {neutral(admission.intent_id)}"
    tool = neutral(admission.tool_name)
    text = f"agent {neutral(asker)} asks to change {paths} with {tool}{intent}."
    out_of_scope = why.code is GateCode.SCOPE_VIOLATION
    if out_of_scope:
        text = f"{text} {neutral(why.message, _WORDS_AT_MOST)}"
    expandable = out_of_scope and admission.intent_id is not None
    titles = (APPROVE_ONCE, EXPAND, REJECT) if expandable else (APPROVE_ONCE, REJECT)
    return ApprovalQuestion(text=text, titles=titles)
