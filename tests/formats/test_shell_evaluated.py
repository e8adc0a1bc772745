"""What a shell runs though it looks like plain text is never believed to be harmless."""

import shutil
import subprocess
from pathlib import Path

import pytest

from intent_lsp.core.commands import CommandKind
from intent_lsp.formats.shell import read_command
from intent_lsp.formats.shell_numbers import holds_a_number
from intent_lsp.formats.shell_syntax import parse
from intent_lsp.formats.syntax_node import Node

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash here")

TABLE = Path(__file__).parent / "data" / "commands.txt"
SECTION = "# What a shell evaluates."
# Older shells refuse these, or run them only for a person at a terminal.
NEEDS_MORE = (
    "mapfile 'a",
    "export 'a",
    "readonly 'a",
    "local 'a",
    "unset 'a",
    "read -a",
    "getopts",
    "wait -n",
)
DESTROYING = [
    row[3].replace("⏎", "\n")
    for line in TABLE.read_text("utf-8").partition(SECTION)[2].partition("\n\n")[0].splitlines()
    if (row := line.split(" | ", 3))[0].startswith("destructive")
    and "rm f" in row[3]
    and not row[3].startswith((*NEEDS_MORE, "select", "PROMPT_COMMAND"))
]


@needs_bash
@pytest.mark.parametrize("command", DESTROYING)
def test_the_row_tells_the_truth_of_what_bash_runs(command: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("kept", "utf-8")
    (tmp_path / "home").mkdir()
    subprocess.run(
        [str(BASH), "--norc", "-c", command],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert not (tmp_path / "f").exists()
    assert read_command(command).kind is CommandKind.DESTRUCTIVE


def test_enough_rows_are_run() -> None:
    assert len(DESTROYING) > 35


def value(text: str) -> Node:
    root = parse(f"x={text}").root
    assert root is not None
    (assignment,) = root.named_children
    (node,) = assignment.children_by_field_name("value")
    return node


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", True),
        ("-12", True),
        ('"0"', True),
        ("''", True),
        ("$?", True),
        ("${#a[@]}", True),
        ("$((y))", True),
        ("(1 2)", True),
        ("$(nproc)", True),
        ("$(seq 1 -3)", True),
        ("$(seq $x)", False),
        ("$(date +%s)", True),
        ("$(date +%N)", False),
        ("$(ls | wc -l)", True),
        ("$(wc -lw < f)", True),
        ("$(wc -l f)", False),
        ("$(wc)", False),
        ("$(rm x)", True),
        ("$(rm -v x)", False),
        ("$(wc -l; cat f)", False),
        ("$(cat f)", False),
        ("$( (nproc) )", False),
        ("$()", False),
        ("$x", False),
        ("y", False),
        ("'1\"", False),
        ("(1 a)", False),
        ("1$x", False),
    ],
)
def test_only_what_can_be_nothing_but_a_number_is_one(text: str, *, number: bool) -> None:
    if text == "'1\"":
        # Quotes that are not closed are no text of a shell.
        assert parse(f"x={text}").flawed
    else:
        assert holds_a_number(value(text)) is number
