"""Ranges of a file that several processes look at: each once, told in order, nobody idle."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from intent_lsp.store.ledger.raw import pool
from intent_lsp.store.ledger.raw.file import Reader
from intent_lsp.store.ledger.raw.pool import spread
from intent_lsp.store.ledger.raw.ranges import RANGE
from intent_lsp.store.ledger.raw.task_pipe import TaskPipe, each
from intent_lsp.store.ledger.raw.worker import Job, RangeResult, Worker

RANGES = 300
"""More than lie in the pipe at once."""

OTHER = """
import os, signal, struct, sys
from intent_lsp.store.ledger.raw.worker import Job, answer
from intent_lsp.store.ledger.raw.task_pipe import each

def find(read, start, size):
    return [start, os.getpid()]

def main(words):
{doing}
"""
ANSWERS = "    answer(Job(__name__, find, list), words)"
KEEPS_THE_FIRST = """\
    number = next(each(int(words[-1])))
    with open({has!r}, "wb") as told:
        told.write(bytes([number]))
    open({ends!r}, "rb").close()
"""
ONE_KEEPS_THE_FIRST = """\
    try:
        open({first!r}, "xb").close()
    except FileExistsError:
        open({has!r}, "rb").close()
        for number in each(int(words[-1])):
            sys.stdout.buffer.write(struct.pack("<II", number, 2) + bytes([0x91, 7]))
            sys.stdout.buffer.flush()
            if number == 100:
                open({ends!r}, "wb").close()
    else:
        next(each(int(words[-1])))
        open({has!r}, "wb").close()
        open({ends!r}, "rb").close()
"""
TELLS = """\
    for number in {numbers}:
        sys.stdout.buffer.write(struct.pack("<II", number, 2) + bytes([0x91, 7]))
    sys.stdout.buffer.flush()
    signal.pause()
"""
TAKES_AND_STALLS = """\
    next(each(int(words[-1])))
    signal.pause()
"""
Find = Callable[[Reader, int, int], list[int]]
Jobs = Callable[[str, Find], Job[list[int]]]
"""Makes a job of what its other processes do, and of what this one finds."""


@pytest.fixture(name="file")
def opened_file(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Open a file that is nothing but long."""
    with (tmp_path / "long").open("w+b") as file:
        file.truncate(RANGES * RANGE)
        yield file.fileno(), RANGES * RANGE


@pytest.fixture(name="other")
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """Give a job whose other processes do what is said."""

    def made(doing: str, find: Find) -> Job[list[int]]:
        (tmp_path / "other_process.py").write_text(OTHER.format(doing=doing))
        return Job("other_process", find, list[int])

    monkeypatch.syspath_prepend(tmp_path)
    return made


def here(_read: Reader, start: int, _size: int) -> list[int]:
    return [start, os.getpid()]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("ahead", [0, 1, 64])
def test_each_range_is_told_once_and_in_order(
    file: tuple[int, int],
    other: Jobs,
    monkeypatch: pytest.MonkeyPatch,
    workers: int,
    ahead: int,
) -> None:
    monkeypatch.setattr(pool, "_AHEAD", ahead)
    done: list[int] = []
    found = list(spread(other(ANSWERS, here), *file, workers, done.append))
    assert [start for start, _ in found] == done == [*range(0, RANGES * RANGE, RANGE)]
    if not ahead:
        # Who asks takes nothing, so that the others have looked at all of it.
        assert os.getpid() not in {process for _, process in found}


