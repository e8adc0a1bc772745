"""How long an agent waits for the gate: `intent/validateEdit` among 1,000 intents of 10 globs.

In every round an agent asks to edit a file that another intent owns, under a path not asked for
before, and is refused. Then it asks for a file of its own intent, gets a ticket, writes the file
and records the edit. So each allowed call meets content that is not cached, and no claim stays
open. A bare server is asked in the same round. First with files of 4 KB, then of 1 MB; then the
gate alone, in this process, on questions whose facts are known. There are ten files in each
directory.

All of it is done in several passes, each with new servers: passes differ by what else the machine
does. A ratio is taken from the pass in which the bare server was fastest, a time in milliseconds
from the pass in which it is least. `python -m benchmarks.gate`
"""

import gc
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path

from benchmarks.owners import GLOBS, INTENTS, QUICK_INTENTS, intents_file
from benchmarks.save import LINE, read_and_hash
from benchmarks.scope import path as other_path
from benchmarks.support.client import BARE, OURS, Client, Message, introduce, started
from benchmarks.support.figures import Report, Watch, p50, p99, read_options
from benchmarks.support.process import wait_until_idle
from benchmarks.support.project import project
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.gate import judge_call
from intent_lsp.core.gate.request import Allowed, CallFacts, FileFact, GateRequest
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.root.rules import Rules, RulesCache

PASSES = 5
ROUNDS = 300
LARGE_ROUNDS = 150
JUDGED = 5_000
IN_A_DIRECTORY = 10
SMALL, LARGE = 4_000, 1_000_000
OWN = tuple(f"work/part{number}.py" for number in range(20))
OWN_LARGE, OTHER_LARGE = "work/large.py", "elsewhere/large.py"
INTENT, SESSION, TOOL = "INT-WORK", "builder", "write_to_file"
AIM = 2.0
AIM_LARGE_MS = 10.0
AIM_JUDGE_US = 50.0

Times = Mapping[str, Sequence[float]]


class Agent:
    """An agent that asks before each edit, with an intent checked out."""

    def __init__(self, client: Client, root: Path) -> None:
        self._client = client
        introduce(client, root)
        client.ask("intent/select", {"sessionId": SESSION, "intentId": INTENT})
        # The first decision builds the index of all scopes.
        self.refused("elsewhere/first.py")
        wait_until_idle(client)

    def refused(self, path: str) -> float:
        """Ask for a file of another intent; return the milliseconds until it is refused."""
        taken, answer = round_trip(self._client, "intent/validateEdit", asking(path))
        if answer["allowed"] or answer["error"]["code"] != "SCOPE_VIOLATION":
            raise SystemExit(f"{path} was not refused for its scope: {answer}")
        return taken

    def allowed(self, path: str) -> tuple[float, str]:
        """Ask for a file of the own intent; return milliseconds, and the ticket."""
        taken, answer = round_trip(self._client, "intent/validateEdit", asking(path))
        if not answer["ticket"]:
            raise SystemExit(f"{path} was given no ticket: {answer}")
        return taken, answer["ticket"]

    def recorded(self, ticket: str) -> float:
        """Report the edit as done; return the milliseconds until it is in the ledger."""
        params = {"ticket": ticket, "success": True}
        taken, answer = round_trip(self._client, "intent/recordEdit", params)
        if answer["recordId"] is None:
            raise SystemExit(f"an edit has no record: {answer}")
        return taken


def asking(path: str) -> Message:
    """Return the params of a call on one file."""
    return {"sessionId": SESSION, "toolName": TOOL, "path": path, "mutationClass": "BUG_FIX"}


def round_trip(client: Client, method: str, params: Message) -> tuple[float, Message]:
    """Send a request; return the milliseconds until the answer, and its result."""
    identity, data = client.request(method, params)
    watch = Watch()
    client.write(data)
    result = client.answer(identity)
    return watch.lap(), result


