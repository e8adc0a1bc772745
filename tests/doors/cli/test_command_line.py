"""Command lines: what is found, what is refused, and in how many words."""

import shlex
import sys

import pytest

from intent_lsp.__main__ import PRODUCT_LINE
from intent_lsp.doors.cli import main
from intent_lsp.doors.cli.command import OtherDoors
from intent_lsp.doors.cli.main import COMMANDS
from intent_lsp.doors.hook.hook import run_hook
from intent_lsp.formats.endpoint import Endpoint, ListenAddress
from tests.doors.cli.conftest import Shell, Terminal

PATH = "t"
HTTP = ListenAddress(scheme="http", endpoint=Endpoint("127.0.0.1", 0), token_file=PATH)


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("help",), ("--help", "trace")])
def test_help_begins_with_the_product_and_names_every_command(
    shell: Shell, words: tuple[str, ...]
) -> None:
    said = shell(*words)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(PRODUCT_LINE + "\n")
    for command in COMMANDS:
        assert f"  {command.name} " in said.out
    assert "--version" in said.out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_says_what_it_is_for_and_gives_examples_that_are_obeyed(
    shell: Shell, command: object
) -> None:
    (entry,) = [each for each in COMMANDS if each is command]
    found = entry.load()
    assert found.name == entry.name
    said = shell(*found.name.split(), "--help")
    assert said.status == 0
    assert found.about in said.out
    assert said.out == shell("help", *found.name.split()).out
    for example in found.examples:
        assert example in said.out
        ours = next((part for part in example.split(" | ") if part.startswith("intent-lsp ")), "")
        words = shlex.split(ours.split(" 2>")[0])[1:]
        words = words[len(found.name.split()) :] if words else []
        found.read(words)


def test_a_family_has_a_page_and_needs_a_command(shell: Shell) -> None:
    assert "trace verify" in shell("trace", "--help").out
    lines = ", ".join(each.line for each in COMMANDS if each.name.startswith("trace "))
    problem = f"intent-lsp: intent-lsp trace needs a command; one of: {lines}\n"
    assert shell("trace").problem == problem


@pytest.mark.parametrize("words", [("--version",), ("-V",), ("--version", "trace")])
def test_the_version_is_the_product_line(shell: Shell, words: tuple[str, ...]) -> None:
    assert shell(*words).out == PRODUCT_LINE + "\n"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("trce", "did you mean `intent-lsp trace`?"),
        ("inti", "did you mean `intent-lsp init`?"),
        ("verify", "did you mean `intent-lsp trace verify`?"),
        ("trace verfiy", "did you mean `intent-lsp trace verify`?"),
        ("trace xyz", "trace xyz is not a command; see `intent-lsp --help`"),
        ("xyz", "xyz is not a command; see `intent-lsp --help`"),
        ("trace list --jsn", "unknown option or argument --jsn; did you mean --json?"),
        (
            "trace list --zzz",
            "unknown option or argument --zzz; see `intent-lsp trace list --help`",
        ),
        ("trace list surplus", "unknown option or argument surplus"),
        ("trace list --limit x", "'x' is not a number of records"),
        ("trace list --limit -1", "'-1' is not a number of records"),
        ("trace show", "the following arguments are required: ID"),
        ("serve --log-level loud", "invalid choice: 'loud'"),
        ("--log-levl debug", "did you mean --log-level?"),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_to_do(shell: Shell, typed: str, meant: str) -> None:
    assert meant in shell(*typed.split()).problem


def test_what_was_typed_cannot_move_the_cursor(shell: Shell) -> None:
    assert "\\x1b[2Jx\\n is not a command" in shell("\x1b[2Jx\n").problem


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ((), "warning"),
        (("serve",), "warning"),
        (("--stdio",), "warning"),
        (("--log-level", "debug"), "debug"),
        (("serve", "--log-level=info", "--stdio"), "info"),
    ],
)
def test_the_server_is_what_is_started_unless_something_else_is_said(
    shell: Shell, words: tuple[str, ...], level: str
) -> None:
    served: list[str] = []
    said = shell(*words, served=served)
    assert (said.status, said.out, said.err, served) == (0, "", "", [level])


