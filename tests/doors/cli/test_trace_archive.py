"""`intent-lsp trace archive`: what was moved where, and what prevents it."""

from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, LedgerFiles
from tests.doors.cli.conftest import Shell
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines


@pytest.fixture
def lines(root: Path) -> list[bytes]:
    """Give the lines of a ledger of five records, a second apart."""
    ledger = ledger_at(root)
    for number in range(5):
        ledger.append(edit(f"{number}"))
    ledger.close()
    return lines_of(root)


@pytest.mark.parametrize(
    ("words", "moved"),
    [("--keep 2", 3), ("--keep 4", 1), ("--before 2026-11-21T20:27:36.123Z", 3)],
)
def test_the_oldest_records_are_moved_and_still_told(
    shell: Shell, root: Path, lines: list[bytes], words: str, moved: int
) -> None:
    said = shell("trace", "archive", *words.split())
    (archive, _) = LedgerFiles(root).names()
    counted = "1 record" if moved == 1 else f"{moved} records"
    left = f"the main ledger file keeps {5 - moved} records"
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [f"{counted} moved to {archive}", left]
    assert lines_of(root) == lines[moved:]
    assert len(shell("trace", "list", "--json").out.splitlines()) == 5
    assert shell("trace", "verify").status == 0


def test_nothing_to_move_is_said(shell: Shell, root: Path, lines: list[bytes]) -> None:
    said = shell("trace", "archive", "--keep", "9")
    assert (said.status, said.out) == (
        0,
        "nothing was moved: the main ledger file keeps its 5 records\n",
    )
    assert lines_of(root) == lines


def test_an_archiving_that_was_stopped_is_ended(
    shell: Shell, root: Path, lines: list[bytes]
) -> None:
    shell("trace", "archive", "--keep", "2")
    put_lines(root, lines)
    said = shell("trace", "archive", "--keep", "2", "--json")
    repeated = sum(map(len, lines[:3]))
    assert said.json == {"file": None, "records": 0, "left": 2, "repeatedBytes": repeated}
    put_lines(root, lines)
    assert (
        "duplicates left by an interrupted archiving were removed"
        in shell("trace", "archive", "--keep", "2").out
    )
    assert lines_of(root) == lines[3:]


def test_the_answer_as_json_names_the_file(shell: Shell, root: Path, lines: list[bytes]) -> None:
    told = shell("trace", "archive", "--keep", "1", "--json").json
    assert (root / told.pop("file")).read_bytes() == b"".join(lines[:4])
    assert told == {"records": 4, "left": 1, "repeatedBytes": 0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "--before --keep"),
        ("--keep 1 --before 2w", "not allowed with"),
        ("--keep -1", "-1"),
        ("--keep some", "'some' is not a number of records"),
        ("--before sometime", "sometime is not a date or time"),
    ],
    ids=["neither", "both", "negative", "no number", "not a date or time"],
)
def test_what_cannot_be_obeyed_moves_nothing(
    shell: Shell, root: Path, lines: list[bytes], words: str, said: str
) -> None:
    found = shell("trace", "archive", *words.split())
    assert found.status == 2
    assert said in found.err
    assert lines_of(root) == lines


def test_a_ledger_that_does_not_verify_is_left_as_it_is(
    shell: Shell, root: Path, lines: list[bytes]
) -> None:
    changed = [lines[0], lines[1].replace(b'"1"', b'"9"'), *lines[2:]]
    put_lines(root, changed)
    found = shell("trace", "archive", "--keep", "1")
    assert found.status == 2
    assert "BAD_HASH" in found.err
    assert "intent-lsp trace verify" in found.err
    assert lines_of(root) == changed
    assert list((root / ARCHIVE_ROOM).iterdir()) == []


def test_the_index_is_read_anew_at_once(shell: Shell, root: Path, lines: list[bytes]) -> None:
    assert lines
    shell("trace", "archive", "--keep", "1")
    before = (root / LOCAL_ROOM / "index.sqlite3").stat().st_mtime_ns
    shell("trace", "list")
    assert (root / LOCAL_ROOM / "index.sqlite3").stat().st_mtime_ns == before
    assert (root / LEDGER_FILE).exists()
