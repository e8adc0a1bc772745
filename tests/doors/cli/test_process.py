"""The console program as a shell starts it: pipes, terminals, what it loads."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from intent_lsp.core.paths import INTENTS_FILE
from tests.support.ledgers import edit, ledger_at

SCRIPT = str(Path(sys.executable).parent / "intent-lsp")
HEAVY = ("lsprotocol", "pygls", "pygit2", "rich", "asyncio", "cattrs", "jinja2")

pytestmark = pytest.mark.e2e


def loaded_by(*words: str) -> set[str]:
    program = (
        "import json, os, sys\n"
        "from intent_lsp.__main__ import main\n"
        f"status = main({list(words)!r})\n"
        "sys.stderr.write(json.dumps([status, sorted(sys.modules)]))\n"
    )
    # What counts the lines of tests loads modules of its own.
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    status, loaded = json.loads(done.stderr.splitlines()[-1])
    assert status == 0
    return set(loaded)


@pytest.mark.parametrize(
    "words",
    [("--help",), ("trace", "--help"), ("help", "intents")],
)
def test_listing_commands_loads_next_to_nothing(words: tuple[str, ...]) -> None:
    assert loaded_by(*words) & {*HEAVY, "yaml", "sqlite3", "msgspec", "cryptography"} == set()


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "list", "--help"),
        ("trace", "report", "--help"),
        ("intents", "add", "-h"),
        ("help", "explain"),
    ],
)
def test_the_help_of_a_command_loads_its_module_and_no_protocol(words: tuple[str, ...]) -> None:
    assert loaded_by(*words) & set(HEAVY) <= {"pygit2"}


def test_the_ledger_is_asked_without_a_protocol(root: Path) -> None:
    ledger = ledger_at(root)
    ledger.append(edit())
    ledger.close()
    for words in (("trace", "list"), ("trace", "list", "--json")):
        assert loaded_by(*words) & set(HEAVY) == set()
    # What a commit holds is an anchor.
    assert loaded_by("trace", "verify") & set(HEAVY) <= {"pygit2"}


def test_governance_is_asked_without_a_protocol(root: Path) -> None:
    assert root.is_dir()
    for words in (("intents", "list"), ("explain", "src/a.py", "--intent", "INT-001")):
        assert loaded_by(*words) & set(HEAVY) <= {"pygit2"}


def test_a_reader_that_has_seen_enough_is_no_reason_to_complain(root: Path) -> None:
    ledger = ledger_at(root)
    for _ in range(500):
        ledger.append(edit("x" * 200))
    ledger.close()
    child = subprocess.Popen(
        [SCRIPT, "trace", "list", "--json", "--limit", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.readline().startswith(b'{"id"')
    child.stdout.close()
    assert child.communicate()[1] == b""
    assert child.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_one_line(root: Path) -> None:
    assert (root / INTENTS_FILE).is_file()
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [SCRIPT, "trace", "verify"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, "intent-lsp: No space left on device\n")


def test_a_terminal_gets_a_table_in_colour(root: Path) -> None:
    ledger = ledger_at(root)
    record = ledger.append(edit())
    ledger.close()
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    child = subprocess.Popen(
        [SCRIPT, "trace", "list"],
        env=environment | {"COLUMNS": "120", "TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    assert child.wait() == 0
    text = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "\x1b[32mPASS" in text
    assert record.id[:8] in text


@contextmanager
def as_at_a_terminal() -> Iterator[None]:
    """Start a child that hears interrupts, although tests in the background ignore them."""
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, ours)


def test_ctrl_c_at_a_terminal_ends_the_server_without_a_word(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with as_at_a_terminal():
        child = subprocess.Popen(
            [SCRIPT], cwd=tmp_path, stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
    os.close(theirs)
    assert child.stderr is not None
    assert b"waits for an editor" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    assert child.communicate()[1] == b""
    assert child.returncode in {1, 130}
    os.close(ours)
    assert list(tmp_path.iterdir()) == []


def test_an_end_of_input_ends_the_server(tmp_path: Path) -> None:
    done = subprocess.run(
        [SCRIPT, "--stdio"], cwd=tmp_path, input=b"", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
