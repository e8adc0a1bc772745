"""A call that a person has to approve: asked while the host waits, and never longer."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from intent_lsp.core.agents.hook_answer import SHARE_OF_LIMIT, HookAnswer
from intent_lsp.core.agents.hook_event import HookDecision, HookEvent
from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.governance.calls.approvals import (
    APPROVE_ONCE,
    EXPAND,
    REJECT,
    ApprovalQuestion,
    ApprovalTime,
    answer_of,
)
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.hooks.hook_answers import HookAnswering, HookCall
from intent_lsp.governance.hooks.hook_calls import RESERVED
from intent_lsp.governance.hooks.hook_events import decide
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session
from tests.support.hook_agent import POLICY, Agent, records
from tests.support.repository import Repository

Answer = Callable[[ApprovalTime], ApprovalAnswer]


@dataclass
class Person:
    """The person at an editor, who answers by a function. `unsaved`: no scope can be granted."""

    root: Path
    answer: Answer
    unsaved: bool = False
    asked: list[tuple[ApprovalQuestion, ApprovalTime]] = field(default_factory=list)

    def ask(self, question: ApprovalQuestion, time: ApprovalTime) -> ApprovalAnswer:
        """Answer a question."""
        self.asked.append((question, time))
        return self.answer(time)

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        """Grant the scope, as the editor's server does."""
        with Governance(self.root) as governance:
            return governance.planning.grant(
                wish, session, by="the-editor", unsaved_file=self.unsaved
            )


class Asking(Agent):
    """An agent whose hooks are answered where a person can be asked."""

    person: Person | None = None

    def send_raw(self, data: bytes, event: str | None = None) -> HookAnswer:
        """Send bytes."""
        where = str(self.repository.root)
        call = HookCall.of(HOSTS[self.host], event, self.environment, where)
        return HookAnswering(call, self._decide).answer(data)

    def _decide(self, call: HookCall, root: Path, event: HookEvent) -> HookDecision:
        with Governance(root) as governance:
            return decide(governance, call, event, self.person)


@pytest.fixture
def asking(root: Repository) -> Callable[..., Asking]:
    """Return a function that begins a session for INT-001, with a person who answers so."""

    def begin(answer: Answer, *, policy: str = "hitl: out_of_scope") -> Asking:
        root.write(POLICY, f"sidecar:\n  {policy}\n")
        root.commit("policy")
        agent = Asking(root)
        agent.person = Person(root.root, answer)
        assert agent.before("Bash", "s", command="intent-lsp intents select INT-001").status == 0
        agent.after("Bash", "s", command="intent-lsp intents select INT-001")
        return agent

    return begin


def chooses(title: str) -> Answer:
    return lambda _: answer_of(title, "the-editor")


def asked(agent: Asking) -> list[tuple[ApprovalQuestion, ApprovalTime]]:
    assert agent.person is not None
    return agent.person.asked


def test_a_call_that_a_person_approves_passes_once(asking: Callable[..., Asking]) -> None:
    agent = asking(chooses(APPROVE_ONCE))
    assert agent.edit("docs/guide.md", "approved\n") == HookAnswer()
    [(question, time)] = asked(agent)
    assert question.titles == (APPROVE_ONCE, EXPAND, REJECT)
    assert "docs/guide.md" in question.text
    assert time.seconds == HOSTS["claude"].limit_seconds * SHARE_OF_LIMIT - RESERVED
    (record,) = records(agent.repository)
    assert record.approval is not None
    assert (record.approval.choice, record.approval.session_id) == (
        ApprovalChoice.ONCE,
        "the-editor",
    )
    agent.edit("docs/guide.md", "again\n", "call-2")
    assert len(asked(agent)) == 2


def test_a_rejected_call_is_refused_and_says_so(asking: Callable[..., Asking]) -> None:
    agent = asking(chooses(REJECT))
    refused = agent.edit("docs/guide.md", "rejected\n")
    assert refused.status == 2
    assert "a person rejected it" in refused.stderr
    assert records(agent.repository) == []


def test_a_person_can_expand_the_scope(asking: Callable[..., Asking]) -> None:
    agent = asking(chooses(EXPAND))
    assert agent.edit("docs/guide.md", "more\n") == HookAnswer()
    intents = agent.repository.root / ".orchestration/active_intents.yaml"
    assert "docs/guide.md" in intents.read_text()
    grant, edit = records(agent.repository)
    assert grant.grant is not None
    assert (grant.grant.granted_by, edit.scope_validation.value) == ("the-editor", "PASS")
    agent.edit("docs/guide.md", "still more\n", "call-2")
    assert len(asked(agent)) == 1


def test_scope_that_cannot_be_granted_approves_the_one_call(
    asking: Callable[..., Asking],
) -> None:
    agent = asking(chooses(EXPAND))
    assert agent.person is not None
    agent.person.unsaved = True
    assert agent.edit("docs/guide.md", "once\n") == HookAnswer()
    (record,) = records(agent.repository)
    assert record.approval is not None
    assert record.approval.choice is ApprovalChoice.ONCE


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (5, "nobody answered within 5 s."),
        (
            60,
            "within 13 s, the longest that a hook of claude may wait (hitl_timeout_seconds is 60).",
        ),
    ],
)
def test_the_time_of_the_person_is_cut_to_that_of_the_hook(
    asking: Callable[..., Asking], seconds: int, said: str
) -> None:
    policy = f"hitl: out_of_scope\n  hitl_timeout_seconds: {seconds}"
    agent = asking(lambda time: time.silence, policy=policy)
    refused = agent.edit("docs/guide.md", "late\n")
    assert refused.status == 2
    assert said in refused.stderr
    [(_, time)] = asked(agent)
    assert time.seconds == min(seconds, 13)


def test_nobody_is_asked_where_no_person_decides(asking: Callable[..., Asking]) -> None:
    agent = asking(chooses(APPROVE_ONCE), policy="hitl: never")
    assert agent.edit("docs/guide.md", "out of scope\n").status == 2
    assert asked(agent) == []


def test_without_a_server_nobody_can_be_asked(asking: Callable[..., Asking]) -> None:
    agent = asking(chooses(APPROVE_ONCE))
    agent.person = None
    refused = agent.edit("docs/guide.md", "x\n")
    assert refused.status == 2
    assert "no editor is connected here" in json.dumps(refused.stderr)
