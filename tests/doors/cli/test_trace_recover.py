"""`intent-lsp trace recover`: what was taken out of the ledger, listed and appended again."""

from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import Record
from tests.doors.cli.conftest import Shell
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines
from tests.support.repository import Repository

JOURNAL = ".orchestration/.local/journal.jsonl"


@pytest.fixture
def lost(root: Path) -> list[Record]:
    """Give three records, of which the last two are no longer in the ledger."""
    ledger = ledger_at(root)
    made = [ledger.append(edit(name)) for name in ("a", "b", "c")]
    ledger.close()
    put_lines(root, lines_of(root)[:1])
    return made


def test_what_is_lost_is_listed_and_appended(shell: Shell, root: Path, lost: list[Record]) -> None:
    before = lines_of(root)
    said = shell("trace", "recover", "--dry-run")
    assert (said.status, said.err, lines_of(root)) == (0, "", before)
    b, c = (record.id[:8] for record in lost[1:])
    heading, *rows, verdict = said.out.splitlines()
    assert heading.split() == ["When", "Intent", "File", "Id", "From", "Place"]
    assert [row.split(maxsplit=6) for row in rows] == [
        ["2026-11-21", "20:27:34", "INT-001", "b", b, JOURNAL, "unchanged"],
        ["2026-11-21", "20:27:35", "INT-001", "c", c, JOURNAL, "unchanged"],
    ]
    assert verdict == (
        "not in the ledger: 2 records; run without --dry-run to append what is missing"
    )
    said = shell("trace", "recover")
    assert said.out.endswith("2 records appended: 2 unchanged, 0 with new hashes\n")
    assert len(lines_of(root)) == 3
    assert shell("trace", "verify").status == 0
    said = shell("trace", "recover")
    assert said.out.startswith("no record is missing: ")
    assert len(lines_of(root)) == 3


def test_the_same_as_json(shell: Shell, root: Path, lost: list[Record]) -> None:
    told = shell("trace", "recover", "--json").json
    assert told["lost"][0] == {
        "id": lost[1].id,
        "timestamp": lost[1].timestamp,
        "paths": ["b"],
        "source": JOURNAL,
        "asItWas": True,
    }
    assert (told["asTheyWere"], told["anew"], told["unreadable"]) == (2, 0, [])
    assert shell("trace", "recover", "--json").json["lost"] == []
    assert len(lines_of(root)) == 3


def test_what_cannot_be_read_is_named(shell: Shell, root: Path, lost: list[Record]) -> None:
    torn = root / LOCAL_ROOM / "torn"
    torn.mkdir()
    for number in range(7):
        (torn / f"{number}.part").write_bytes(b"{")
    said = shell("trace", "recover")
    assert said.err.count("skipped: the line is not JSON") == 5
    assert said.err.endswith("… skipped as well: 2 more lines or files that cannot be read\n")
    assert len(lines_of(root)) == len(lost)


def test_a_ledger_that_git_has_and_that_is_missing_comes_first(
    shell: Shell, project: Repository
) -> None:
    ledger_at(project.root).append(edit())
    project.commit()
    (project.root / LEDGER_FILE).unlink()
    problem = shell("trace", "recover").problem
    assert (
        "the file is missing, but the checked-out commit has it; run `git checkout HEAD --"
        in problem
    )


def test_what_cannot_stand_where_it_stood_is_appended_anew_and_what_it_followed_is_missed(
    shell: Shell, root: Path, lost: list[Record]
) -> None:
    journal = root / JOURNAL
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[-1])
    said = shell("trace", "recover")
    assert said.out.splitlines()[1].endswith(f"{JOURNAL}  with a new hash")
    assert said.out.endswith("1 record appended: 0 unchanged, 1 with new hashes\n")
    assert lost[2].id.encode() in lines_of(root)[-1]
    said = shell("trace", "verify")
    assert said.status == 1
    assert "TRUNCATED" in said.out
    old, gone = lost[2].integrity.record_hash, lost[1].integrity.record_hash
    assert (old in said.out, gone in said.out) == (False, True)
