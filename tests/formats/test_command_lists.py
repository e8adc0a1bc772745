"""The command lists: their entries are checked, and an error names its place."""

import re
from pathlib import Path

import pytest

from intent_lsp.core.commands.rows import EVERY, Operands, ProgramRow, RowKind, Runs, Style
from intent_lsp.formats.command_lists import read_command_lists
from intent_lsp.store.packaged_files import command_lists

ROOM = Path(__file__).parents[2] / "intent_lsp" / "commands"
LISTS = command_lists()
ROWS = [(name, row) for name, rows in LISTS.rows.items() for row in rows]


def lists(text: str, kind: RowKind = RowKind.READS) -> dict[str, tuple[ProgramRow, ...]]:
    return dict(read_command_lists({"ours.toml": (kind, text)}).rows)


def test_a_row_is_read_for_each_of_its_names() -> None:
    text = '[[row]]\nnames = "rm unlink"\noperands = "all"\neffect = "delete"\nvalues = "-a -b"\n'
    found = lists(text, RowKind.WRITES)
    assert found.keys() == {"rm", "unlink"}
    (row,) = found["rm"]
    assert (row.kind, row.operands, row.values) == (
        RowKind.WRITES,
        Operands.ALL,
        frozenset({"-a", "-b"}),
    )


def test_a_subcommand_stands_behind_each_of_its_programs() -> None:
    found = lists('[[row]]\nof = "npm, yarn"\nnames = "ls view"\nplain = "*"\n')
    assert found.keys() == {"npm ls", "npm view", "yarn ls", "yarn view"}
    assert {row.plain for (row,) in found.values()} == {frozenset({EVERY})}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[row]\n", "ours.toml: "),
        ("[[row]]\nnames = 'x'\nplane = '-a'\n", "'plane' is not a known key; the keys are "),
        ("[[row]]\nnames = 'x'\nplain = ['-a']\n", "the row of x: ['-a'] is not text"),
        ("[[row]]\nnames = 'x'\noperands = 'some'\n", "the row of x: Invalid enum value 'some'"),
        ("[[row]]\nnames = 'x'\nscript = '('\n", "the row of x: "),
        ("[[row]]\nnames = 'x'\nkind = 'runs'\n", "'kind' is not a known key"),
        ("colours = 'red'\n", "'colours' is not a known key"),
        ("[[row]]\nplain = '-a'\n", "a row without names"),
        ("[[row]]\nnames = 'x'\nbare = 'yes'\n", "the row of x: Expected `bool`, got `str`"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=r"^ours\.toml: ") as problem:
        lists(text)
    assert told in str(problem.value)


def test_every_list_of_the_package_is_read() -> None:
    names = {"reading.toml", "git.toml", "verifying.toml", "writing.toml", "running.toml"}
    names.add("tools.toml")
    assert {path.name for path in ROOM.glob("*.toml")} == names
    assert {row.kind for _, row in ROWS} == set(RowKind)


def test_no_row_says_what_has_no_effect() -> None:
    for name, row in ROWS:
        keeps_its_word(name, row)


def keeps_its_word(name: str, row: ProgramRow) -> None:
    assert name == " ".join(name.split())
    options = row.values | row.attached | row.writes | row.enters | row.texts | row.unless
    if row.style is not Style.KEYED:
        assert {option[0] for option in options} <= {"-", "+"}, name
    assert not (row.plain and row.kind is RowKind.WRITES), name
    # What an exempt call may not have, no row can allow it.
    assert not (row.plain or frozenset()) & (row.writes | row.unless | row.enters), name
    assert (row.runs is Runs.SEARCH) == bool(row.starts), name
    assert row.kind is RowKind.RUNS or row.runs is Runs.WORDS, name
    assert row.kind is not RowKind.WRITES or row.operands or row.writes or row.more or row.touches
    if row.script:
        assert re.compile(row.script)


def test_the_first_row_that_fits_every_call_is_the_last_of_its_name() -> None:
    """One that stands behind it would never be asked."""
    for name, rows in LISTS.rows.items():
        for row in rows[:-1]:
            fits_all = not (
                row.needs
                or row.unless
                or row.bare
                or row.first
                or row.script
                or row.tasks != "none"
            )
            needs_operands = row.operands is Operands.SECOND or row.kind is RowKind.RUNS
            assert not fits_all or needs_operands, name
