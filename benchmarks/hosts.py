"""What our hooks cost a real agent host: a whole run with them, compared with `node -e 0` as hook.

Codex, Qwen Code and opencode run the same script of a scripted model, in a network namespace that
has only loopback: without hooks, with ours (a server has the root open), and with `node -e 0` in
their place. The figure is (ours - none) / (node - none), of minima of runs in turn.
`python -m benchmarks.hosts`
"""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.figures import Report, read_options
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.governance.governance import Governance
from tests.support.agent_lab.governed_host import AUTH, Arrangement, GovernedHost, governed_host
from tests.support.agent_lab.known_hosts import FREE
from tests.support.agent_lab.runs import why_no_namespace
from tests.support.isolation import isolate

NAMES = ("codex", "qwen", "opencode")
AIM = 1.3
RUNS = 3
EDITS = 16
NONE = Arrangement(purposes=frozenset())
NODE = (shutil.which("node") or "node", "-e", "0", "--")
CHOSEN = {"INTENT_LSP_INTENT": "INT-001"}


def seconds(governed: GovernedHost) -> float:
    """Run a host once through reads and edits of one file. Return the seconds of the run."""
    tools = governed.tools
    governed.repository.write(AUTH, "".join(f"line {number:02}\n" for number in range(EDITS)))
    script = [[tools.read(AUTH)]]
    script += [[tools.edit(AUTH, f"line {n:02}", f"edited {n:02}")] for n in range(EDITS)]
    _, done = governed.run(script)
    assert governed.text(AUTH).count("edited") == EDITS, governed.text(AUTH)
    return done.seconds


def measure(name: str, directory: Path, rounds: int) -> dict[str, float]:
    """Return the least seconds of a host's run in each arrangement."""
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
        # The first round only warms up the caches of the host.
        for _ in range(rounds + 1):
            for kind, governed in made.items():
                taken[kind].append(seconds(governed))
    finally:
        listener.end()
        governance.close(None)
    return {kind: min(each[1:]) for kind, each in taken.items()}


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
            least = measure(name, Path(place), options.rounds(RUNS))
            for kind, taken in least.items():
                report.plain(f"{name}, hooks: {kind}", taken, "s")
            cost = (least["ours"] - least["none"]) / (least["node"] - least["none"])
            report.held(f"{name}, ours / node -e 0 as its hook", cost, aim=AIM)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
