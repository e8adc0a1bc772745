"""What it costs to know who wrote each line: blame, saves, the first snapshot, and an idle server.

Blame of a file of 10,000 lines with 1,000 edits; the floor is `git blame` of the same file with the
same edits as commits. Blame of a file of 500 lines with 500 edits, the first time in a server and
as a process. Saves of a file of 10,000 lines in a server, from `didSave` until the record is
announced; the floor is a diff, a parse and an fsync. The first snapshot of a work tree of 50,000
files; the floor is `git status`. Then a minute in which nothing happens.
`python -m benchmarks.provenance`
"""

import argparse
import ast
import dataclasses
import inspect
import logging
import os
import random
import shutil
import subprocess
import sys
import tarfile
import time
import typing
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
from intent_lsp.core.content import content_of, hash_content
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.core.records import HUMAN, Contributor, Conversation, EntityType, Event, RecordFile
from intent_lsp.formats.diff import file_ranges
from intent_lsp.formats.syntax.languages import parse
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.ledger.blame import ALL_LINES, Blamed, FileBlame
from intent_lsp.store.ledger.ledger import Ledger

PATH = "src/auth/large.py"
LINES = 10_000
EDITS = 1_000
FEW_LINES = 500
MANY_LINES = 10_000
FIRST_EDITS = 500
ROUNDS = 20
SAVES = 300
FILES = 50_000
SCANS = 10
QUICK_FILES = 60
QUICK_IDLE_SECONDS = 0.5
IN_A_DIRECTORY = 50
AIM_BLAME = 1.0
AIM_FIRST = 0.5
AIM_SAVE_MS = 70.0
AIM_SAVE_P99 = 3.0
AIM_SCAN = 1.5
AIM_IDLE = 0.5
IDLE_FILES = 10_000
IDLE_SECONDS = 60.0

Text = list[str]


def edits(chance: random.Random, text: Text) -> Iterator[Text]:
    """Change a text in place, some lines here and there each time; yield it after each change."""
    for number in count_from():
        at, gone, new = chance.randrange(len(text)), chance.randrange(8), chance.randrange(1, 9)
        text[at : at + gone] = [f"    value_{number}_{line} = {at}\n" for line in range(new)]
        yield text


def source(count: int) -> Text:
    """Return a module of `lines` lines: functions of ten lines each."""
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
        ranges=file_ranges(content_of(before), content_of(after)),
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
    """One file with two histories: each edit is a record of ours and a commit of git."""

    def __init__(self, root: Path, chance: random.Random, lines: int) -> None:
        begun = datetime(2026, 1, 1, tzinfo=UTC)
        moments = (begun + timedelta(seconds=number) for number in count_from())
        self.ledger = Ledger(root, lambda: next(moments), lambda: str(uuid.uuid4()))
        self._root, self._number = root, 0
        self._held: bytes | None = None
        self._texts = chain([source(lines)], edits(chance, source(lines)))

    def go_on(self, count: int) -> None:
        """Make this many further edits."""
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
    """Ask both histories, then edit the file further and ask again, as editors do."""
    chance = random.Random(1)  # noqa: S311 - nobody is kept out by these numbers
    with project({PATH: "".join(source(LINES))}) as root:
        histories = Histories(root, chance, LINES)
        histories.go_on(options.rounds(EDITS))
        blaming = FileBlame(root, histories.ledger.index)
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


def measure_first_blame(options: Options, report: Report) -> None:
    """Blame a file of many edits as a server that has just started, and as a process.

    What a process costs is nearly all its start, `git blame` takes as long as the file has lines.
    """
    theirs, ours, processes = first_blames(options, FEW_LINES)
    report.plain(f"git blame, {FEW_LINES} lines, p50", theirs)
    report.held("first blame / git blame, p50", ours / theirs, aim=AIM_FIRST)
    report.held("trace blame, a process / git blame, p50", processes / theirs, aim=AIM_BLAME)
    theirs, ours, processes = first_blames(options, MANY_LINES)
    report.plain(f"the same, {MANY_LINES} lines", processes / theirs, "x")


def first_blames(options: Options, lines: int) -> tuple[float, float, float]:
    """Return the medians of `git blame`, of a first blame, and of a process, in milliseconds."""
    with project({PATH: "".join(source(lines))}) as root:
        histories = Histories(root, random.Random(2), lines)  # noqa: S311 - nobody is kept out by these numbers
        histories.go_on(options.rounds(FIRST_EDITS))
        command = [sys.executable, "-m", "intent_lsp", "trace", "blame", PATH]
        theirs, ours, processes = [], [], []
        for _ in range(options.rounds(ROUNDS)):
            histories.ledger.index.close()
            watch = Watch()
            git(root, b"", "blame", "--porcelain", PATH)
            theirs.append(watch.lap())
            explained(FileBlame(root, histories.ledger.index).blame(WorkspacePath(PATH)))
            ours.append(watch.lap())
            subprocess.run(
                command, cwd=root, env=environment(), check=True, stdout=subprocess.DEVNULL
            )
            processes.append(watch.lap())
        histories.ledger.close()
    return p50(theirs), p50(ours), p50(processes)


def explained(blamed: Blamed | None) -> None:
    """Check that blame explains every line."""
    runs = () if blamed is None else blamed.runs(*ALL_LINES)
    if not runs or not all(run.record for run in runs):
        raise SystemExit("a line is not explained")


