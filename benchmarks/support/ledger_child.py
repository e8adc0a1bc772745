"""One measurement of a ledger in a process of its own: `ledger_child KIND DIRECTORY NUMBER`.

Invariant: it prints one line of JSON, with seconds and bytes; `append` and `bare` print an empty
line before it when they are ready, and start when they read a line.
"""

import fcntl
import hashlib
import os
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from itertools import count as count_from
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

import msgspec

from benchmarks.ledger_append import event
from benchmarks.support.process import most_megabytes_of
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.formats.ledger.jsonl import seal
from intent_lsp.store.ledger.ledger import Ledger

Figures = Mapping[str, float]

_TIME: Final = "2026-11-21T20:27:33.123Z"
_WAIT_SECONDS: Final = 60.0
_RUNS: Final = 21
_RUNS_IF_LARGE: Final = 5
_LARGE: Final = 1 << 29


def open_ledger(root: Path) -> Ledger:
    """Open a ledger that waits for its lock for a minute."""

    def now() -> datetime:
        return datetime.now(UTC)

    return Ledger(root, now, lambda: str(uuid.uuid4()), wait_seconds=_WAIT_SECONDS)


def append(root: Path, count: int) -> Figures:
    """Append `count` records, once the parent sends a line."""
    ledger = open_ledger(root)
    ledger.append(event(0))
    numbers = count_from(1)
    return _timed(lambda: ledger.append(event(next(numbers))), count)


def bare(directory: Path, count: int) -> Figures:
    """Do `count` times only what stores a line: lock, write, unlock, fsync."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    lock, file = (os.open(directory / name, flags, 0o600) for name in ("lock", "bare"))
    _, line = seal(draft(event(0), id=str(uuid.uuid4()), timestamp=_TIME, end=ChainEnd()))

    def once() -> None:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(file, line)
        fcntl.flock(lock, fcntl.LOCK_UN)
        os.fsync(file)

    once()
    return _timed(once, count)


def read(root: Path, processors: int, *, once: bool = False) -> Figures:
    """Verify a ledger and build its index, in turn with reading, parsing and hashing its bytes.

    Times are minima: whatever takes longer, other processes caused. Ratios are medians, as
    `_beside` has it; `once`: of a single run, to see that it works.
    """
    if processors == 1:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ledger, path = open_ledger(root), root / LEDGER_FILE
    runs = 1 if once else _RUNS if path.stat().st_size < _LARGE else _RUNS_IF_LARGE

    def verify() -> float:
        return _seconds(lambda: verified(ledger))

    found = _beside(verify, lambda: _seconds(lambda: floor(path)), runs)
    figures = {"floor": found.beside, "verify": found.taken, "ratio": found.ratio}
    if processors == 1:
        figures["index"] = _beside(lambda: _built(root), verify, runs // 2 + 1).ratio
    return figures


def memory(root: Path, _: int) -> Figures:
    """Verify a ledger once, as `trace verify` does.

    Read from `/proc`, as `getrusage` counts the memory of the parent at the fork, too.
    """
    verified(open_ledger(root))
    return {"memory": most_megabytes_of("self") * 1e6}


class _Beside(NamedTuple):
    """The least seconds of some work, and of the floor beside it, and the ratio of the two."""

    taken: float
    beside: float
    ratio: float


def _beside(work: Callable[[], float], other: Callable[[], float], runs: int) -> _Beside:
    """Run work and floor in turn; `ratio` is the median of each run to the mean of its neighbours.

    A shared machine is fast and slow by turns, for seconds each. Runs that follow each other mostly
    see the same speed, while the minima of the two may be from different times.
    """
    others, taken = [other()], []
    for _ in range(runs):
        taken.append(work())
        others.append(other())
    around = [(before + after) / 2 for before, after in pairwise(others)]
    ratio = median(each / beside for each, beside in zip(taken, around, strict=True))
    return _Beside(min(taken), min(others), ratio)


def _built(root: Path) -> float:
    """Build the index of a ledger from nothing; return seconds."""
    (root / LOCAL_ROOM / "index.sqlite3").unlink(missing_ok=True)
    with closing(open_ledger(root)) as ledger:
        return _seconds(ledger.index.refresh)


def floor(path: Path) -> None:
    """Read, parse and hash each line, without keeping or comparing anything."""
    decoder = msgspec.json.Decoder()
    with path.open("rb") as file:
        for line in file:
            decoder.decode(line)
            hashlib.sha256(line).digest()


def verified(ledger: Ledger) -> None:
    """Verify a ledger, and end the benchmark if it is not intact."""
    found = ledger.verify()
    if not found.ok:
        raise SystemExit(f"the ledger is not as it was written: {found.problems}")


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _timed(work: Callable[[], object], count: int) -> Figures:
    """Do the work `count` times once a line comes; return when it began and ended."""
    print(flush=True)
    sys.stdin.readline()
    start = perf_counter()
    for _ in range(count):
        work()
    return {"start": start, "end": perf_counter()}


def main(words: Sequence[str]) -> None:
    """Run the measurement that the command line names."""
    kind, directory, number = words
    kinds: Mapping[str, Callable[[Path, int], Figures]] = {
        "append": append,
        "bare": bare,
        "read": read,
        "read-once": partial(read, once=True),
        "memory": memory,
    }
    print(msgspec.json.encode(kinds[kind](Path(directory), int(number))).decode())


if __name__ == "__main__":
    main(sys.argv[1:])
