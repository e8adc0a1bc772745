"""What our hooks cost a real agent host: a turn with them, compared with `node -e 0` as hook.

Codex, Qwen Code and opencode run the same script of a scripted model, in a network namespace that
has only loopback: without hooks, with ours (a server has the root open), and with `node -e 0` in
their place. A turn is one edit of a file, from the model's answer to the host's next request. The
figure is (ours - none) / (node - none), of medians of the turns of runs in turn: the start of a
host varies by more than all of its hooks take. `python -m benchmarks.hosts`
"""

import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.support.figures import Report, Watch, p50, read_options
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.governance.governance import Governance
from tests.support.agent_lab.governed_host import AUTH, Arrangement, GovernedHost, governed_host
from tests.support.agent_lab.known_hosts import FREE
from tests.support.agent_lab.model import ModelRequest
from tests.support.agent_lab.runs import why_no_namespace
from tests.support.agent_lab.wire import Call
from tests.support.isolation import isolate

NAMES = ("codex", "qwen", "opencode")
AIM = 1.3
RUNS = 8
EDITS = 16
NONE = Arrangement(purposes=frozenset())
NODE = (shutil.which("node") or "node", "-e", "0", "--")
CHOSEN = {"INTENT_LSP_INTENT": "INT-001"}


def turns(governed: GovernedHost) -> list[float]:
    """Run a host once through edits of one file. Return the milliseconds of each edit's turn."""
    tools = governed.tools
    governed.repository.write(AUTH, "".join(f"line {number:02}\n" for number in range(EDITS)))
    watch = Watch()
    taken: list[float] = []

    def turn(number: int, _request: ModelRequest) -> Sequence[Call]:
        taken.append(watch.lap())
        if number == EDITS:
            return ()
        return [tools.edit(AUTH, f"line {number:02}", f"edited {number:02}")]

    governed.run([[tools.read(AUTH)], *(partial(turn, number) for number in range(EDITS + 1))])
    assert governed.text(AUTH).count("edited") == EDITS, governed.text(AUTH)
    # Until the first edit is asked for, the host starts and reads the file.
    return taken[1:]


def measure(name: str, directory: Path, rounds: int) -> dict[str, float]:
    """Return the median milliseconds of a host's turn in each arrangement."""
    arrangements = {
        "none": NONE,
        "ours": Arrangement(environment=CHOSEN),
        "node": Arrangement(around=NODE, environment=CHOSEN),
    }
    made = {
        kind: governed_host(FREE[name], directory / f"{name}-{kind}", wanted)
        for kind, wanted in arrangements.items()
    }
    governance = Governance(made["ours"].repository.root, patient=True)
    listener = HookListener(governance)
    listener.begin()
    try:
        taken: dict[str, list[float]] = {kind: [] for kind in made}
        for number in range(rounds + 1):
            for kind, governed in made.items():
                found = turns(governed)
                # The first round only warms up the caches of the host.
                taken[kind] += found if number else []
    finally:
        listener.end()
        governance.close(None)
    return {kind: p50(each) for kind, each in taken.items()}


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("what hooks cost a real agent host", options)
    reason = why_no_namespace()
    if reason is not None:
        print(f"SKIPPED: {reason}")
        return 0
    with tempfile.TemporaryDirectory() as place:
        home = Path(place, "home")
        home.mkdir()
        isolate(home)
        # A host does not hand the variable on: server and hooks meet at the usual place.
        os.environ.pop("XDG_RUNTIME_DIR")
        for name in NAMES[:1] if options.quick else NAMES:
            median = measure(name, Path(place), options.rounds(RUNS))
            for kind, taken in median.items():
                report.plain(f"{name}, a turn, hooks: {kind}", taken)
            cost = (median["ours"] - median["none"]) / (median["node"] - median["none"])
            report.held(f"{name}, ours / node -e 0 as its hook", cost, aim=AIM)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
