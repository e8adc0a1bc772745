"""Git's own rules and the ledger's end, as a command finds them (requirements section 6)."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from intent_lsp.core.agents.tickets import GuardedFile
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store import protected_files
from intent_lsp.store.fs.resolve import last_touched
from intent_lsp.store.protected_files import guarded_files, ledger_goes_on, ledger_seen
from tests.support.repository import create

CONFIG = WorkspacePath(".git/config")


def put(root: Path, name: str, text: str = "x\n") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def meanings(files: Mapping[WorkspacePath, GuardedFile]) -> Mapping[WorkspacePath, ContentHash]:
    return {path: file.meaning for path, file in files.items()}


def test_what_git_heeds_and_runs_is_hashed(tmp_path: Path) -> None:
    names = ["config", "info/exclude", "info/attributes", "hooks/pre-commit", "hooks/sub/x"]
    for name in (*names, "hooks/pre-push.sample", "HEAD", "description", "info/refs"):
        put(tmp_path, name)
    work_tree = tmp_path / "worktrees/a"
    put(work_tree, "config.worktree", "[core]\n\tpager = x\n")
    put(work_tree, "config")
    put(work_tree, "logs/HEAD")
    (tmp_path / "hooks/dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "hooks/pipe")
    found = guarded_files(work_tree, tmp_path)
    here = ("config.worktree", "logs/HEAD")
    assert sorted(found) == sorted(f".git/{name}" for name in (*names, *here))
    assert guarded_files(tmp_path / "no", tmp_path / "no") == {}


FREE = [
    "git remote add origin ../other && git push --quiet --force --set-upstream origin main",
    "git checkout --quiet --track -b mine main",
    "git config user.name x && git config --add core.ignoreCase true",
    "git submodule --quiet add ../other sub && git submodule --quiet init",
    "git sparse-checkout set a",
]


@pytest.mark.parametrize("command", FREE)
def test_what_git_writes_into_its_configuration_all_day_means_nothing(
    tmp_path: Path, command: str
) -> None:
    other = create(tmp_path / "other")
    other.commit()
    other.git("config", "receive.denyCurrentBranch", "ignore")
    repository = create(tmp_path / "root")
    repository.commit()
    git_dir = repository.root / ".git"
    before = guarded_files(git_dir, git_dir)
    subprocess.run(["bash", "-ec", command], cwd=repository.root, check=True)
    after = guarded_files(git_dir, git_dir)
    assert meanings(before) == meanings(after)
    assert before[CONFIG].hash != after[CONFIG].hash


@pytest.mark.parametrize(
    "command",
    [
        "git config core.hooksPath x",
        "git config alias.st '!x'",
        "git config remote.origin.uploadpack x",
        "git config --worktree core.pager x",
        "printf x > .git/config",
    ],
)
def test_what_git_is_made_to_run_is_another_meaning(tmp_path: Path, command: str) -> None:
    repository = create(tmp_path)
    git_dir = tmp_path / ".git"
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.git("config", "--worktree", "core.editor", "x")
    before = guarded_files(git_dir, git_dir)
    subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True)
    assert meanings(before) != meanings(guarded_files(git_dir, git_dir))


def test_a_work_trees_own_configuration_counts_by_what_it_sets_and_whether_it_is_read(
    tmp_path: Path,
) -> None:
    config = put(tmp_path, "config", "[core]\n")
    own = put(tmp_path, "config.worktree", "[core]\n\tsparseCheckout = true\n")
    assert list(guarded_files(tmp_path, tmp_path)) == [CONFIG]
    own.write_text("[core]\n\thooksPath = x\n")
    seen = []
    for text in ("[core]\n", "[a]\n", "[extensions]\n\tworktreeConfig\n", "[broken\n"):
        config.write_text(text)
        seen.append(guarded_files(tmp_path, tmp_path)[WorkspacePath(".git/config.worktree")])
    assert seen[0] == seen[1] == seen[3] != seen[2]
    config.unlink()
    assert list(guarded_files(tmp_path, tmp_path).values()) == seen[:1]


def test_of_a_configuration_that_is_not_read_to_its_end_everything_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected_files, "READ_AT_MOST", 4)
    place = put(tmp_path, "config", "# abc")
    before = guarded_files(tmp_path, tmp_path)
    place.write_text("# abcd")
    assert meanings(before) != meanings(guarded_files(tmp_path, tmp_path))


def test_of_a_large_file_the_beginning_and_the_size_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected_files, "READ_AT_MOST", 4)
    place = put(tmp_path, "hooks/a", "abcdef")
    seen = []
    for text in ("abcdef", "abcdeg", "abcdefg", "xbcdef"):
        place.write_text(text)
        (file,) = guarded_files(tmp_path, tmp_path).values()
        seen.append(file.hash)
    assert (seen[0] == seen[1], len(set(seen))) == (True, 3)


def test_what_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place = put(tmp_path, "config")

    def refusing(*_given: object, **_named: object) -> None:
        raise PermissionError

    # Rights do not bind root: the system's own call refuses.
    monkeypatch.setattr(Path, "open", refusing)
    assert guarded_files(tmp_path, tmp_path) == {}
    assert f"{place} cannot be compared" in caplog.text


@pytest.mark.parametrize(
    ("after", "goes_on"),
    [
        ("one\ntwo\n", True),
        ("one\ntwo\nthree\n", True),
        ("one\ntwo\ntor", True),
        ("one\ntw0\n", False),
        ("one\n", False),
        ("", False),
        ("two\none\n", False),
    ],
)
@pytest.mark.parametrize("torn", ["", "half a li"])
def test_a_ledger_goes_on_where_its_lines_are_what_they_were(
    tmp_path: Path, after: str, torn: str, *, goes_on: bool
) -> None:
    ledger = put(tmp_path, "ledger", f"one\ntwo\n{torn}")
    seen = ledger_seen(ledger)
    assert seen is not None
    ledger.write_text(after)
    assert ledger_goes_on(ledger, seen) is goes_on


def test_of_a_long_ledger_the_last_lines_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protected_files, "READ_AT_MOST", 6)
    ledger = put(tmp_path, "ledger", "one\ntwo\nsix\n")
    seen = ledger_seen(ledger)
    assert seen is not None
    assert (seen.start, seen.end) == (6, 12)
    for text, goes_on in (("ONE\ntwo\nsix\n", True), ("one\ntwO\nsix\n", False)):
        ledger.write_text(text)
        assert ledger_goes_on(ledger, seen) is goes_on
    ledger.write_text("one\ntwo\nsix\nlonger than all")
    assert ledger_seen(ledger) is None


def test_a_ledger_that_is_none_is_not_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert ledger_seen(tmp_path / "none") is None
    seen = ledger_seen(put(tmp_path, "ledger"))
    assert seen is not None
    (tmp_path / "link").symlink_to("ledger")
    assert not ledger_goes_on(tmp_path / "link", seen)
    assert "cannot be compared" in caplog.text
    assert not ledger_goes_on(tmp_path / "none", seen)


def test_a_file_was_touched_when_the_system_says_so(tmp_path: Path) -> None:
    place = put(tmp_path, "a")
    noted = place.stat().st_ctime
    os.utime(place, (0, 0))
    touched = last_touched(place)
    assert touched is not None
    assert touched >= noted
    place.unlink()
    assert last_touched(place) == max(tmp_path.stat().st_mtime, tmp_path.stat().st_ctime)
    assert last_touched(tmp_path / "no/such/file") is None
    assert last_touched(tmp_path / "nul\0" / "x") is None
