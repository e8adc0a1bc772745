"""An agent's shell is known by the variables that its host sets."""

from intent_lsp.doors.cli.agents.choice import AGENT_VARIABLES, agent_variable


def test_a_variable_that_is_set_shows_an_agent() -> None:
    for name in AGENT_VARIABLES:
        assert agent_variable({"PATH": "/bin", name: "1"}) == name


def test_a_shell_of_a_person_shows_none() -> None:
    mine = {"PATH": "/bin", "CLAUDECODE": "", "CLAUDE_PROJECT_DIR": "/a", "TERM_PROGRAM": "vscode"}
    assert agent_variable(mine) is None
