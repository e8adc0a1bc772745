"""How often blame agrees with `git blame`, line by line, on the history of a real project.

The last 300 commits of this repository, or all, are replayed as edits under two intents in turn:
each changed file becomes part of a record, with a rename where git finds one, and only with hashes
and ranges. Then both are asked about every file that was touched and still exists. Lines from
before the first commit have no record for us, and are boundary lines for git.
`python -m benchmarks.history`
"""

import subprocess
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pygit2

from benchmarks.support.client import environment
from benchmarks.support.figures import Report, Watch, p50, read_options
from intent_lsp.core.content import content_of, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import (
    AGENT,
    Conversation,
    Event,
    MutationClass,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.formats.diff import file_ranges
from intent_lsp.governance.ledger.blame import ALL_LINES, FileBlame
from intent_lsp.store.ledger.ledger import Ledger

HERE = Path(__file__).resolve().parent.parent
COMMITS = 300
ID = 40
SESSION = "0192f3c4-6b1e-7000-8000-3a5d1f2e4b6c"
AIM_OTHERWISE = 0.05


class Change(NamedTuple):
    """One file of a commit: its former name (None: the same), and its contents."""

    path: str
    before: bytes | None
    after: bytes | None
    former: str | None


def commits(repository: pygit2.Repository, count: int) -> list[pygit2.Commit]:
    """Return the last commits with one parent, the oldest first."""
    walk = repository.walk(repository.head.target, pygit2.enums.SortMode.TOPOLOGICAL)
    found: list[pygit2.Commit] = []
    for commit in walk:
        if len(found) == count or len(commit.parents) != 1:
            break
        found.append(commit)
    return found[::-1]


def changes(repository: pygit2.Repository, commit: pygit2.Commit) -> Iterator[Change]:
    """Yield what a commit did to each text file."""
    diff = repository.diff(commit.parents[0], commit)
    diff.find_similar()
    for delta in diff.deltas:
        old, new = delta.old_file.path, delta.new_file.path
        before, after = content(commit.parents[0].tree, old), content(commit.tree, new)
        yield Change(new, before, after, None if old == new else old)


def content(tree: pygit2.Tree, path: str) -> bytes | None:
    """Return the content of a file in a git tree, or None if there is no such file."""
    found = tree[path] if path in tree else None  # noqa: SIM401 - a tree is no mapping
    return found.data if isinstance(found, pygit2.Blob) else None


def replay(
    repository: pygit2.Repository, ledger: Ledger, count: int
) -> tuple[Mapping[str, str], Sequence[str]]:
    """Record each commit; return the commit of each record, and the files that were touched."""
    of_record: dict[str, str] = {}
    paths: set[str] = set()
    for number, commit in enumerate(commits(repository, count)):
        files = [
            RecordFile(
                relative_path=change.path,
                previous_path=change.former,
                pre_hash=hash_if_there(change.before),
                post_hash=hash_if_there(change.after),
                conversations=(
                    Conversation(
                        url=SESSION,
                        contributor=AGENT,
                        ranges=file_ranges(content_of(change.before), content_of(change.after)),
                    ),
                ),
            )
            for change in changes(repository, commit)
        ]
        paths.update(file.path for file in files)
        if files:
            record = ledger.append(
                Event(
                    intent_id=f"INT-{number % 2}",
                    session_id=SESSION,
                    tool_name="write_to_file",
                    mutation_class=MutationClass.INTENT_EVOLUTION,
                    scope_validation=ScopeValidation.PASS,
                    files=tuple(files),
                )
            )
            of_record[record.id] = str(commit.id)
    return of_record, sorted(paths)


def git_says(root: Path, since: str, path: str) -> list[str | None]:
    """Return the commit of each line by `git blame`, or None for a line from before."""
    words = ["git", "blame", "--porcelain", f"{since}..HEAD", "--", path]
    done = subprocess.run(
        words, cwd=root, env=environment(), check=True, stdout=subprocess.PIPE
    ).stdout
    found: list[str | None] = []
    boundaries: set[str] = set()
    commit = ""
    for line in done.split(b"\n"):
        if line.startswith(b"\t"):
            found.append(None if commit in boundaries else commit)
        elif line == b"boundary":
            boundaries.add(commit)
        elif len(line.split(b" ")[0]) == ID:
            commit = line.split(b" ")[0].decode()
    return found


def compare(root: Path, count: int, report: Report) -> None:
    """Replay the commits, then ask both about every file that is left."""
    try:
        repository = pygit2.Repository(str(root))
    except pygit2.GitError as problem:
        print(f"  there is no history here to replay: {problem}")
        return
    if not (found := commits(repository, count)):
        print("  there is no history here to replay: a clone has one")
        return
    first = found[0].parents[0]
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    moments = (begun + timedelta(seconds=number) for number in range(10 * count))
    with tempfile.TemporaryDirectory() as directory:
        # Only the ledger is a temporary one; the files are those of this repository.
        home = Path(directory)
        ledger = Ledger(home, lambda: next(moments), lambda: str(uuid.uuid4()))
        of_record, paths = replay(repository, ledger, count)
        same: Counter[bool] = Counter()
        ours, theirs = [], []
        head = repository.head.peel(pygit2.Commit).tree
        for path in paths:
            data = content(head, path)
            if data is None:
                continue
            file = home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            watch = Watch()
            wanted = git_says(root, str(first.id), path)
            theirs.append(watch.lap())
            told = we_say(FileBlame(home, ledger.index), path, of_record)
            ours.append(watch.lap())
            if len(told) == len(wanted):
                same.update(one == other for one, other in zip(told, wanted, strict=True))
        ledger.close()
    report.plain("files", len(ours), "")
    report.plain("lines", same.total(), "")
    report.held(
        "lines answered differently", same[False] / same.total(), aim=AIM_OTHERWISE, unit=""
    )
    report.plain("git blame, p50", p50(theirs))
    report.plain("blame, p50", p50(ours))


def we_say(blaming: FileBlame, path: str, of_record: Mapping[str, str]) -> list[str | None]:
    """Return the commit of each line by our blame, found by its record."""
    blamed = blaming.blame(WorkspacePath(path))
    runs = () if blamed is None else blamed.runs(*ALL_LINES)
    return [
        None if run.record is None else of_record[run.record.id]
        for run in runs
        for _ in range(run.start_line, run.end_line + 1)
    ]


def main(words: Sequence[str] | None = None) -> int:
    options = read_options(__doc__, words)
    report = Report(f"The last {COMMITS} commits of this project, replayed as records", options)
    compare(HERE, options.rounds(COMMITS), report)
    return report.status


if __name__ == "__main__":
    raise SystemExit(main())
