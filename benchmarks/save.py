"""How long a save waits for the server: `willSaveWaitUntil` on a file of 1 MB out of scope.

With `warn`, judged and let through; the floor is reading and hashing that file, after a bare
request is subtracted. With `block`, refused, kept as a draft on the disk, and reverted; the 99th
percentile. `python -m benchmarks.save`
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.client import (
    BARE,
    OURS,
    Client,
    Message,
    change,
    introduce,
    open_document,
    replacing,
    started,
)
from benchmarks.support.figures import Options, Report, Watch, p50, p99, read_options
from benchmarks.support.project import POLICY_FILE, project

PATH = "src/billing/large.py"
LINE = "line {} of a file of one megabyte\n"
SIZE = 1_000_000
SAVES = 300
AIM_WARN = 8.0
AIM_BLOCK_MS = 50.0
MANUAL = 1


class Writer:
    """An editor that types into the file and saves it."""

    def __init__(self, client: Client, root: Path, text: str) -> None:
        self._client = client
        self._uri = (root / PATH).as_uri()
        self._version = 1
        introduce(client, root)
        open_document(client, self._uri, text)

    def type(self, edits: Sequence[Message]) -> None:
        """Change the buffer, and wait for its diagnostics."""
        self._version += 1
        self._client.write(change(self._uri, self._version, edits))
        self._client.problems(self._uri, self._version)

    def save(self) -> tuple[float, list[Message]]:
        """Announce a save; return the milliseconds until the answer, and its edits."""
        params = {"textDocument": {"uri": self._uri}, "reason": MANUAL}
        identity, data = self._client.request("textDocument/willSaveWaitUntil", params)
        watch = Watch()
        self._client.write(data)
        edits = self._client.answer(identity)
        return watch.lap(), edits


def read_and_hash(path: Path) -> float:
    """Time the least work of any judgement, in milliseconds: read the file and hash it."""
    watch = Watch()
    hashlib.sha256(path.read_bytes()).hexdigest()
    return watch.lap()


def measure_warn(text: str, options: Options, report: Report) -> None:
    floors, bares, times = [], [], []
    with project({PATH: text}) as root, started(OURS) as server, started(BARE) as floor:
        ours, bare = Writer(server, root, text), Writer(floor, root, text)
        server.ask("intent/select", {"intentId": "INT-001"})
        for number in range(options.rounds(SAVES)):
            typed = [replacing(number, 0, 0, "typed ")]
            ours.type(typed)
            bare.type(typed)
            floors.append(read_and_hash(root / PATH))
            bares.append(bare.save()[0])
            taken, edits = ours.save()
            times.append(taken)
            if edits:
                raise SystemExit("a save was turned back that warn lets through")
    report.plain("read + SHA-256, p50", p50(floors))
    report.plain("bare request, p50", p50(bares))
    report.plain("warn, p50", p50(times))
    report.plain("warn, p99", p99(times))
    beyond = (p50(times) - p50(bares)) / p50(floors)
    report.held("(warn - bare request) / (read + SHA-256), p50", beyond, aim=AIM_WARN)


def measure_block(text: str, options: Options, report: Report) -> None:
    times, refused = [], 0
    files = {PATH: text, POLICY_FILE: "sidecar:\n  enforcement: block\n"}
    with project(files) as root, started(OURS) as server:
        ours = Writer(server, root, text)
        server.ask("intent/select", {"intentId": "INT-001"})
        for number in range(options.rounds(SAVES)):
            ours.type([replacing(number, 0, 0, "typed ")])
            taken, edits = ours.save()
            times.append(taken)
            # On a busy machine the server lets a save through; its long time shows that.
            refused += bool(edits)
            ours.type([{"range": edit["range"], "text": edit["newText"]} for edit in edits])
        drafts = len(server.ask("intent/drafts", {})["drafts"])
    # With --quick there are two saves; on a busy machine both may be too late to be refused.
    if not refused and not options.quick:
        raise SystemExit("every save was let through that block refuses")
    if drafts < refused:
        raise SystemExit(f"{drafts} drafts of {refused} refused saves")
    report.plain("block, p50", p50(times))
    report.held("block, p99", p99(times), aim=AIM_BLOCK_MS, unit="ms")


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    text = "".join(LINE.format(number) for number in range(SIZE // len(LINE.format(10_000))))
    report = Report(f"willSaveWaitUntil, {len(text) / 1e6:.1f} MB", options)
    measure_warn(text, options, report)
    measure_block(text, options, report)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
