"""What comparing the work tree costs, before and after a command, and during a checkout.

`intent/validateEdit` and `intent/recordEdit` for a command with unknown effects, less two bare
requests; the floor is `git status` of the same tree. Measured with a server that watches the tree
and one that does not. Then a command that only reads, for which nothing is compared; the floor is
two bare requests. Then the server's processor time and memory while git checks out another branch.
`python -m benchmarks.disk`
"""

import os
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.client import BARE, OURS, Client, environment, introduce, started
from benchmarks.support.figures import Report, Watch, p50, read_options
from benchmarks.support.process import cpu_seconds, resident_megabytes, wait_until_idle
from benchmarks.support.project import project

SIZES = (10_000, 100_000)
QUICK_SIZES = (200,)
CHECKED_OUT = 2_000
QUICK_CHECKED_OUT = 50
ROUNDS = 15
CHECKOUTS = 9
STATUS = ("git", "--no-optional-locks", "status", "--porcelain=v2", "--untracked-files=all")


def names(count: int) -> list[str]:
    """Return the files of a tree, fifty in a directory."""
    return [f"src/part{number // 50}/{number}.py" for number in range(count)]


def git(root: Path, *words: str) -> None:
    """Run git; it must succeed."""
    subprocess.run(["git", *words], cwd=root, env=environment(), check=True, capture_output=True)


def status_ms(root: Path) -> float:
    """Return the milliseconds that `git status` takes."""
    watch = Watch()
    subprocess.run(STATUS, cwd=root, env=environment(), check=True, capture_output=True)
    return watch.lap()


def snapshot_ms(server: Client) -> float:
    """Return the milliseconds that the two snapshots of a command take together."""
    watch = Watch()
    call = {"sessionId": "builder", "toolName": "Bash", "command": "python3 make.py"}
    given = server.ask("intent/validateEdit", call)
    server.ask(
        "intent/recordEdit", {"sessionId": "builder", "ticket": given["ticket"], "success": True}
    )
    return watch.lap()


def exempt_ms(server: Client) -> float:
    """Return the milliseconds until a command that only reads is allowed."""
    watch = Watch()
    call = {"sessionId": "builder", "toolName": "Bash", "command": "ls -la src | head -n 20"}
    if server.ask("intent/validateEdit", call)["ticket"] is not None:
        raise SystemExit("a command that plainly only reads was given a ticket")
    return watch.lap()


def snapshots(report: Report, root: Path, rounds: int, *, watch: str) -> None:
    """Compare a server's snapshots with `git status`, measured in turn."""
    floors, ours, exempt, bares = [], [], [], []
    with started(OURS) as server, started(BARE) as bare:
        introduce(server, root, settings={"watch": watch})
        introduce(bare, root)
        server.ask("intent/select", {"sessionId": "builder", "intentId": "INT-001"})
        snapshot_ms(server)
        wait_until_idle(server)
        for _ in range(rounds):
            floors.append(status_ms(root))
            ours.append(snapshot_ms(server))
            exempt.append(exempt_ms(server))
            lap = Watch()
            bare.ask("bare/echo", {})
            bare.ask("bare/echo", {})
            bares.append(lap.lap())
    said = "watching" if watch == "server" else "not watching"
    report.plain(f"git status, {said}, p50", p50(floors))
    both = p50([one - floor for one, floor in zip(ours, bares, strict=True)])
    report.plain(f"both looks, {said}, p50", both)
    report.held(f"both looks / git status, {said}", both / p50(floors), aim=3.0)
    report.plain(f"an exempt command, {said}, p50", p50(exempt))
    report.held(f"an exempt command / two bare requests, {said}", p50(exempt) / p50(bares), aim=1.0)


def checkout(report: Report, root: Path, count: int, turns: int) -> None:
    """Compare a server's processor time during a checkout with that of `git status`."""
    git(root, "checkout", "-q", "-b", "other")
    for name in names(count):
        (root / name).write_text("another\n")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(root, *author, "commit", "-qam", "another")
    git(root, "checkout", "-q", "main")
    with started(OURS) as server:
        introduce(server, root)
        wait_until_idle(server)
        idle = resident_megabytes(server)
        status, spent = zip(*(one_turn(server, root) for _ in range(turns)), strict=True)
        left = resident_megabytes(server)
    report.plain("git status, processor time, p50", p50(status) * 1000)
    report.plain("the server beside one checkout, processor time, p50", p50(spent) * 1000)
    report.held("one checkout / git status, processor time", p50(spent) / p50(status), aim=3.0)
    report.held("memory afterwards - before", left - idle, aim=10.0, unit="MB")


def one_turn(server: Client, root: Path) -> tuple[float, float]:
    """Return the processor seconds of `git status`, and of the server beside one checkout.

    Two checkouts are made, there and back, and their mean is taken.
    """
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), cpu_seconds(server)
    status_ms(root)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    git(root, "checkout", "-q", "other")
    git(root, "checkout", "-q", "main")
    wait_until_idle(server)
    status = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return status, (cpu_seconds(server) - begun) / 2


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("looks at work trees", options)
    for size in QUICK_SIZES if options.quick else SIZES:
        report.plain("files", float(size), unit="")
        with project(dict.fromkeys(names(size), "text\n")) as root:
            git(root, "branch", "-M", "main")
            os.utime(root / ".git/index")
            for watch in ("server", "off"):
                snapshots(report, root, options.rounds(ROUNDS), watch=watch)
            if size == (QUICK_SIZES if options.quick else SIZES)[0]:
                changed = QUICK_CHECKED_OUT if options.quick else CHECKED_OUT
                checkout(report, root, changed, options.rounds(CHECKOUTS))
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
