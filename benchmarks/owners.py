"""How long the server takes to say who owns a path, among 1,000 intents of 10 globs each.

`intent/owners` as a round trip, less the round trip of a bare request; and the same question asked
in this process. No path is asked for twice. `python -m benchmarks.owners`
"""

import random
from collections.abc import Sequence
from pathlib import Path

from benchmarks.scope import glob, path
from benchmarks.support.client import BARE, OURS, introduce, started
from benchmarks.support.figures import Report, Watch, p50, p99, read_options
from benchmarks.support.process import wait_until_idle
from benchmarks.support.project import project
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.governance import Governance

INTENTS = 1_000
QUICK_INTENTS = 50
GLOBS = 10
PATHS = 2_000
AIM_MS = 1.0


def intents_file(chance: random.Random, count: int = INTENTS) -> str:
    """Return the text of an intents file of open intents with `GLOBS` globs each."""
    lines = ["active_intents:\n"]
    for number in range(count):
        scope = ", ".join(f'"{glob(chance)}"' for _ in range(GLOBS))
        lines.append(
            f"  - id: INT-{number:04}\n    name: Part {number}\n"
            f"    status: IN_PROGRESS\n    owned_scope: [{scope}]\n"
        )
    return "".join(lines)


def asked_of_governance(root: Path, paths: Sequence[WorkspacePath]) -> list[float]:
    """Ask in this process; return milliseconds for all but the first, which builds the index."""
    governance = Governance(root)
    times = []
    for one in paths:
        watch = Watch()
        governance.owners(one)
        times.append(watch.lap())
    governance.close(None)
    return times[1:]


def asked_of_servers(
    root: Path, paths: Sequence[WorkspacePath]
) -> tuple[list[float], list[float], float]:
    """Ask a bare server and ours in turn; return milliseconds of each, and of our first."""
    bares, times = [], []
    with started(OURS) as server, started(BARE) as floor:
        introduce(server, root)
        introduce(floor, root)
        watch = Watch()
        server.ask("intent/owners", {"path": "first"})
        first = watch.lap()
        wait_until_idle(server)
        for one in paths:
            watch = Watch()
            floor.ask("bare/echo", {"path": one})
            bares.append(watch.lap())
            server.ask("intent/owners", {"path": one})
            times.append(watch.lap())
    return bares, times, first


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    chance = random.Random(1)  # noqa: S311 - nobody is kept out by these numbers
    count = QUICK_INTENTS if options.quick else INTENTS
    report = Report(f"intent/owners, {count:,} intents of {GLOBS} globs", options)
    with project({}, intents_file(chance, count)) as root:
        paths = list(dict.fromkeys(path(chance) for _ in range(options.rounds(PATHS))))
        governance = asked_of_governance(root, paths)
        bares, times, first = asked_of_servers(root, paths)
    beyond = [ours - bare for bare, ours in zip(bares, times, strict=True)]
    report.plain("first question after the start", first)
    report.plain("bare request, p50", p50(bares))
    report.plain("intent/owners, p50", p50(times))
    report.held("intent/owners - bare request, p50", p50(beyond), aim=AIM_MS, unit="ms")
    report.plain("intent/owners p99 - bare request p99", p99(times) - p99(bares))
    report.held("asked of governance, p50", p50(governance), aim=AIM_MS, unit="ms")
    report.held("asked of governance, p99", p99(governance), aim=AIM_MS, unit="ms")
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
