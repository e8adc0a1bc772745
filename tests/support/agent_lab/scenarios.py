"""What is recorded of each host: scripts for its model, and which of the payloads are kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.support.agent_lab.host import Tools
from tests.support.agent_lab.model import Script
from tests.support.agent_lab.wire import Call

FILES = {"notes.txt": "alpha\nbeta\ngamma\n", "old.txt": "old\n"}
"""The work tree before each run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A script, and the texts of which a kept payload has one (none: every payload is kept).

    `resumed`: another run goes on with the session of the first, and only its payloads are kept.
    `cleared`: the person empties the conversation before the prompt.
    """

    name: str
    main: Callable[[Tools], Script]
    sub: Callable[[Tools], Script] = lambda _: ()
    keep: Sequence[str] = ()
    resumed: bool = False
    cleared: bool = False
    mcp: bool = False


def _edit(tools: Tools) -> Call:
    return tools.edit("notes.txt", "beta", "BETA")


def _create(tools: Tools) -> Call:
    return tools.create("new.txt", "made\n")


def _shell(tools: Tools) -> Call:
    return tools.run("echo x >> out.txt")


def _read(tools: Tools) -> Call:
    return tools.read("notes.txt")


def _part(tools: Tools) -> Call:
    return tools.part("notes.txt", 2, 1)


SCENARIOS = (
    Scenario(name="session", main=lambda tools: [[_read(tools)]]),
    Scenario(name="resume", main=lambda tools: [[_read(tools)]], resumed=True),
    Scenario(name="clear", main=lambda tools: [[_read(tools)]], cleared=True),
    Scenario(name="read", main=lambda tools: [[_read(tools)]], keep=["notes.txt"]),
    Scenario(name="read_part", main=lambda tools: [[_part(tools)]], keep=["notes.txt"]),
    # Some hosts refuse an edit of a file that was not read before.
    Scenario(name="edit", main=lambda t: [[_read(t)], [_edit(t)]], keep=["BETA", "file.edited"]),
    Scenario(name="create", main=lambda tools: [[_create(tools)]], keep=["new.txt"]),
    Scenario(
        name="overwrite",
        main=lambda t: [[_read(t)], [t.create("notes.txt", "all new\n")]],
        keep=["all new"],
    ),
    Scenario(name="command", main=lambda tools: [[_shell(tools)]], keep=["out.txt", "shell.env"]),
    Scenario(
        name="failing_edit",
        main=lambda tools: [[_read(tools)], [tools.edit("notes.txt", "no such text", "BETA")]],
        keep=["no such text"],
    ),
    Scenario(
        name="failing_command",
        main=lambda tools: [[tools.run("echo before; exit 3")]],
        keep=["exit 3"],
    ),
    Scenario(
        name="three_calls",
        main=lambda tools: [[_read(tools)], [_edit(tools), _create(tools), _shell(tools)]],
        keep=["BETA", "new.txt", "out.txt"],
    ),
    Scenario(
        name="mcp",
        main=lambda tools: [[tools.mcp("lab", "echo", {"text": "hello"})]],
        keep=["hello"],
        mcp=True,
    ),
    Scenario(
        name="subagent",
        main=lambda tools: [[call] for call in tools.spawn],
        sub=lambda tools: [[_read(tools)], [_edit(tools)]],
    ),
)
