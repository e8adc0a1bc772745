"""Ranges of a file that several processes read: each once, in order, and here if they fail."""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.ledger.chain import Link
from intent_lsp.store.ledger.raw.file import Reader
from intent_lsp.store.ledger.verify.link_check import Piece
from intent_lsp.store.ledger.verify.scan import RANGE, _Found, scan_widely

RANGES = 30
STARTS = [*range(0, RANGES * RANGE, RANGE)]

SCAN = "intent_lsp.store.ledger.verify.scan"

OTHER = """
import os, signal, sys
from intent_lsp.core.ledger.chain import Link
from intent_lsp.store.ledger.verify import scan

def find(read, start, size):
    return scan._Found(None, [Link(id=str(start), session_id=str(os.getpid()))])

def main(words):
    scan._examined = find
    {doing}
"""
ANSWERS = "scan.main(words)"
ANSWERS_AT_FIRST = f"words[0] == '0' or sys.exit(1); {ANSWERS}"
SAYS_TOO_MUCH = "sys.stdout.buffer.write(bytes([0xff] * 100)); signal.pause()"
STALLS = "signal.pause()"

Doing = Callable[[str], None]
"""Has worker processes do what is said."""


@pytest.fixture(name="file")
def opened_file(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Open a file that is nothing but long."""
    with (tmp_path / "long").open("w+b") as file:
        file.truncate(RANGES * RANGE)
        yield file.fileno(), RANGES * RANGE


@pytest.fixture(name="do")
def worker_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doing:
    """Have each process tell where a range begins, and its own number."""

    def do(doing: str) -> None:
        (tmp_path / "other_process.py").write_text(OTHER.format(doing=doing))

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(f"{SCAN}.PART", 4 * RANGE)
    monkeypatch.setattr(f"{SCAN}._WORKER", "other_process")
    monkeypatch.setattr(f"{SCAN}._examined", here)
    return do


@pytest.fixture(name="started")
def started_processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    started = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return started


def here(_read: Reader, start: int, _size: int) -> _Found:
    return _Found(None, [Link(id=str(start), session_id=str(os.getpid()))])


def processes_of(found: Iterable[Piece]) -> list[tuple[int, int]]:
    """Return where each range begins, and the number of the process that examined it."""
    return [(int(piece.id), int(piece.session_id)) for piece in found if isinstance(piece, Link)]


@pytest.mark.parametrize("workers", [1, 3, 40])
def test_each_range_is_found_once_and_in_order(
    file: tuple[int, int], do: Doing, workers: int
) -> None:
    do(ANSWERS)
    done: list[int] = []
    found = processes_of(scan_widely(*file, workers, done.append))
    assert [start for start, _ in found] == STARTS
    assert os.getpid() not in {process for _, process in found}
    assert done == sorted(set(done))
    assert done[0] == 0


def test_what_others_do_not_find_is_found_here(file: tuple[int, int], do: Doing) -> None:
    do(ANSWERS_AT_FIRST)
    done: list[int] = []
    found = processes_of(scan_widely(*file, 2, done.append))
    assert [start for start, _ in found] == STARTS
    assert [process == os.getpid() for _, process in found] == [False] * 4 + [True] * (RANGES - 4)
    assert done == [0, *STARTS[4:]]


@pytest.mark.parametrize("doing", [STALLS, SAYS_TOO_MUCH])
def test_who_stalls_or_babbles_is_ended_at_once_and_for_all(
    file: tuple[int, int],
    do: Doing,
    started: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    doing: str,
) -> None:
    do(doing)
    monkeypatch.setattr(f"{SCAN}._PATIENCE_SECONDS", 1)
    found = processes_of(scan_widely(*file, 2))
    assert found == [(start, os.getpid()) for start in STARTS]
    assert [process.returncode is not None for process in started] == [True] * 2


def test_who_asks_no_further_ends_the_processes(
    file: tuple[int, int], do: Doing, started: list[subprocess.Popen[bytes]]
) -> None:
    do(ANSWERS)
    found = scan_widely(*file, 2)
    next(found)
    assert len(started) == 2
    found.close()
    # Ended, and waited for.
    assert [process.returncode is not None for process in started] == [True] * 2


def test_who_asks_no_further_leaves_no_descriptor_open(file: tuple[int, int], do: Doing) -> None:
    do(ANSWERS)
    descriptors = Path("/proc/self/fd")
    before = [*map(str, descriptors.iterdir())]
    found = scan_widely(*file, 2)
    next(found)
    found.close()
    assert [*map(str, descriptors.iterdir())] == before
