"""How the ledger scales from 1,000 to 1,000,000 records: appending, verifying, asking.

Every figure is a ratio, to a smaller ledger or to a floor measured in the same process. It is the
median of many runs, each divided by the mean of the floors right before and after it, because a
shared machine is fast and slow by turns: 21 runs with 100,000 records, 5 with 1,000,000, and of
building an index 11 and 3. What should not grow with the size is measured in ledgers of all sizes
in turn. `python -m benchmarks.ledger`
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import IO

import msgspec

from benchmarks.ledger_append import event
from benchmarks.support.client import OURS, environment, introduce, started
from benchmarks.support.figures import Options, Report, Watch, p50, p99, read_options
from benchmarks.support.ledger_child import open_ledger
from benchmarks.support.ledger_maker import INTENTS, intent_of, write_ledger
from benchmarks.support.process import most_megabytes
from benchmarks.support.project import project
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.ledger import Ledger

SIZES = (1_000, 100_000, 1_000_000)
QUICK_SIZES = (200, 1_000)
APPENDS = 600
WARM_UP = 20
PROCESSES = 8
QUICK_PROCESSES = 2
APPENDS_OF_PROCESS = 500
BARE_FOR_AN_APPEND = 4
"""Bare writes for one append, so that both take about as long and see the same machine."""

TURNS = 15
PATIENCE_MS = 600_000
QUESTIONS = 500
AIM_FLAT = 1.2
AIM_PROCESSES = 1 / 0.75
AIM_VERIFY = 2.0
AIM_VERIFY_WIDELY = 1.35
AIM_INDEX = 2.0
AIM_RECENT_MS = 2.0

Roots = Mapping[int, Path]


def measure_reading(roots: Roots, options: Options, report: Report) -> None:
    """Verify each ledger on one processor and on all, and build its index, with the floors."""
    memory = {}
    for size, root in roots.items():
        kind = "read-once" if options.quick else "read"
        one, all_ = child(kind, root, 1), child(kind, root, 0)
        memory[size] = child("memory", root, 0)["memory"]
        report.plain(f"{size:,}: read + parse + SHA-256", one["floor"] * 1e6 / size, "us")
        report.plain(f"{size:,}: verify, one processor", one["verify"] * 1e6 / size, "us")
        report.plain(f"{size:,}: verify's memory", memory[size] / 1e6, "MB")
        if size == min(roots):
            # Of so few records the start, which is done once, is most of the time.
            continue
        report.held(f"{size:,}: verify / floor", one["ratio"], aim=AIM_VERIFY)
        title = f"{size:,}: verify / floor, all processors"
        report.held(title, all_["ratio"], aim=AIM_VERIFY_WIDELY)
        report.held(f"{size:,}: index / verify, one processor", one["index"], aim=AIM_INDEX)
    flat("verify's memory", memory, sorted(memory)[-2], report)


def measure_server(roots: Roots, report: Report) -> None:
    """Have a server verify each ledger, and ask it."""
    memory = {}
    for size, root in roots.items():
        with started(OURS) as server:
            server.patience_ms = PATIENCE_MS
            introduce(server, root)
            if not server.ask("intent/verify", {})["ok"]:
                raise SystemExit("the server finds the ledger wrong")
            server.ask("intent/trace", {"intentId": intent_of(1)})
            memory[size] = most_megabytes(server)
        report.plain(f"{size:,}: the server's memory", memory[size], "MB")
    flat("the server's memory", memory, sorted(memory)[-2], report)


def measure_appending(ledgers: Mapping[int, Ledger], rounds: int, report: Report) -> None:
    """Append to each ledger in turn, with indexes that are up to date."""
    taken: dict[int, list[float]] = {size: [] for size in ledgers}
    for number in range(WARM_UP + rounds):
        for size, ledger in ledgers.items():
            taken[size].append(milliseconds(partial(ledger.append, event(number))))
    medians = {size: p50(times[WARM_UP:]) for size, times in taken.items()}
    for size, median in medians.items():
        report.plain(f"{size:,}: append, p50", median)
    flat("append, p50", medians, min(medians), report)


def measure_asking(ledgers: Mapping[int, Ledger], rounds: int, report: Report) -> None:
    """Ask the largest ledger for the newest records of each intent in turn."""
    size, index = max(ledgers), ledgers[max(ledgers)].index
    taken = []
    for number in range(rounds):
        query = Query(intent_ids=(intent_of(number % INTENTS),))
        taken.append(milliseconds(partial(index.query, query, limit=20)))
    report.plain(f"{size:,}: newest 20 of an intent, p99", p99(taken))
    report.held(f"{size:,}: newest 20, p50", p50(taken), aim=AIM_RECENT_MS, unit="ms")


def measure_processes(options: Options, report: Report) -> None:
    """Append from one process and from eight, in turn with a bare loop that does the same."""
    appends = options.rounds(APPENDS_OF_PROCESS)
    many = QUICK_PROCESSES if options.quick else PROCESSES
    counts = {"bare": appends * BARE_FOR_AN_APPEND, "append": appends}
    figures: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for _ in range(1 if options.quick else TURNS):
        for kind, processes in product(("bare", "append"), (1, many)):
            figures[kind, processes].append(throughput(kind, processes, counts[kind]))
    for (kind, processes), each in figures.items():
        report.plain(f"{kind}, processes: {processes}", p50(each), "/s")
    gains = [
        [wide / one for one, wide in zip(figures[kind, 1], figures[kind, many], strict=True)]
        for kind in ("bare", "append")
    ]
    # In turn, as everything here: the speed of a shared machine changes.
    ratio = p50([bare / ours for bare, ours in zip(*gains, strict=True)])
    report.held(f"gain of {many} processes: bare / append, p50", ratio, aim=AIM_PROCESSES)


def flat(name: str, values: Mapping[int, float], of: int, report: Report) -> None:
    """Compare the largest ledger with a smaller one."""
    largest = max(values)
    title = f"{name}, {largest:,} / {of:,}"
    report.held(title, values[largest] / values[of], aim=AIM_FLAT)


def throughput(kind: str, processes: int, count: int) -> float:
    """Return the lines a second that `processes` processes write to one new file together."""
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        words = command(kind, Path(directory), count)
        pipes = [stack.enter_context(piped(words)) for _ in range(processes)]
        for _, output in pipes:
            output.readline()
        for given, _ in pipes:
            given.write(b"\n")
            given.flush()
        figures = [msgspec.json.decode(output.read()) for _, output in pipes]
    begun: float = min(each["start"] for each in figures)
    ended: float = max(each["end"] for each in figures)
    return processes * count / (ended - begun)


def child(kind: str, root: Path, number: int) -> Mapping[str, float]:
    """Run one measurement of `ledger_child` in a process of its own; return its figures."""
    words = command(kind, root, number)
    done = subprocess.run(words, env=environment(), check=True, stdout=subprocess.PIPE)
    figures: Mapping[str, float] = msgspec.json.decode(done.stdout)
    return figures


def command(kind: str, directory: Path, number: int) -> Sequence[str]:
    program = "benchmarks.support.ledger_child"
    return [sys.executable, "-m", program, kind, str(directory), str(number)]


@contextmanager
def piped(words: Sequence[str]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Start a process; yield its standard input and output."""
    with subprocess.Popen(
        words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a child needs both pipes")
        yield process.stdin, process.stdout


def milliseconds(work: Callable[[], object]) -> float:
    watch = Watch()
    work()
    return watch.lap()


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("The ledger by its size", options)
    # First: after what follows, the disk is still busy writing gigabytes.
    measure_processes(options, report)
    with ExitStack() as stack:
        roots = {
            size: stack.enter_context(project({}))
            for size in (QUICK_SIZES if options.quick else SIZES)
        }
        for size, root in roots.items():
            write_ledger(root / LEDGER_FILE, size)
        measure_reading(roots, options, report)
        measure_server(roots, report)
        ledgers = {size: open_ledger(root) for size, root in roots.items()}
        measure_asking(ledgers, options.rounds(QUESTIONS), report)
        measure_appending(ledgers, options.rounds(APPENDS), report)
        for ledger in ledgers.values():
            ledger.close()
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
