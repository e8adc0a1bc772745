"""Harmless commands of daily work, as projects' documents, CI files and agents spell them.

Each line of the data is a class and a command: `read` looks, `verify` tests or builds, `work`
changes what a developer expects, `code` runs code of the command's own or of the project, which
nobody reads. `\\n` is a line feed.
"""

from pathlib import Path

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.formats.shell.syntax import parse
from tests.governance.test_calls import Agent
from tests.support.repository import Repository, create

DATA = Path(__file__).parent / "data" / "harmless_commands.txt"
ROWS = [tuple(line.split("\t")) for line in DATA.read_text().splitlines()]
COMMANDS = [(kind, command.replace("\\n", "\n")) for kind, command in ROWS]

INTENTS = """\
active_intents:
  - {id: INT-001, name: Everything, status: IN_PROGRESS, owned_scope: ["**"]}
"""
IGNORED = "bin/\nbuild/\ndist/\ntarget/\nnode_modules/\n.venv/\n*.log\n*.out\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Give a project all of which one intent owns, and that git builds outside of."""
    project = create(tmp_path_factory.mktemp("project") / "project")
    project.write(".orchestration/active_intents.yaml", INTENTS)
    project.write(".orchestration/.gitignore", ".local/\n")
    project.write(".gitignore", IGNORED)
    project.write("src/app.py", "one\n")
    project.commit()
    return project


def refused(project: Repository, kinds: set[str], intent: str | None) -> dict[str, GateCode]:
    """Give what the gate refuses; the tree is not looked at for it."""
    agent = Agent(project, f"builder {intent}", intent)
    calls = {
        command: ToolCall(tool_name="Bash", command=command)
        for kind, command in COMMANDS
        if kind in kinds
    }
    decisions = {
        command: agent.governance.calls.explain(agent.name, "", call)[1].decision
        for command, call in calls.items()
    }
    agent.governance.close(None)
    assert all(isinstance(each, Allowed | Denied) for each in decisions.values())
    return {name: each.code for name, each in decisions.items() if isinstance(each, Denied)}


def test_they_are_many_and_none_stands_twice() -> None:
    assert len(set(COMMANDS)) == len(COMMANDS) >= 660
    assert {kind for kind, _ in COMMANDS} == {"read", "verify", "work", "code"}
    assert sum(kind in {"read", "verify"} for kind, _ in COMMANDS) >= 530


@pytest.mark.parametrize("command", [command for _, command in COMMANDS])
def test_each_is_what_a_shell_reads(command: str) -> None:
    assert not parse(command).flawed


def test_none_is_refused_with_an_intent(project: Repository) -> None:
    assert refused(project, {"read", "verify", "work", "code"}, "INT-001") == {}


def test_nobody_is_asked_for_an_intent_in_order_to_look_or_verify(project: Repository) -> None:
    assert refused(project, {"read", "verify"}, None) == {}


def test_what_may_change_anything_is_told_that_it_needs_an_intent(project: Repository) -> None:
    found = refused(project, {"code"}, None)
    assert list(found) == [command for kind, command in COMMANDS if kind == "code"]
    assert set(found.values()) == {GateCode.CHECKOUT_REQUIRED}
