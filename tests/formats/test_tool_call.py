"""A call is named by the program of its command, never by a part of a secret."""

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.formats.tool_call import public_program, read_call
from intent_lsp.store.packaged_files import command_lists

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("pytest -q tests; rm x", "rm"),
        ("pytest `auth`", "pytest"),
        ("git  status", "git status"),
        ("pytest", "pytest"),
        (TOKEN, None),
        (f"ls; {TOKEN} x", None),
        (f"ls; {TOKEN[:8]}''{TOKEN[8:]} x", None),
        (f"TOKEN={TOKEN} rm x", "rm"),
        (f"ls; https://me:{TOKEN}@host/bin/rm x", None),
    ],
)
def test_the_program_that_is_told_holds_no_secret(command: str, program: str | None) -> None:
    call = ToolCall(tool_name="Bash", command=command)
    assert read_call(call, TeamPolicy(), command_lists()).program == program


def test_a_word_that_the_redacted_command_has_not_is_not_told() -> None:
    assert public_program(f"x {TOKEN}", TOKEN[4:12]) is None
    assert public_program("r''m x", "rm") is None
    assert public_program("rm x", "rm") == "rm"
