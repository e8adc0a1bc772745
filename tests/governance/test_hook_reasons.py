"""What an agent is told by its hook about a refused call."""

from collections.abc import Mapping, Sequence

import pytest

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.governance.hooks.hook_sessions import Handshake, inherited_words, refusal_reason

HANDSHAKE = Handshake(handle="h-1", intents=())


def advice(owning: Mapping[str, Sequence[str]], globs: Sequence[str] = ("src/**",)) -> list[str]:
    details = {"intent_id": "A", "owning_intents": owning, "owned_scope": globs}
    denied = Denied(code=GateCode.SCOPE_VIOLATION, message="No.", details=details)
    return refusal_reason(denied, HANDSHAKE).splitlines()[1:]


@pytest.mark.parametrize(
    "case",
    [
        ({"a": ["B"]}, "B owns the file: "),
        ({"a": ["B"], "b": ["B"]}, "B owns the files: "),
        ({"a": ["B"], "b": []}, "B owns some of the files: "),
        ({"a": ["B"], "b": ["C"]}, "These intents own the files: B, C."),
    ],
)
def test_the_owners_of_the_refused_files_are_told(
    case: tuple[Mapping[str, Sequence[str]], str],
) -> None:
    owning, said = case
    assert advice(owning)[1].startswith(said)


def test_of_several_owners_the_one_of_the_agents_task_is_to_be_selected() -> None:
    assert advice({"a": ["B"], "b": ["C"]})[2:] == [
        f"If one of them is your task, run `{HANDSHAKE.command('ID')}`, where ID is its id.",
        "Else leave the files as they are, or ask the person for more scope.",
    ]


def test_a_file_without_an_owner_is_to_be_left_alone() -> None:
    assert advice({"a": []})[1:] == [
        "Leave the file as it is, or ask the person for more scope.",
    ]


def test_what_only_the_person_can_put_right_is_said() -> None:
    denied = Denied(code=GateCode.CONTRACT_DRIFT, message="No.", details={})
    assert refusal_reason(denied, HANDSHAKE).splitlines() == [
        "No.",
        "Leave .orchestration/ alone and ask the person to put it right.",
    ]


def test_an_id_with_a_blank_is_quoted_in_the_command() -> None:
    command = "intent-lsp intents select 'my task' --session h-1"
    assert advice({"a": ["my task"]})[1].endswith(f"run `{command}`.")


def test_a_long_scope_is_counted() -> None:
    globs = [f"{number}/**" for number in range(12)]
    assert advice({"a": []}, globs)[0].endswith("9/** and 2 more")


def test_an_intent_without_a_name_is_told_by_its_id() -> None:
    intent = Intent(id=IntentId("INT-1"))
    assert Handshake(handle=None, intents=(intent,)).listed() == "- INT-1"
    assert inherited_words(intent) == (
        "Your session begins with INT-1, the intent of the person's editor."
    )