def lines(size: int) -> str:
    """Return a text of about `size` characters."""
    return "".join(LINE.format(number) for number in range(size // len(LINE.format(10_000))))


def work(root: Path, own: Sequence[str], others: Sequence[str], text: str) -> Times:
    """Run one round for each path of `others`; return milliseconds by kind of request."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    with started(OURS) as server, started(BARE) as floor:
        agent = Agent(server, root)
        introduce(floor, root)
        for mine, other in zip(cycle(own), others, strict=False):
            times["read + SHA-256"].append(read_and_hash(root / mine))
            times["bare request"].append(round_trip(floor, "bare/echo", asking(mine))[0])
            times["refused"].append(agent.refused(other))
            taken, ticket = agent.allowed(mine)
            times["ticket"].append(taken)
            (root / mine).write_text(f"under {ticket}\n{text}")
            times["recordEdit"].append(agent.recorded(ticket))
    return times


def report_small(passes: Sequence[Times], report: Report) -> None:
    plain(passes, "4 KB", report)
    quietest = min(passes, key=lambda times: p50(times["bare request"]))
    for kind in ("refused", "ticket"):
        ratio = p50(quietest[kind]) / p50(quietest["bare request"])
        report.held(f"4 KB, {kind} / bare request, p50", ratio, aim=AIM)


def report_large(passes: Sequence[Times], report: Report) -> None:
    plain(passes, "1 MB", report)
    for kind in ("refused", "ticket"):
        least = min(p99(times[kind]) for times in passes)
        report.held(f"1 MB, {kind}, p99", least, aim=AIM_LARGE_MS, unit="ms")


def report_judging(passes: Sequence[Times], report: Report) -> None:
    for kind in ("allowed", "refused"):
        least = min(p50(times[kind]) for times in passes) * 1000
        report.held(f"judge_call, {kind}, p50", least, aim=AIM_JUDGE_US, unit="us")


def plain(passes: Sequence[Times], size: str, report: Report) -> None:
    for kind in passes[0]:
        report.plain(
            f"{size}, {kind}, p50, of all passes", p50([p50(times[kind]) for times in passes])
        )
        report.plain(
            f"{size}, {kind}, p99, of all passes", p50([p99(times[kind]) for times in passes])
        )


def judging(root: Path, others: Sequence[str]) -> Times:
    """Time the gate alone, on calls whose facts are known and whose paths are new."""
    rules = RulesCache(root).current()
    rules.owners(WorkspacePath("first"))  # Builds the index.
    mine = [f"work/new{number}.py" for number in range(len(others))]
    # As the server does once the rules are read: the collector skips what stays.
    gc.collect()
    gc.freeze()
    return {
        "allowed": [judged(rules, path, allowed=True) for path in mine],
        "refused": [judged(rules, path, allowed=False) for path in others],
    }


def judged(rules: Rules, path: str, *, allowed: bool) -> float:
    """Judge a call on one path; return the milliseconds of the gate alone."""
    call = CallFacts(checked_out=INTENT)
    asked = question(rules, path, call)
    watch = Watch()
    decision = judge_call(asked, call)
    taken = watch.lap()
    if isinstance(decision, Allowed) is not allowed:
        raise SystemExit(f"judge_call decides otherwise on {path}: {decision}")
    return taken


def question(rules: Rules, path: str, call: CallFacts) -> GateRequest:
    """Return the gate's question about a path, as governance asks it."""
    held = hash_content(b"held")
    return GateRequest(
        tool_name=TOOL,
        governed=rules.governed,
        files=(FileFact(path=WorkspacePath(path), expected=held, current=held),),
        active_intent=INTENT,
        intents=rules.file.intents,
        ignored=rules.ignored,
        scope=rules.scope_of(rules.active(INTENT)),
        owners=rules.owners,
        call=call,
    )


def intents(chance: random.Random, count: int) -> str:
    """Return an intents file whose last intent is the agent's, as the newest intent is last."""
    scope = ", ".join(f'"area{number}/**/*.py"' for number in range(GLOBS - 1))
    return (
        f"{intents_file(chance, count - 1)}  - id: {INTENT}\n    name: Work\n"
        f'    status: IN_PROGRESS\n    owned_scope: [{scope}, "work/**"]\n'
    )


def tree(chance: random.Random, count: int) -> list[str]:
    """Return the paths of `count` files, ten in each directory, in random order."""
    found: dict[str, None] = {}
    while len(found) < count:
        directory = other_path(chance).rpartition("/")[0]
        found |= {f"{directory}/{name}": None for name in names(chance)}
    return chance.sample(list(found), count)


def names(chance: random.Random) -> Iterator[str]:
    for _ in range(IN_A_DIRECTORY):
        yield other_path(chance).rpartition("/")[2]


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    chance = random.Random(1)  # noqa: S311 - nobody is kept out by these numbers
    count = QUICK_INTENTS if options.quick else INTENTS
    report = Report(f"intent/validateEdit, {count:,} intents of {GLOBS} globs", options)
    rounds, large = options.rounds(ROUNDS), options.rounds(LARGE_ROUNDS)
    count_of_passes = 1 if options.quick else PASSES
    others = tree(chance, rounds * count_of_passes)
    asked = tree(chance, options.rounds(JUDGED))
    files = dict.fromkeys((*OWN, *others), lines(SMALL))
    files |= dict.fromkeys((OWN_LARGE, OTHER_LARGE), lines(LARGE))
    passes = []
    with project(files, intents(chance, count)) as root:
        for number in range(count_of_passes):
            these = others[number * rounds :][:rounds]
            passes.append(
                (
                    work(root, OWN, these, lines(SMALL)),
                    work(root, (OWN_LARGE,), (OTHER_LARGE,) * large, lines(LARGE)),
                    judging(root, asked),
                )
            )
    for report_times, times in zip(
        (report_small, report_large, report_judging), zip(*passes, strict=True), strict=True
    ):
        report_times(times, report)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