def test_who_asks_looks_at_others_while_one_is_not_told(
    file: tuple[int, int],
    other: Jobs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    has, ends = tmp_path / "has", tmp_path / "ends"
    os.mkfifo(has)
    os.mkfifo(ends)
    looked: list[int] = []
    supply = TaskPipe.supply

    def supplied(tasks: TaskPipe, done: int) -> None:
        supply(tasks, done)
        if not done:
            # Nobody else takes one before the other process has its own.
            assert has.read_bytes() == b"\0"

    def find(_read: Reader, start: int, _size: int) -> list[int]:
        looked.append(start // RANGE)
        if len(looked) == 3:
            ends.write_bytes(b"")
        return [start]

    monkeypatch.setattr(TaskPipe, "supply", supplied)
    monkeypatch.setattr(pool, "_AHEAD", 3)
    job = other(KEEPS_THE_FIRST.format(has=str(has), ends=str(ends)), find)
    found = list(spread(job, *file, 1))
    assert found == [[start] for start in range(0, RANGES * RANGE, RANGE)]
    # As many as may be kept; then the one that nobody has any more.
    assert looked == [1, 2, 3, 0, *range(4, RANGES)]


def test_what_is_told_early_stays_in_the_pipe_but_for_one(
    file: tuple[int, int],
    other: Jobs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = {name: str(tmp_path / name) for name in ("first", "has", "ends")}
    os.mkfifo(names["has"])
    os.mkfifo(names["ends"])
    told: list[int | None] = []
    tell = Worker.result

    def noted(worker: Worker[list[int]]) -> RangeResult[list[int]] | None:
        found = tell(worker)
        told.append(found and found.number)
        return found

    monkeypatch.setattr(Worker, "result", noted)
    monkeypatch.setattr(pool, "_AHEAD", 0)
    found = spread(other(ONE_KEEPS_THE_FIRST.format_map(names), here), *file, 2)
    # Nobody has it when its process ends; a hundred were told by then.
    assert next(found) == [0, os.getpid()]
    assert told == [1, None]
    assert [*found] == [[7]] * (RANGES - 1)


def test_a_process_that_stalls_is_waited_for_once(
    file: tuple[int, int],
    other: Jobs,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 1)
    monkeypatch.setattr(pool, "_AHEAD", 0)
    waited: list[Worker[list[int]]] = []
    end = Worker.end

    def noted(worker: Worker[list[int]]) -> None:
        waited.append(worker)
        end(worker)

    monkeypatch.setattr(Worker, "end", noted)
    found = spread(other(TAKES_AND_STALLS, here), *file, 1)
    assert next(found) == [0, os.getpid()]
    assert [worker.pipe for worker in waited] == [None]
    assert [start for start, _ in found] == [*range(RANGE, RANGES * RANGE, RANGE)]


@pytest.mark.parametrize("numbers", [(0, 0), (0, RANGES)], ids=["back", "behind the end"])
def test_a_process_that_tells_of_what_cannot_be_is_ended(
    file: tuple[int, int], other: Jobs, numbers: tuple[int, ...]
) -> None:
    job = other(TELLS.format(numbers=numbers), here)
    with TaskPipe(1) as tasks, Worker(job, *file, tasks.fd) as worker:
        assert worker.result() == (0, [7])
        assert worker.result() is None
        assert worker.pipe is None
        assert worker.result() is None


def test_numbers_are_taken_once_and_in_order() -> None:
    with TaskPipe(RANGES) as tasks:
        assert tasks.take() is None
        taken: list[int] = []
        for done in range(RANGES):
            tasks.supply(done)
            number = tasks.take()
            taken += [] if number is None else [number]
        assert taken == [*range(RANGES)]
        assert tasks.take() is None
        assert list(each(tasks.fd)) == []


def test_who_waits_for_numbers_gets_them_when_they_come() -> None:
    with TaskPipe(2) as tasks, closing(each(tasks.fd)) as numbers:
        tasks.supply(0)
        assert list(numbers) == [0, 1]


def test_who_finds_that_another_was_quicker_waits_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with TaskPipe(2) as tasks:

        class Hasty:
            """Says that there is a number before there is one."""

            waits = 0

            def register(self, *_: object) -> None: ...

            def poll(self) -> None:
                self.waits += 1
                if self.waits == 3:
                    tasks.supply(0)

        monkeypatch.setattr("select.poll", Hasty)
        assert list(each(tasks.fd)) == [0, 1]


def test_who_asks_no_further_leaves_no_descriptor_open(file: tuple[int, int], other: Jobs) -> None:
    descriptors = Path("/proc/self/fd")
    before = [*map(str, descriptors.iterdir())]
    found = spread(other(ANSWERS, here), *file, 2)
    next(found)
    assert len([*descriptors.iterdir()]) > len(before)
    found.close()
    assert [*map(str, descriptors.iterdir())] == before
