"""Ranges of a file that several processes read: each once, in order, and here if they fail."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.store.ledger.raw import pool
from intent_lsp.store.ledger.raw.file import Reader
from intent_lsp.store.ledger.raw.pool import RANGE, Job, spread

RANGES = 30
STARTS = [*range(0, RANGES * RANGE, RANGE)]

OTHER = """
import os, signal, sys
from intent_lsp.store.ledger.raw.pool import Job, answer

def find(read, start, size):
    return [start, os.getpid()]

def main(words):
    {doing}
"""
ANSWERS = "answer(Job(__name__, find, list), words)"
ANSWERS_AT_FIRST = f"words[0] == '0' or sys.exit(1); {ANSWERS}"
SAYS_TOO_MUCH = "sys.stdout.buffer.write(bytes([0xff] * 100)); signal.pause()"
STALLS = "signal.pause()"

Jobs = Callable[[str], Job[list[int]]]
"""Makes a job of what its other processes do."""


@pytest.fixture(name="file")
def opened_file(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Open a file that is nothing but long."""
    with (tmp_path / "long").open("w+b") as file:
        file.truncate(RANGES * RANGE)
        yield file.fileno(), RANGES * RANGE


@pytest.fixture(name="other")
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """Give a job whose other processes do what is said."""

    def made(doing: str) -> Job[list[int]]:
        (tmp_path / "other_process.py").write_text(OTHER.format(doing=doing))
        return Job("other_process", here, list[list[int]])

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(pool, "PART", 4 * RANGE)
    return made


@pytest.fixture(name="started")
def started_processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    started = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return started


def here(_read: Reader, start: int, _size: int) -> list[int]:
    return [start, os.getpid()]


@pytest.mark.parametrize("workers", [1, 3, 40])
def test_each_range_is_found_once_and_in_order(
    file: tuple[int, int], other: Jobs, workers: int
) -> None:
    done: list[int] = []
    found = list(spread(other(ANSWERS), *file, workers, done.append))
    assert [start for start, _ in found] == STARTS
    assert os.getpid() not in {process for _, process in found}
    assert done == sorted(set(done))
    assert done[0] == 0


def test_what_others_do_not_find_is_found_here(file: tuple[int, int], other: Jobs) -> None:
    done: list[int] = []
    found = list(spread(other(ANSWERS_AT_FIRST), *file, 2, done.append))
    assert [start for start, _ in found] == STARTS
    assert [process == os.getpid() for _, process in found] == [False] * 4 + [True] * (RANGES - 4)
    assert done == [0, *STARTS[4:]]


@pytest.mark.parametrize("doing", [STALLS, SAYS_TOO_MUCH])
def test_who_stalls_or_babbles_is_ended_at_once_and_for_all(
    file: tuple[int, int],
    other: Jobs,
    started: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    doing: str,
) -> None:
    monkeypatch.setattr(pool, "_PATIENCE_SECONDS", 1)
    found = list(spread(other(doing), *file, 2))
    assert found == [[start, os.getpid()] for start in STARTS]
    assert [process.returncode is not None for process in started] == [True] * 2


def test_who_asks_no_further_ends_the_processes(
    file: tuple[int, int], other: Jobs, started: list[subprocess.Popen[bytes]]
) -> None:
    found = spread(other(ANSWERS), *file, 2)
    next(found)
    assert len(started) == 2
    found.close()
    # Ended, and waited for.
    assert [process.returncode is not None for process in started] == [True] * 2


def test_who_asks_no_further_leaves_no_descriptor_open(file: tuple[int, int], other: Jobs) -> None:
    descriptors = Path("/proc/self/fd")
    before = [*map(str, descriptors.iterdir())]
    found = spread(other(ANSWERS), *file, 2)
    next(found)
    found.close()
    assert [*map(str, descriptors.iterdir())] == before
