"""Who wrote each line, and what a save costs that is to be told apart by lines.

Blame of a file of 10,000 lines with 1,000 edits, beside `git blame` of the same file with the same
edits as commits. Then saves of a file of 10,000 lines in a server, from `didSave` until the record
is told, beside what each cannot do without: a diff, an outline and an fsync. Then the start on a
work tree of 50,000 files until the server is quiet, beside `git status`.
`python -m benchmarks.provenance`
"""

import os
import random
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from itertools import count as count_from
from pathlib import Path

from benchmarks.ledger_append import event
from benchmarks.support.client import (
    OURS,
    Client,
    change,
    environment,
    introduce,
    open_document,
    replacing,
    started,
)
from benchmarks.support.figures import Options, Report, Watch, p50, p99, read_options
from benchmarks.support.process import cpu_seconds, wait_until_idle
from benchmarks.support.project import project
from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Contributor, Conversation, EntityType, Event, RecordFile
from intent_lsp.formats.diff import file_ranges
from intent_lsp.formats.outline import outline
from intent_lsp.governance.blaming import ALL_LINES, Blamed, Blaming
from intent_lsp.store.ledger import Ledger

PATH = "src/auth/large.py"
LINES = 10_000
EDITS = 1_000
ROUNDS = 20
SAVES = 300
FILES = 50_000
QUICK_FILES = 500
IN_A_DIRECTORY = 50
AIM_BLAME = 1.0
AIM_SAVE_MS = 20.0
AIM_SAVE_P99 = 3.0
AIM_SCAN = 1.5

Text = list[str]


def edits(chance: random.Random, text: Text) -> Iterator[Text]:
    """Change a text in place, some lines here and there each time; give it after each change."""
    for number in count_from():
        at, gone, new = chance.randrange(len(text)), chance.randrange(8), chance.randrange(1, 9)
        text[at : at + gone] = [f"    value_{number}_{line} = {at}\n" for line in range(new)]
        yield text


def source(count: int) -> Text:
    """Write a module of so many lines: functions of ten lines."""
    return [
        f"def function_{line}():\n" if line % 10 == 0 else f"    step_{line} = {line}\n"
        for line in range(count)
    ]


def recorded(ledger: Ledger, number: int, before: bytes | None, after: bytes) -> None:
    """Record one change of the file."""
    like = event(number)
    talk = Conversation(
        url=like.session_id,
        contributor=Contributor(EntityType.AI, "anthropic/claude-opus-4-5"),
        ranges=file_ranges(before, after),
    )
    file = RecordFile(
        relative_path=PATH,
        pre_hash=None if before is None else hash_content(before),
        post_hash=hash_content(after),
        conversations=(talk,),
    )
    ledger.append(
        Event(
            intent_id=like.intent_id,
            session_id=like.session_id,
            tool_name=like.tool_name,
            mutation_class=like.mutation_class,
            scope_validation=like.scope_validation,
            files=(file,),
        )
    )