def commit(number: int, data: bytes, *, goes_on: bool) -> bytes:
    """Return a commit of the file for `git fast-import`; `goes_on`: on top of existing ones."""
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
    """Time saves of a large file, and the least work that any save has to do."""
    text, places = written(LINES)
    times, floors = [], []
    with project({PATH: "".join(text)}) as root, started(OURS) as server:
        introduce(server, root, notified=True)
        uri = (root / PATH).as_uri()
        open_document(server, uri, "".join(text))
        server.ask("intent/select", {"intentId": "INT-001"})
        for number in range(options.rounds(SAVES)):
            before = "".join(text).encode()
            at = places[(number * 37) % len(places)]
            length = len(text[at].rstrip("\n"))
            blanks = text[at][: len(text[at]) - len(text[at].lstrip())]
            text[at] = f"{blanks}changed_{number} = {number}\n"
            server.write(change(uri, number + 2, [replacing(at, 0, length, text[at].rstrip())]))
            after = "".join(text).encode()
            (root / PATH).write_bytes(after)
            times.append(saved(server, uri))
            floors.append(least(root, before, after))
    report.plain("diff + parse + fsync, p50", p50(floors))
    report.plain("diff + parse + fsync, p99", p99(floors))
    report.held("save until its record is announced, p50", p50(times), aim=AIM_SAVE_MS, unit="ms")
    report.plain("save until its record is announced, p99", p99(times))
    ratio = p99(times) / p99(floors)
    report.held("save / (diff + parse + fsync), p99", ratio, aim=AIM_SAVE_P99)


def written(count: int) -> tuple[Text, list[int]]:
    """Return a module of so many lines that people wrote, and its lines that assign something.

    It is put together from Python's own modules, with as many lines of `source` as are missing.
    """
    text: Text = []
    places: list[int] = []
    for module in (argparse, ast, inspect, typing, dataclasses, subprocess, tarfile, logging):
        own = inspect.getsource(module).splitlines(keepends=True)
        if len(text) + len(own) <= count:
            found = ast.walk(ast.parse("".join(own)))
            simple = (each for each in found if isinstance(each, ast.Assign))
            lines = (each.lineno - 1 for each in simple if each.lineno == each.end_lineno)
            places += [len(text) + line for line in lines if ";" not in own[line]]
            text += own
    return [*text, *source(count - len(text))], places


def saved(server: Client, uri: str) -> float:
    """Announce a save; return the milliseconds until its record is announced."""
    watch = Watch()
    server.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    server.read_until(lambda said: said.get("method") == "intent/didTrace")
    return watch.lap()


def least(root: Path, before: bytes, after: bytes) -> float:
    """Time the least work of a save, in milliseconds: a diff, a parse, and an fsync."""
    watch = Watch()
    file_ranges(content_of(before), content_of(after))
    tree = parse("python", content_of(after))
    with (root / ".git" / "bench").open("ab") as file:
        file.write(b"x" * 1000 + b"\n")
        file.flush()
        os.fsync(file.fileno())
    if tree is None:
        raise SystemExit("the file is not parsed")
    return watch.lap()


def measure_scan(options: Options, report: Report) -> None:
    """Time a start on a large work tree, some of whose files differ from the commit."""
    count = QUICK_FILES if options.quick else FILES
    files = {f"src/part{n // IN_A_DIRECTORY}/file{n}.py": f"line {n}\n" for n in range(count)}
    with project(files) as root:
        for name in list(files)[:: count // 20]:
            (root / name).write_text("changed\n")
        status, taken, alone = [], [], []
        for _ in range(options.rounds(SCANS)):
            watch = Watch()
            git(root, b"", "-c", "core.fsmonitor=false", "status", "--porcelain")
            status.append(watch.lap())
            taken.append(first_scan(root))
            with project({}) as small:
                alone.append(first_scan(small))
    report.plain("git status, p50", p50(status))
    report.plain("first scan of no files, p50", p50(alone))
    report.plain("first scan, p50", p50(taken))
    report.held("first scan / git status, p50", p50(taken) / p50(status), aim=AIM_SCAN)


def first_scan(root: Path) -> float:
    """Open the governance of a root as for an editor: it finds what differs from the commit."""
    watch = Watch()
    governance = Governance(root, patient=True)
    session = governance.open_editor(None, HUMAN)
    taken = watch.lap()
    governance.close(session)
    shutil.rmtree(root / LOCAL_ROOM)
    return taken


def measure_idle(options: Options, report: Report) -> None:
    """Return the share of a processor that an idle server uses while it watches a work tree."""
    count = QUICK_FILES if options.quick else IDLE_FILES
    files = {f"src/part{n // IN_A_DIRECTORY}/file{n}.py": f"line {n}\n" for n in range(count)}
    with project(files) as root, started(OURS) as server:
        introduce(server, root, notified=True)
        name = next(iter(files))
        open_document(server, (root / name).as_uri(), files[name])
        server.ask("intent/status", {})
        wait_until_idle(server)
        watch, before = Watch(), cpu_seconds(server)
        time.sleep(QUICK_IDLE_SECONDS if options.quick else IDLE_SECONDS)
        used = 1000 * (cpu_seconds(server) - before) / watch.lap()
    report.held("idle, of one processor", 100 * used, aim=AIM_IDLE, unit="%")


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report(f"Where {LINES:,} lines come from", options)
    measure_blame(options, report)
    measure_first_blame(options, report)
    measure_saves(options, report)
    measure_scan(options, report)
    measure_idle(options, report)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
