"""`intent-lsp trace merge`: for git silent, by hand with a word of what was done."""

from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from tests.doors.cli.conftest import Shell
from tests.support.ledgers import lines_of, put_lines, two_branches

LEFT_OUT = (
    "the line was left out of the merged ledger, since it is not a whole record or only the merge"
    " base has it"
)


@pytest.fixture
def sides(root: Path) -> tuple[list[bytes], list[bytes]]:
    """Give two branches of a ledger, and their files: `base`, `ours` and `theirs`."""
    base, ours, theirs = two_branches(root)
    for name, lines in (("base", base), ("ours", ours), ("theirs", theirs)):
        (root / name).write_bytes(b"".join(lines))
    return ours, theirs


def test_as_git_calls_it_ours_becomes_the_union_without_a_word(
    shell: Shell, root: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    said = shell("trace", "merge", "base", "ours", "theirs")
    assert (said.status, said.out, said.err) == (0, "", "")
    assert (root / "ours").read_bytes() == b"".join([*ours, theirs[1]])
    assert (root / "theirs").read_bytes() == b"".join(theirs)


def test_the_union_can_be_written_elsewhere_and_told_as_json(
    shell: Shell, root: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    (root / "theirs").write_bytes(b"".join([*theirs, b"nonsense\n", b"torn"]))
    said = shell("trace", "merge", "base", "ours", "theirs", "--output", "all", "--json")
    assert (root / "ours").read_bytes() == b"".join(ours)
    assert (root / "all").read_bytes() == b"".join([*ours, theirs[1], b"nonsense\n"])
    told = said.json
    (aside,) = told.pop("aside")
    assert Path(aside.pop("kept")).read_bytes() == b"torn"
    assert aside == {"file": "theirs", "line": 4, "text": "torn"}
    (odd,) = told.pop("odd")
    assert (odd["file"], odd["line"]) == ("theirs", 3)
    assert told == {"output": "all", "lines": 4, "conflicts": 0}
    assert "theirs:3: the line was kept, though the line is not JSON" in said.err
    assert f"theirs:4: {LEFT_OUT}; it is saved in " in said.err


def test_a_torn_line_that_nobody_can_keep_is_shown(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("base", b""), ("ours", b"\xff\x1b[2J" + b"x" * 500), ("theirs", b"")):
        (tmp_path / name).write_bytes(text)
    said = shell("trace", "merge", "base", "ours", "theirs")
    assert said.status == 0
    assert said.err.startswith(f"intent-lsp: ours:1: {LEFT_OUT}: \\xff")
    assert "\x1b" not in said.err
    assert said.err.endswith("x…\n")


def test_many_odd_lines_are_not_all_told(
    shell: Shell, root: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, _ = sides
    (root / "ours").write_bytes(b"".join([*ours, *(b"%d\n" % number for number in range(9))]))
    said = shell("trace", "merge", "base", "ours", "theirs")
    assert said.err.count("kept, though") == 5
    assert said.err.endswith("… and 4 more such lines; `intent-lsp trace verify` checks them all\n")


def test_a_conflict_is_resolved_and_what_comes_next_is_said(
    shell: Shell, root: Path, sides: tuple[list[bytes], list[bytes]]
) -> None:
    ours, theirs = sides
    marks = [b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> topic\n"]
    put_lines(root, [ours[0], marks[0], ours[1], marks[1], theirs[1], marks[2]])
    said = shell("trace", "merge", "--resolve", LEDGER_FILE)
    assert (said.status, said.err) == (0, "")
    assert (
        said.out
        == f"{LEDGER_FILE}: 1 conflict resolved, 3 lines; now run `git add {LEDGER_FILE}`\n"
    )
    assert lines_of(root) == [*ours, theirs[1]]
    said = shell("trace", "merge", "--resolve", LEDGER_FILE)
    assert said.out == f"{LEDGER_FILE} has no conflict markers; nothing was changed\n"
    put_lines(root, [*marks, *marks])
    assert "2 conflicts resolved, 0 lines" in shell("trace", "merge", "--resolve", LEDGER_FILE).out
    put_lines(root, marks[:1])
    problem = shell("trace", "merge", "--resolve", LEDGER_FILE).problem
    assert (
        f"{LEDGER_FILE}:1: the conflict that begins here has no end marker; run `git checkout"
        in problem
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "three files are needed: BASE OURS THEIRS; or --resolve FILE"),
        ("base ours", "three files are needed"),
        ("base ours missing", "missing: there is no such file"),
        ("base missing theirs", "missing: there is no such file"),
        ("base ours .", ".: it is not a regular file"),
        ("base ours theirs --output nowhere/all", "nowhere/"),
        ("base --resolve ours", "--resolve takes one file"),
        ("--output all --resolve ours", "--resolve takes one file"),
        ("--resolve missing", "missing: there is no such file"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    shell: Shell, root: Path, sides: tuple[list[bytes], list[bytes]], words: str, problem: str
) -> None:
    assert problem in shell("trace", "merge", *words.split()).problem
    assert (root / "ours").read_bytes() == b"".join(sides[0])