class Histories:
    """One file that is edited, each edit a record of ours and a commit of git's."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        begun = datetime(2026, 1, 1, tzinfo=UTC)
        moments = (begun + timedelta(seconds=number) for number in count_from())
        self.ledger = Ledger(root, lambda: next(moments), lambda: str(uuid.uuid4()))
        self._root, self._number = root, 0
        self._held: bytes | None = None
        self._texts = chain([source(LINES)], edits(chance, source(LINES)))

    def go_on(self, count: int) -> None:
        """Make so many edits."""
        stream = []
        for text in islice(self._texts, count):
            after = "".join(text).encode()
            recorded(self.ledger, self._number, self._held, after)
            stream.append(commit(self._number, after, goes_on=bool(self._number and not stream)))
            self._held, self._number = after, self._number + 1
        (self._root / PATH).write_bytes(self._held or b"")
        git(self._root, b"".join(stream), "fast-import", "--quiet")
        git(self._root, b"", "reset", "--quiet", "refs/heads/bench")


def measure_blame(options: Options, report: Report) -> None:
    """Ask both histories, then go on with the file and ask again, as editors do."""
    chance = random.Random(1)  # noqa: S311 - nobody is kept out by these numbers
    with project({PATH: "".join(source(LINES))}) as root:
        histories = Histories(root, chance)
        histories.go_on(options.rounds(EDITS))
        blaming = Blaming(root, histories.ledger.index)
        ours, theirs = [], []
        for _ in range(options.rounds(ROUNDS)):
            watch = Watch()
            git(root, b"", "blame", "--porcelain", PATH)
            theirs.append(watch.lap())
            blamed = blaming.blame(WorkspacePath(PATH))
            ours.append(watch.lap())
            explained(blamed)
            histories.go_on(1)
        histories.ledger.close()
    report.plain("git blame, p50", p50(theirs))
    report.plain("blame, the first time", ours[0])
    report.plain("blame, p50", p50(ours))
    report.held("blame / git blame, p50", p50(ours) / p50(theirs), aim=AIM_BLAME)


def explained(blamed: Blamed | None) -> None:
    """See that every line is told."""
    runs = () if blamed is None else blamed.runs(*ALL_LINES)
    if not runs or not all(run.record for run in runs):
        raise SystemExit("a line is not explained")


def commit(number: int, data: bytes, *, goes_on: bool) -> bytes:
    """Spell a commit of the file for `git fast-import`; `goes_on`: after those that are there."""
    who = f"Ada <ada@example.org> {1_700_000_000 + number} +0000"
    head = f"commit refs/heads/bench\ncommitter {who}\ndata 1\n.\n"
    above = "from refs/heads/bench^0\n" if goes_on else ""
    file = f"M 100644 inline {PATH}\ndata {len(data)}\n"
    return (head + above + file).encode() + data + b"\n"


def git(root: Path, given: bytes, *words: str) -> None:
    subprocess.run(
        ["git", *words],
        cwd=root,
        env=environment(),
        input=given,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def measure_saves(options: Options, report: Report) -> None:
    """Save a large file in an editor, and do beside it what no save can do without."""
    text = source(LINES)
    times, floors = [], []
    with project({PATH: "".join(text)}) as root, started(OURS) as server:
        introduce(server, root, notified=True)
        uri = (root / PATH).as_uri()
        open_document(server, uri, "".join(text))
        server.ask("intent/select", {"intentId": "INT-001"})
        for number in range(options.rounds(SAVES)):
            before = "".join(text).encode()
            line = f"    changed_{number} = {number}\n"
            at = (number * 37) % LINES
            text[at] = line
            server.write(change(uri, number + 2, [replacing(at, 0, 200, line.rstrip())]))
            after = "".join(text).encode()
            (root / PATH).write_bytes(after)
            times.append(saved(server, uri))
            floors.append(least(root, before, after))
    report.plain("diff + outline + fsync, p50", p50(floors))
    report.plain("diff + outline + fsync, p99", p99(floors))
    report.held("save until its record is told, p50", p50(times), aim=AIM_SAVE_MS, unit="ms")
    report.plain("save until its record is told, p99", p99(times))
    report.held("save / (diff + outline + fsync), p99", p99(times) / p99(floors), aim=AIM_SAVE_P99)


def saved(server: Client, uri: str) -> float:
    """Tell of a save; milliseconds until its record is told."""
    watch = Watch()
    server.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    server.read_until(lambda said: said.get("method") == "intent/didTrace")
    return watch.lap()


def least(root: Path, before: bytes, after: bytes) -> float:
    """Do what each save has to: compare, parse, and have the disk keep a line; milliseconds."""
    watch = Watch()
    file_ranges(before, after)
    outline(PATH, after)
    with (root / ".git" / "bench").open("ab") as file:
        file.write(b"x" * 1000 + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return watch.lap()


def measure_scan(options: Options, report: Report) -> None:
    """Start on a large work tree, some of whose files differ from the commit."""
    count = QUICK_FILES if options.quick else FILES
    files = {f"src/part{n // IN_A_DIRECTORY}/file{n}.py": f"line {n}\n" for n in range(count)}
    with project(files) as root:
        for name in list(files)[:: count // 20]:
            (root / name).write_text("changed\n")
        status, taken, alone = [], [], []
        for _ in range(3):
            watch = Watch()
            git(root, b"", "-c", "core.fsmonitor=false", "status", "--porcelain")
            status.append(watch.lap())
            taken.append(quiet_after(root))
            with project({}) as small:
                alone.append(quiet_after(small))
    report.plain("git status, p50", p50(status))
    report.plain("processor time until quiet, without files, p50", p50(alone))
    report.plain("processor time until quiet, p50", p50(taken))
    beyond = (p50(taken) - p50(alone)) / p50(status)
    report.held("first scan / git status, p50", beyond, aim=AIM_SCAN)


def quiet_after(root: Path) -> float:
    """Start a server on a root; milliseconds of processor time until it is quiet."""
    with started(OURS) as server:
        introduce(server, root)
        server.ask("intent/status", {})
        wait_until_idle(server)
        return cpu_seconds(server) * 1000


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report(f"Where {LINES:,} lines come from", options)
    measure_blame(options, report)
    measure_saves(options, report)
    measure_scan(options, report)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
