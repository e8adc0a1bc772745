"""Harmless commands of daily work, as projects' documents, CI files and agents spell them.

Each line of the data is a class and a command: `read` looks, `verify` tests or builds, `work`
changes what a developer expects. `\\n` is a line feed.
"""

from pathlib import Path

import pytest

from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.tools import ToolCall
from intent_lsp.formats.call_reading import read_call
from intent_lsp.formats.shell_syntax import parse

DATA = Path(__file__).parent / "data" / "harmless_commands.txt"
ROWS = [tuple(line.split("\t")) for line in DATA.read_text().splitlines()]
COMMANDS = [(kind, command.replace("\\n", "\n")) for kind, command in ROWS]

ASK_FOR_AN_INTENT = {"read": 59, "verify": 81}
"""How many of those that only look or verify are taken for what may change anything.

It may only shrink: nobody should need an intent in order to look.
"""


def mutating(command: str) -> bool:
    return read_call(ToolCall(tool_name="Bash", command=command), TeamPolicy()).mutating


def test_they_are_many_and_none_stands_twice() -> None:
    assert len(set(COMMANDS)) == len(COMMANDS) >= 320
    assert {kind for kind, _ in COMMANDS} == {"read", "verify", "work"}


@pytest.mark.parametrize("command", [command for _, command in COMMANDS])
def test_each_is_what_a_shell_reads(command: str) -> None:
    assert not parse(command).flawed


@pytest.mark.parametrize("kind", ASK_FOR_AN_INTENT)
def test_no_more_of_them_ask_for_an_intent(kind: str) -> None:
    asking = [command for each, command in COMMANDS if each == kind and mutating(command)]
    assert len(asking) <= ASK_FOR_AN_INTENT[kind], asking
