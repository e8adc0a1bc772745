"""Git at work all the time, in a tree that a person edits: no false record, and no edit missed."""

import random
import subprocess
import threading
from pathlib import Path

import pytest

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.store.git import activity
from tests.governance.editor import Editor
from tests.governance.watcher import Watcher
from tests.support.repository import Repository

STORMS = [
    pytest.param(15, 200, id="short"),
    pytest.param(200, 2000, id="long", marks=pytest.mark.slow),
]
OPERATIONS = (
    "git checkout -q other; git checkout -q main",
    "git checkout -q other",
    "git stash -q; git checkout -q other; git checkout -q main; git stash pop -q",
    "git checkout -qb s; git rebase -q --autostash other; git checkout -q main; git branch -qD s",
    "git stash -q; git reset -q --hard other; git reset -q --hard ORIG_HEAD; git stash pop -q",
    "git checkout -q other; git merge -q --no-edit main; git reset -q --keep ORIG_HEAD",
)
MINE = ("own/0.txt", "own/1.txt", "own/2.txt")


def fill(repository: Repository, files: int) -> None:
    """Make two branches that differ in some files, and some of a person's in neither."""
    repository.write("README", "ours\n")
    repository.write("of-main", "0\n")
    for branch in ("main", "other"):
        if branch == "other":
            repository.git("checkout", "--quiet", "-b", "other")
        for number in range(files):
            repository.write(f"tree/{number % 20}/{number}.txt", f"{branch} {number}\n")
        repository.commit(branch)
    repository.git("checkout", "--quiet", "main")
    repository.write("of-main", "1\n")
    repository.commit("ours")
    # Uncommitted all the time: git stashes it and brings it back.
    repository.write("README", "changed\n")
    for path in MINE:
        repository.write(path, "0\n")


class Storm(threading.Thread):
    """A person's git, in a terminal beside the editor."""

    def __init__(self, root: Path, count: int) -> None:
        super().__init__(daemon=True)
        self.root, self.count = root, count
        self.chance = random.Random(count)  # noqa: S311 - any order will do
        self.failed: list[bytes] = []

    def run(self) -> None:
        for _ in range(self.count):
            # A lock that another git holds is tried again, as a person would.
            script = f"{self.chance.choice(OPERATIONS)}; git checkout -q main"
            done = subprocess.run(
                ["sh", "-ec", script], cwd=self.root, check=False, capture_output=True
            )
            if done.returncode:
                self.failed.append(done.stderr)


@pytest.mark.parametrize(("count", "files"), STORMS)
def test_only_the_edits_are_recorded_each_once(
    governed: Repository,
    editor: Editor,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    files: int,
) -> None:
    """The long one takes minutes: a checkout of 2,000 files, and looks at them, 200 times."""
    monkeypatch.setattr(activity, "RESTS_AFTER", 1.0)
    fill(governed, files)
    watcher = Watcher(editor.governance, editor.session)
    storm = Storm(governed.root, count)
    written: dict[str, list[ContentHash]] = {path: [] for path in MINE}
    recorded: dict[str, list[ContentHash | None]] = {path: [] for path in MINE}
    false: list[str] = []

    def look() -> None:
        watcher.changes.look()
        for each in watcher.changes.record(watcher.session).recorded:
            assert each.record is not None
            for file in each.record.files:
                if file.path in recorded:
                    recorded[file.path].append(file.post_hash)
                else:
                    false.append(file.path)

    storm.start()
    number = 0
    while storm.is_alive():
        number += 1
        path = MINE[number % len(MINE)]
        # The next edit waits for the record of the one before.
        if recorded[path] == written[path]:
            text = f"{number}\n"
            governed.write(path, text)
            written[path].append(hash_content(text.encode()))
        look()
    storm.join()
    while (looked := watcher.changes.look()) is None or looked.again:
        pass
    look()
    assert storm.failed == []
    assert false == []
    assert recorded == written
    assert all(written.values())
