"""How long diagnostics take after a keystroke: from `didChange` to `publishDiagnostics`.

A file of 10,000 lines outside the selected intent's scope, with 1 and with 10 runs of changed
lines. The floor is a bare pygls server that answers every change with one fixed diagnostic; both
get each keystroke in turn. `python -m benchmarks.change_to_diagnostic`
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.client import (
    BARE,
    OURS,
    Client,
    change,
    introduce,
    open_document,
    replacing,
    started,
)
from benchmarks.support.figures import Options, Report, Watch, p50, p99, read_options
from benchmarks.support.project import project

LINES = 10_000
KEYS = 1_000
RUNS = (1, 10)
AIM = 2.0
PATH = "src/billing/long.py"


class Typist:
    """A person who types into one run of changed lines, sometimes starting a new line."""

    def __init__(self, client: Client, root: Path, text: str) -> None:
        self._client = client
        self._uri = (root / PATH).as_uri()
        self._version = 1
        self._typed = 0
        introduce(client, root)
        open_document(client, self._uri, text)

    def spread(self, runs: int) -> int:
        """Change one line in each of `runs` places; return how many diagnostics that causes."""
        step = LINES // runs
        edits = [replacing(step // 2 + step * run, 0, 4, "LINE") for run in range(runs)]
        return len(self._send(edits))

    def key(self) -> float:
        """Type one key; return the milliseconds until the diagnostics of that text arrive."""
        self._typed += 1
        text = "\n" if self._typed % 40 == 0 else "x"
        line = LINES // 2 + self._typed // 40
        watch = Watch()
        self._send([replacing(line, 0, 0, text)])
        return watch.lap()

    def _send(self, edits: Sequence[dict[str, object]]) -> list[dict[str, object]]:
        self._version += 1
        self._client.write(change(self._uri, self._version, edits))
        return self._client.problems(self._uri, self._version)


def measure(runs: int, options: Options, report: Report) -> None:
    text = "".join(f"line {number} of a file that is long\n" for number in range(LINES))
    with project({PATH: text}) as root, started(OURS) as server, started(BARE) as floor:
        ours, bare = Typist(server, root, text), Typist(floor, root, text)
        server.ask("intent/select", {"intentId": "INT-001"})
        bare.spread(runs)
        if (shown := ours.spread(runs)) != runs:
            raise SystemExit(f"{shown} problems where {runs} were expected")
        pairs = [(bare.key(), ours.key()) for _ in range(options.rounds(KEYS))]
    floors, times = ([pair[at] for pair in pairs] for at in (0, 1))
    for name, figure in (("p50", p50), ("p99", p99)):
        report.plain(f"{runs:>2} changed runs, bare, {name}", figure(floors))
        report.plain(f"{runs:>2} changed runs, ours, {name}", figure(times))
        report.held(f"{runs:>2} changed runs, {name}", figure(times) / figure(floors), aim=AIM)


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report(f"change to diagnostic, {LINES:,} lines", options)
    for runs in RUNS:
        measure(runs, options, report)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
