"""How long an editor waits for the server: from process start until it answers, and until it shows.

Until `initialize` is answered, and until the first diagnostic, of an intents file with a mistake
and of a source file outside every scope. Each is the minimum of starts in turn with the floor's: a
bare pygls server that publishes a diagnostic for each document that is opened.
`python -m benchmarks.startup`
"""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.client import (
    BARE,
    OURS,
    Message,
    initialize_params,
    open_document,
    started,
)
from benchmarks.support.figures import Report, Watch, p50, read_options
from benchmarks.support.project import INTENTS_FILE, TWO_INTENTS, WRONG, project

STARTS = 20
ANSWERED_AIM = 1.25
# The language service is loaded as a whole once `initialize` is answered.
SHOWN_AIM = 2.0
SOURCE = "src/a.py"


def start(command: Sequence[str], root: Path, name: str, text: str) -> tuple[float, float]:
    """Start a server once and open a file.

    Return milliseconds until `initialize` is answered, and until the first diagnostic.
    """
    watch = Watch()
    with started(command, root) as client:
        client.ask("initialize", initialize_params(root))
        answered = watch.lap()
        client.notify("initialized", {})
        open_document(client, (root / name).as_uri(), text)
        client.read_until(_shows)
        return answered, answered + watch.lap()


def _shows(said: Message) -> bool:
    is_push = said.get("method") == "textDocument/publishDiagnostics"
    return is_push and bool(said["params"]["diagnostics"])


def compare(report: Report, rounds: int, name: str, text: str) -> tuple[list[float], list[float]]:
    """Start both servers in turn; return the minima of each: answered, shown."""
    files, intents = ({}, text) if name == INTENTS_FILE else ({name: "x = 1\n"}, TWO_INTENTS)
    bare, ours = [*BARE, "--publish-on-open"], OURS
    with project(files, intents) as root:
        # The first start of each fills the disk's and the interpreter's caches.
        pairs = [
            (start(bare, root, name, text), start(ours, root, name, text)) for _ in range(rounds)
        ][1:]
    theirs, mine = (list(zip(*(pair[at] for pair in pairs), strict=True)) for at in (0, 1))
    for server, (answered, shown) in (("bare pygls server", theirs), ("intent-lsp serve", mine)):
        for what, times in (("answered", answered), ("first problem", shown)):
            report.plain(f"{server}, {what}, minimum", min(times))
            report.plain(f"{server}, {what}, median", p50(times))
    return [min(times) for times in theirs], [min(times) for times in mine]


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    rounds = options.rounds(1 + STARTS)
    report = Report("start until initialize is answered and an intents file is checked", options)
    theirs, mine = compare(report, rounds, INTENTS_FILE, WRONG)
    report.held("answered, minimum / minimum", mine[0] / theirs[0], aim=ANSWERED_AIM)
    report.held("first problem, minimum / minimum", mine[1] / theirs[1], aim=SHOWN_AIM)
    print("start until a source file is judged")
    theirs, mine = compare(report, rounds, SOURCE, "x = 2\n")
    report.plain("first problem, minimum / minimum", mine[1] / theirs[1], unit="x")
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