def test_a_person_who_starts_the_server_is_told_what_it_waits_for(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    said = shell()
    assert (said.status, said.out) == (0, "")
    assert "waits for an editor" in said.err
    assert "intent-lsp --help" in said.err


def test_closed_standard_streams_are_no_obstacle(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    served: list[str] = []
    assert shell(served=served).status == 0
    assert served == ["warning"]
    assert shell("--help").status == 0
    assert shell("nonsense").status == 2


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (OSError(28, "No space left on device"), 2, "intent-lsp: No space left on device\n"),
        (
            PermissionError(13, "Permission denied", "/x"),
            2,
            "intent-lsp: /x: Permission denied\n",
        ),
        (OSError("odd"), 2, "intent-lsp: odd\n"),
    ],
)
def test_the_end_of_a_command_is_quiet_or_one_line(
    capsys: pytest.CaptureFixture[str], error: BaseException, status: int, told: str
) -> None:
    def serve(*_: object) -> int:
        raise error

    assert (
        main.run([], product_line="", doors=OtherDoors(serve=serve, serve_mcp=serve, hook=run_hook))
        == status
    )
    assert capsys.readouterr() == ("", told)


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (
            ("--tcp", "[::1]:2087"),
            ListenAddress(scheme="tcp", endpoint=Endpoint("::1", 2087)),
        ),
        (
            ("--ws", ":0", "--token-file", "t", "--allow-origin", "HTTPS://a.example"),
            ListenAddress(
                scheme="ws",
                endpoint=Endpoint("127.0.0.1", 0),
                token_file=PATH,
                origins=frozenset({"https://a.example"}),
            ),
        ),
    ],
)
def test_serve_listens_where_it_is_told_to(words: tuple[str, ...], given: object) -> None:
    called: list[object] = []

    def serve(*given: object) -> int:
        called.append(given)
        return 0

    assert (
        main.run(
            ["serve", *words],
            product_line="",
            doors=OtherDoors(serve=serve, serve_mcp=serve, hook=run_hook),
        )
        == 0
    )
    assert called == [("warning", given)]


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ((), (None, None)),
        (("-C", "."), (".", None)),
        (("--http", ":0", "--token-file", "t"), (None, HTTP)),
    ],
)
def test_mcp_serves_what_it_is_asked_for(
    words: tuple[str, ...], given: tuple[object, object]
) -> None:
    called: list[object] = []

    def serve(*given: object) -> int:
        called.append(given)
        return 0

    doors = OtherDoors(serve=serve, serve_mcp=serve, hook=run_hook)
    line = ["mcp", "--log-level", "info", *words]
    assert main.run(line, product_line="", doors=doors) == 0
    assert called == [("info", *given)]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--http", "nowhere"), "'nowhere' is not HOST:PORT"),
        (("--http", ":0"), "--http needs a token"),
        (("--token-file", "t"), "--token-file needs --http; see `intent-lsp mcp --help`"),
        (("--root", "nowhere"), "nowhere is not a directory; give one that exists"),
        (("--http", ":0", "--token-file", "t", "x"), "unknown option or argument x"),
    ],
)
def test_what_mcp_cannot_serve_is_refused(
    shell: Shell, words: tuple[str, ...], problem: str
) -> None:
    assert problem in shell("mcp", *words).problem


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--tcp", "nowhere"), "'nowhere' is not HOST:PORT"),
        (("--stdio", "--tcp", ":0"), "not allowed with argument"),
        (("--token-file", "t"), "--token-file needs --tcp or --ws"),
        (("--tcp", ":0", "--allow-origin", "https://a.example"), "--allow-origin needs --ws"),
        (("--ws", ":0", "--allow-origin", "null"), "'null' is not an origin"),
    ],
)
def test_serve_refuses_what_protects_nobody(
    shell: Shell, words: tuple[str, ...], problem: str
) -> None:
    assert problem in shell("serve", *words).problem
