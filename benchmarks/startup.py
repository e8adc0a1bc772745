"""How long an editor waits for the server: from process start until `initialize` is answered.

Minima of interleaved starts, as a ratio to a bare pygls server's.
`python -m benchmarks.startup`
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.client import BARE, OURS, initialize_params, started
from benchmarks.support.figures import Report, Watch, p50, read_options

STARTS = 20
AIM = 1.25


def start(command: Sequence[str], root: Path) -> float:
    """Start a server once; milliseconds until it has introduced itself."""
    watch = Watch()
    with started(command, root) as client:
        client.ask("initialize", initialize_params(root))
        return watch.lap()


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report("start until initialize is answered", options)
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        # The first start of each fills the disk's and the interpreter's caches.
        pairs = [(start(BARE, root), start(OURS, root)) for _ in range(options.rounds(STARTS) + 1)]
    bare, ours = ([pair[at] for pair in pairs[1:]] for at in (0, 1))
    report.plain("bare pygls server, minimum", min(bare))
    report.plain("intent-lsp serve, minimum", min(ours))
    report.plain("bare pygls server, median", p50(bare))
    report.plain("intent-lsp serve, median", p50(ours))
    report.held("minimum / minimum", min(ours) / min(bare), aim=AIM)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
