"""Questions for a person and their answers, as lines between a server and who asks it."""

import json
from functools import partial
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.gate.request import NO_ANSWER, ApprovalAnswer
from intent_lsp.formats.hook_wire import VERSION, encode_waiting, read_waiting
from intent_lsp.formats.person_wire import (
    PersonQuestion,
    encode_answer,
    read_answer,
    read_question,
)

RIGHT = {"root": "/root", "text": "?", "titles": ["Yes"], "seconds": 1}
QUESTIONS = st.builds(
    PersonQuestion,
    st.text(),
    st.text(),
    st.lists(st.text(), max_size=4).map(tuple),
    st.floats(min_value=0.1, max_value=86_400),
)
ANSWERS = st.one_of(
    st.builds(
        ApprovalAnswer,
        approval=st.sampled_from(ApprovalChoice),
        feedback=st.text(),
        session_id=st.text(),
    ),
    st.builds(ApprovalAnswer, feedback=st.text(), final=st.booleans()),
    st.builds(partial(ApprovalAnswer, is_nobody=True), feedback=st.text()),
)


@given(QUESTIONS)
def test_a_question_arrives_as_it_was_sent(question: PersonQuestion) -> None:
    assert read_question(question.encode()) == question


@given(ANSWERS)
def test_an_answer_arrives_as_it_was_sent(answer: ApprovalAnswer) -> None:
    assert read_answer(encode_answer(answer)) == answer


@given(st.binary())
def test_whatever_else_arrives_asks_nothing_and_approves_nothing(line: bytes) -> None:
    assert read_question(line) is None
    assert read_answer(line).approval is None
    assert read_waiting(line) is None


@pytest.mark.parametrize(
    "question",
    [
        None,
        [],
        {},
        {"text": "?", "titles": ["Yes"], "seconds": 1},
        RIGHT | {"root": None},
        RIGHT | {"text": 1},
        RIGHT | {"titles": "Yes"},
        RIGHT | {"titles": [1]},
        *(RIGHT | {"seconds": each} for each in ("1", True, 0, -1, inf, nan, 1e300, 10**401)),
    ],
)
def test_a_malformed_question_is_none(question: Any) -> None:
    assert read_question(json.dumps({"version": VERSION, "question": RIGHT}).encode()) is not None
    line = json.dumps({"version": VERSION, "question": question}).encode()
    assert read_question(line) is None


def test_another_version_is_not_read() -> None:
    asked = PersonQuestion("/root", "?", ("Yes",), 1.0).encode()
    answer = encode_answer(ApprovalAnswer(approval=ApprovalChoice.ONCE, session_id="s"))
    waits = encode_waiting(2.0)
    assert read_waiting(waits) == 2.0
    ours, other = f'"version": {VERSION}'.encode(), b'"version": 99'
    assert read_question(asked.replace(ours, other)) is None
    assert read_answer(answer.replace(ours, other)).approval is None
    assert read_waiting(waits.replace(ours, other)) is None


def test_an_approval_without_a_session_approves_nothing() -> None:
    line = encode_answer(ApprovalAnswer(approval=ApprovalChoice.ONCE))
    assert read_answer(line).approval is None
    assert read_answer(b"") == NO_ANSWER


@pytest.mark.parametrize("waits", ["1", True, 0, -1, inf, nan, 1e300, None, [1]])
def test_a_wait_that_is_no_time_is_none(waits: Any) -> None:
    assert read_waiting(json.dumps({"version": VERSION, "waits": waits}).encode()) is None
