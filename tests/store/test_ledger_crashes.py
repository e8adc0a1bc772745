"""Processes killed in the middle of their work on the ledger, and disks that are in the way."""

import subprocess
import sys
from pathlib import Path

import pytest

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.governance.ledger.recovery import Recovered, recovering
from intent_lsp.store.ledger.journal import Journal
from intent_lsp.store.ledger.ledger import Ledger, Queued
from tests.support.fault_injection import fill, read_only, small_disk
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines

KILLED = """
import os, pathlib, signal, sys
from pathlib import Path
from intent_lsp.store.ledger.journal import Journal
from tests.support.ledgers import edit, ledger_at

ROOT = Path(sys.argv[1])

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def half(write):
    def written(fd, data):
        if b"killed" not in data:
            return write(fd, data)
        write(fd, data[: len(data) // 2])
        die()
    return written

def before_the_journal():
    Journal.note = die
    ledger_at(ROOT).append(edit("killed"))

def in_the_journal_line():
    note, write = Journal.note, os.write

    def noted(journal, lines):
        os.write = half(write)
        note(journal, lines)

    Journal.note = noted
    ledger_at(ROOT).append(edit("killed"))

def while_the_journal_is_shortened():
    pathlib.Path.replace = die
    committed = (ROOT / "committed").read_bytes().splitlines(True)
    Journal(ROOT / ".orchestration/.local").forget(committed)

def before_what_is_recovered_is_synced():
    from intent_lsp.store.ledger.raw.file import LedgerFile
    LedgerFile.sync = die
    recover()

def before_what_waits_is_drained():
    from intent_lsp.store.ledger.ledger import Ledger
    Ledger.drain = die
    recover()

def recover():
    from intent_lsp.governance.ledger.recovery import recovering
    with recovering(ROOT) as recovery:
        recovery.recover(recovery.lost())

globals()[sys.argv[2]]()
"""


def killed(root: Path, instant: str) -> None:
    child = subprocess.run([sys.executable, "-c", KILLED, root, instant], check=False)
    assert child.returncode == -9


def journalled(root: Path) -> list[bytes]:
    return list(Journal(root / LOCAL_ROOM).lines())


@pytest.mark.parametrize("instant", ["before_the_journal", "in_the_journal_line"])
def test_a_kill_between_ledger_and_journal_loses_nothing_of_the_ledger(
    tmp_path: Path, instant: str
) -> None:
    ledger = ledger_at(tmp_path)
    ledger.append(edit("before"))
    killed(tmp_path, instant)
    lines = lines_of(tmp_path)
    assert len(lines) == 2
    assert journalled(tmp_path) == lines[:1]
    ledger.append(edit("after"))
    assert (ledger.verify().ok, ledger.verify().records) == (True, 3)
    assert journalled(tmp_path) in (
        [lines[0], lines_of(tmp_path)[2]],
        [lines[0], journalled(tmp_path)[1], lines_of(tmp_path)[2]],
    )
    with recovering(tmp_path) as governance:
        assert governance.lost().lost == ()


def test_a_kill_while_the_journal_is_shortened_leaves_it_whole(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    for name in "abc":
        ledger.append(edit(name))
    lines = lines_of(tmp_path)
    (tmp_path / "committed").write_bytes(b"".join(lines[:2]))
    killed(tmp_path, "while_the_journal_is_shortened")
    assert journalled(tmp_path) == lines
    assert Journal(tmp_path / LOCAL_ROOM).forget(lines[:2]) == 2
    assert journalled(tmp_path) == lines[2:]


@pytest.mark.parametrize(
    ("instant", "gone"),
    [
        ("before_what_is_recovered_is_synced", 1),
        ("before_what_waits_is_drained", 0),
    ],
)
def test_a_kill_while_records_are_recovered_is_made_good_by_the_next_try(
    tmp_path: Path, instant: str, gone: int
) -> None:
    ledger = ledger_at(tmp_path)
    made = [ledger.append(edit(name)) for name in "abcd"]
    lines = lines_of(tmp_path)
    # The second is nowhere any more: what follows it cannot stand as it stood.
    put_lines(tmp_path, lines[:1])
    Journal(tmp_path / LOCAL_ROOM).forget(lines[1:2] if gone == 0 else [])
    killed(tmp_path, instant)
    with recovering(tmp_path) as governance:
        governance.recover(governance.lost())
        assert governance.lost().lost == ()
    ledger.append(edit("after"))
    found = ledger.verify()
    assert (found.ok, found.problems) == (True, ())
    ids = [record.id for record in made[:1] + made[1 if gone else 2 :]]
    assert all(ledger.index.find(each) is not None for each in ids)
    assert found.records == len(ids) + 1


def appended_until_refused(ledger: Ledger) -> int:
    for appended in range(100):
        try:
            ledger.append(edit("full"))
        except LedgerUnavailableError:
            return appended
    pytest.fail("the disk took everything")


def test_a_full_disk_takes_no_half_of_anything(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as root:
        ledger = ledger_at(root)
        ledger.append(edit("before"))
        ballast = fill(root)
        # The last block of the ledger's file has room for some.
        answered = 1 + appended_until_refused(ledger)
        assert (ledger.verify().ok, ledger.verify().records) == (True, answered)
        assert all(line.startswith(b"{") for line in journalled(root))
        ballast.unlink()
        ledger.append(edit("after"))
        found = ledger.verify()
        assert (found.ok, found.problems, found.records) == (True, (), answered + 1)
        assert lines_of(root)[-1] in journalled(root)
        with recovering(root) as governance:
            assert governance.lost().lost == ()
        ledger.close()


def test_a_read_only_disk_is_told_and_is_writable_again(tmp_path: Path) -> None:
    (tmp_path / ".orchestration").mkdir()
    ledger = ledger_at(tmp_path)
    ledger.append(edit("before"))
    with read_only(tmp_path / LEDGER_FILE):
        ledger.close()
        outcome = ledger.append_or_queue(edit("waits"))
        assert isinstance(outcome, Queued)
        assert "Read-only file system" in outcome.reason
        assert ledger.verify().records == 1
    with recovering(tmp_path) as governance:
        assert governance.recover(governance.lost()) == Recovered(as_they_were=0, anew=1)
    assert (ledger.verify().ok, ledger.verify().records) == (True, 2)


def test_a_journal_on_a_read_only_disk_stops_no_append(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    ledger.append(edit("before"))
    with read_only(tmp_path / LOCAL_ROOM / "journal.jsonl"):
        ledger.append(edit("unmirrored"))
    ledger.append(edit("after"))
    assert ledger.verify().records == 3
    lines = lines_of(tmp_path)
    assert journalled(tmp_path) == [lines[0], lines[2]]
