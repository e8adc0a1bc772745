"""What a command changed, by comparing the work tree (requirements section 6)."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import GitSnapshot, TreeSnapshot
from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.pending_changes import ChangedFile
from intent_lsp.governance.disk.tree_snapshots import FILES_AT_MOST, KEPT_AT_ONCE
from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store import clock
from intent_lsp.store.fs.local_dir import open_local_directory
from intent_lsp.store.fs.tree_reader import HELD_AT_MOST
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.state.blob_cache import BlobCache
from intent_lsp.store.state.drafts import Drafts
from intent_lsp.store.state.sessions_db import SessionDb
from tests.support.repository import Repository, create

Texts = Mapping[str, tuple[str | None, str | None]]
"""What each changed file held before and after."""

ONE, BEE, SEA = "one\n", "bee\n", "sea\n"
TWO: Texts = {"a": (ONE, "two\n")}

# What the server writes when it first opens its own room.
OURS = ".orchestration/.gitignore"

# A branch `other`, whose `a` and `new` are its own and which has no `dir/c`.
OTHER = (
    "git checkout -q -b other; echo theirs > a; git rm -q dir/c; echo new > new;"
    " git add .; git commit -qm other; git checkout -q main"
)
OURS_TOO = "echo x > b; git commit -qam ours"


@dataclass
class ComparedRoot:
    """A root, its stores, and its work tree under comparison."""

    root: Path
    stores: Stores
    tree: WorkTree

    @classmethod
    def of(cls, root: Path) -> "ComparedRoot":
        """Open the stores of a root that is governed."""
        (root / ".orchestration").mkdir(parents=True, exist_ok=True)
        local = open_local_directory(root)
        assert local is not None
        stores = Stores(
            root=root,
            rules=RulesCache(root),
            ledger=Ledger(root, clock.now, clock.new_id),
            state=SessionDb(local),
            drafts=Drafts(root),
            snapshots=BlobCache(root),
            clock=clock.now,
            new_id=clock.new_id,
        )
        return cls(root, stores, WorkTree(stores, Contents(stores)))

    def run(self, command: str) -> None:
        """Run a command of the shell in the root; it must succeed."""
        subprocess.run(["sh", "-ec", command], cwd=self.root, check=True, capture_output=True)

    def seen(self) -> TreeSnapshot:
        """See the tree, which must be possible."""
        seen = self.tree.seen()
        assert seen is not None
        return seen

    def changes(self, before: TreeSnapshot) -> tuple[ChangedFile, ...]:
        """Tell what is another than before, which must be possible."""
        changed = self.tree.changes(before)
        assert changed is not None
        assert not changed.assumed
        return tuple(file for file in changed.files if not file.discarded)

    def changed_by(self, command: str) -> tuple[ChangedFile, ...]:
        """Tell what a command changes."""
        before = self.seen()
        self.run(command)
        return self.changes(before)

    def texts(self, changed: tuple[ChangedFile, ...]) -> Texts:
        """Give what files held before, as it was kept, and hold now; their hashes must fit."""
        for file in changed:
            assert file.old_known
            assert file.new == hash_if_there(file.data)
            assert file.old != file.new
        assert [file.path for file in changed] == sorted(file.path for file in changed)
        return {file.path: (self.kept(file.old), _text(file.data)) for file in changed}

    def kept(self, content_hash: ContentHash | None) -> str | None:
        """Give a content that must have been kept."""
        if content_hash is None:
            return None
        data = self.stores.snapshots.get(content_hash)
        assert data is not None
        return _text(data)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


@pytest.fixture
def files(repository: Repository) -> Repository:
    """Give a repository with some files, all committed."""
    repository.write(".orchestration/active_intents.yaml", "active_intents: []\n")
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write(".gitignore", "*.log\n")
    repository.write("kept.log", "log\n")
    repository.write("a", ONE)
    repository.write("b", BEE)
    repository.write("dir/c", SEA)
    repository.git("add", "--force", "kept.log")
    repository.commit()
    (repository.root.parent / "outside").write_text("secret\n")
    return repository


@pytest.mark.parametrize(
    ("before", "command", "changed"),
    [
        pytest.param("", "cat a", {}, id="nothing"),
        pytest.param("", "touch a; chmod +x b", {}, id="touched"),
        pytest.param("", "echo two > a", {"a": (ONE, "two\n")}, id="clean"),
        pytest.param("", "echo x > kept.log", {"kept.log": ("log\n", "x\n")}, id="tracked-log"),
        pytest.param(
            "echo two > a", "echo three > a", {"a": ("two\n", "three\n")}, id="dirty-again"
        ),
        pytest.param("echo two > a", "echo x > b", {"b": (BEE, "x\n")}, id="dirty-left-alone"),
        pytest.param("", "mkdir n; echo x > n/f", {"n/f": (None, "x\n")}, id="created"),
        pytest.param("echo u > u", "echo v > u", {"u": ("u\n", "v\n")}, id="untracked-changed"),
        pytest.param("echo u > u", "rm u", {"u": ("u\n", None)}, id="untracked-deleted"),
        pytest.param("", "rm a dir/c", {"a": (ONE, None), "dir/c": (SEA, None)}, id="deleted"),
        pytest.param("echo two > a", "rm a", {"a": ("two\n", None)}, id="dirty-deleted"),
        pytest.param("rm a", "echo two > a", {"a": (None, "two\n")}, id="written-after-deletion"),
        pytest.param("rm a", "true", {}, id="deleted-before"),
        pytest.param("", "echo x > x; rm x", {}, id="created-and-gone"),
        pytest.param("", "mv a z", {"a": (ONE, None), "z": (None, ONE)}, id="moved"),
        pytest.param(
            "", "rm a; mkdir a; echo x > a/f", {"a": (ONE, None), "a/f": (None, "x\n")}, id="room"
        ),
        pytest.param("", ": > 'é $x'", {"é $x": (None, "")}, id="odd-name"),
    ],
)
def test_what_a_command_changes_is_told_with_what_it_was(
    files: Repository, before: str, command: str, changed: Texts
) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == changed


@pytest.mark.parametrize(
    ("before", "command"),
    [
        pytest.param("echo two > a", "git checkout -q -- a", id="restored"),
        pytest.param("echo two > a", "echo one > a", id="as-in-head"),
        pytest.param("echo two > a; git add a", "git restore -SW a", id="restored-twice"),
        pytest.param("rm a", "git checkout -q -- a", id="brought-back"),
        pytest.param("echo two > a", "git reset -q --hard", id="reset"),
        pytest.param("echo two > a", "git stash -q", id="stashed"),
        pytest.param("echo two > a", "git commit -qam x", id="committed-as-it-was"),
        pytest.param("git rm -q a", "git commit -qm x", id="deletion-committed-as-it-was"),
        pytest.param(OTHER, "git checkout -q other", id="checkout"),
        pytest.param(OTHER, "git switch -q other", id="switch"),
        pytest.param(OTHER, "git merge -q other", id="fast-forward"),
        pytest.param(OTHER, "git pull -q . other", id="pull"),
        pytest.param(OTHER, "git cherry-pick other", id="cherry-pick"),
        pytest.param(OTHER, "git format-patch -1 --stdout other | git am -q", id="am"),
        pytest.param(f"{OTHER}; git checkout -q other", "git reset -q --hard HEAD^", id="back"),
        pytest.param(f"{OTHER}; git checkout -q other", "git revert --no-edit HEAD", id="revert"),
        pytest.param(f"{OTHER}; {OURS_TOO}", "git merge -q --no-edit other", id="merge"),
        pytest.param(f"{OTHER}; {OURS_TOO}", "git rebase -q other", id="rebase"),
        pytest.param(f"{OTHER}; echo x > b", "git checkout -q other", id="checkout-dirty"),
        pytest.param(f"{OTHER}; echo x > dir/c", "git checkout -qf other", id="forced"),
        pytest.param(
            OTHER, "echo two > a; git commit -qam x; git checkout -q other", id="left-behind"
        ),
        pytest.param(
            f"{OTHER}; echo ours > a; git commit -qam ours",
            "git merge -q other || true",
            id="merge-in-conflict",
        ),
        pytest.param(
            f"{OTHER}; {OURS_TOO}", "git merge -q --no-commit other", id="merge-not-committed"
        ),
    ],
)
def test_what_git_made_of_a_file_is_gits(files: Repository, before: str, command: str) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == {}


@pytest.mark.parametrize(
    ("before", "command", "changed"),
    [
        pytest.param(
            OTHER,
            "git checkout -q other; echo x > a; echo y > dir; echo z > new",
            {"a": (ONE, "x\n"), "dir": (None, "y\n"), "new": (None, "z\n")},
            id="checkout-then-changed",
        ),
        pytest.param(
            f"{OTHER}; echo u > u",
            "rm u; git checkout -q other",
            {"u": ("u\n", None)},
            id="not-its",
        ),
        pytest.param(
            f"{OTHER}; echo x > dir/c",
            "rm dir/c; git branch x",
            {"dir/c": ("x\n", None)},
            id="branch",
        ),
        pytest.param(
            "echo x > dir/c",
            "git checkout -q --orphan n; rm dir/c",
            {"dir/c": ("x\n", None)},
            id="no-commit-any-more",
        ),
        pytest.param(
            f"{OTHER}; echo ours > a; git commit -qam ours",
            "git merge -q other || test $? = 1; echo x > b",
            {"b": (BEE, "x\n")},
            id="conflict",
        ),
        pytest.param(
            f"{OTHER}; echo ours > a; git commit -qam ours",
            "git merge -q other || echo both > a; git commit -qam both",
            {"a": ("ours\n", "both\n")},
            id="merge-ended",
        ),
        pytest.param(
            f"{OTHER}; {OURS_TOO}",
            "git merge -q --no-commit other; rm b",
            {"b": ("x\n", None)},
            id="merged-not-committed",
        ),
    ],
)
def test_what_else_a_command_did_is_told(
    files: Repository, before: str, command: str, changed: Texts
) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == changed


@pytest.mark.parametrize(
    ("before", "command", "changed"),
    [
        pytest.param("", "echo two > a; git add a", TWO, id="added"),
        pytest.param("", "echo x > n; git add -A", {"n": (None, "x\n")}, id="all-added"),
        pytest.param(
            "echo two > a; git add a; echo x > a",
            "echo two > a",
            {},
            id="as-in-index",
        ),
        pytest.param(
            "",
            "echo two > a; git add a; echo three > a",
            {"a": (ONE, "three\n")},
            id="changed-after-its-addition",
        ),
        pytest.param("", "echo two > a; git add a; rm a", {"a": (ONE, None)}, id="added-then-gone"),
        pytest.param("", "git rm -q a", {"a": (ONE, None)}, id="git-rm"),
        pytest.param("", "git mv a z", {"a": (ONE, None), "z": (None, ONE)}, id="git-mv"),
        pytest.param(
            "",
            "git mv a z; echo more >> z",
            {"a": (ONE, None), "z": (None, "one\nmore\n")},
            id="git-mv-then-changed",
        ),
        pytest.param(
            OTHER, "git checkout -q other -- a", {"a": (ONE, "theirs\n")}, id="of-another-branch"
        ),
        pytest.param("", "echo x > x.log; git add -f x.log", {"x.log": (None, "x\n")}, id="forced"),
    ],
)
def test_what_a_command_added_to_the_index_is_its_own(
    files: Repository, before: str, command: str, changed: Texts
) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == changed


@pytest.mark.parametrize(
    ("before", "command", "changed"),
    [
        pytest.param("", "echo two > a; git commit -qam x", TWO, id="committed"),
        pytest.param("", "echo two > a; git commit -q --amend -am x", TWO, id="amended"),
        pytest.param("", "echo two > a; git commit -qam 'x: \udcff'", TWO, id="odd-message"),
        pytest.param(
            "", "echo two > a; git commit -qa --allow-empty-message -m ''", TWO, id="no-message"
        ),
        pytest.param(
            "", "git rm -q a; git commit -qm x", {"a": (ONE, None)}, id="deletion-committed"
        ),
        pytest.param(
            "",
            "git mv a z; git commit -qm x",
            {"a": (ONE, None), "z": (None, ONE)},
            id="git-mv-committed",
        ),
        pytest.param(
            "",
            "echo two > a; echo x > b; git commit -qm x a",
            {**TWO, "b": (BEE, "x\n")},
            id="one-committed",
        ),
        pytest.param(
            "",
            "echo 2 > a; git commit -qam x; echo two > a; echo x > b; git commit -qam y",
            {**TWO, "b": (BEE, "x\n")},
            id="committed-twice",
        ),
        pytest.param(
            "",
            "echo two > a; git commit -qam x; echo three > a; rm b",
            {"a": (ONE, "three\n"), "b": (BEE, None)},
            id="changed-after-its-commit",
        ),
        pytest.param(
            "", "echo two > a; git commit -qam x; git reset -q --soft HEAD^", TWO, id="taken-back"
        ),
        pytest.param(
            "", "git checkout -qb n; echo two > a; git commit -qam x", TWO, id="on-a-branch"
        ),
        pytest.param(
            OTHER,
            "git checkout -q other; echo x > b; git commit -qam x",
            {"b": (BEE, "x\n")},
            id="checkout-then-committed",
        ),
        pytest.param(
            "",
            "git checkout -q --orphan n; echo two > a; git commit -qam x",
            TWO,
            id="on-an-orphan",
        ),
        pytest.param(
            "",
            "ln -s b l; git add l; git commit -qm x",
            {"l": (None, BEE)},
            id="link",
        ),
        pytest.param(
            "",
            "echo x > x.log; git add -f x.log; git commit -qm x",
            {"x.log": (None, "x\n")},
            id="ignored-but-committed",
        ),
        pytest.param(
            "",
            "git rm -q --cached kept.log; git commit -qm x; echo x > kept.log",
            {"kept.log": ("log\n", "x\n")},
            id="tracked-no-more",
        ),
        pytest.param(
            "",
            "name=$(printf 'o\\377'); echo x > $name; git add -A; git commit -qm x",
            {"o\udcff": (None, "x\n")},
            id="odd-name",
        ),
    ],
)
def test_what_a_command_committed_itself_is_its_own(
    files: Repository, before: str, command: str, changed: Texts
) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == changed


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param("rm -r .git/logs; git config core.logAllRefUpdates false", id="none-kept"),
        pytest.param("true", id="expired"),
    ],
)
def test_without_heads_log_a_new_commit_is_an_edit(files: Repository, lost: str) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(f"{OTHER}; {lost}")
    expired = "git reflog expire --expire=all --all" if lost == "true" else "true"
    changed = governance.changed_by(f"echo two > a; git commit -qam x; {expired}; rm b")
    assert governance.texts(changed) == {**TWO, "b": (BEE, None)}
    governance.run("git reset -q --hard HEAD^")
    # A commit that was there before was nobody's work now.
    assert governance.changed_by(f"git checkout -q other; {expired}") == ()


def test_a_command_that_comes_back_to_where_it_began_has_not_begun_there(
    files: Repository,
) -> None:
    governance = ComparedRoot.of(files.root)
    changed = governance.changed_by(
        "git checkout -qb n; echo two > a; git commit -qam x; git checkout -q main; git merge -q n"
    )
    assert governance.texts(changed) == TWO


def test_what_a_stash_held_is_gits_where_it_is_older_than_the_command(files: Repository) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run("echo two > a; echo x > n; git stash -qu")
    changed = governance.changed_by("git stash apply -q; echo x > b; rm dir/c")
    assert governance.texts(changed) == {"b": (BEE, "x\n"), "dir/c": (SEA, None)}


def test_what_a_command_stashed_and_brought_back_is_its_own(files: Repository) -> None:
    governance = ComparedRoot.of(files.root)
    # A commit says of itself whatever its maker wants, of when it was made too.
    command = "echo two > a; GIT_COMMITTER_DATE=@1000000000 git stash -q; git stash apply -q"
    assert governance.texts(governance.changed_by(command)) == TWO


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -q -- a",
        "git reset -q --hard",
        "git stash -q",
        "git restore .",
        "git checkout -qf other",
    ],
)
def test_what_a_command_threw_away_is_told(files: Repository, command: str) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(f"{OTHER}; echo somebodys > a")
    before = governance.seen()
    governance.run(command)
    changed = governance.tree.changes(before)
    assert changed is not None
    (lost,) = changed.files
    assert (lost.path, lost.discarded, governance.kept(lost.old)) == ("a", True, "somebodys\n")


def test_a_commit_that_cannot_be_read_leaves_nothing_to_compare_with(
    files: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    governance = ComparedRoot.of(files.root)
    files.write("a", "two\n")
    seen = governance.seen()
    lost = replace(seen, git=GitSnapshot(head="0" * 40))
    assert governance.tree.changes(lost) is None
    assert governance.tree.changes(replace(lost, files={})) is None
    assert "cannot be read" in caplog.text
    without_git = replace(governance.stores, open_git=lambda _: None)
    assert WorkTree(without_git, Contents(without_git)).changes(governance.seen()) is None


def test_more_files_than_are_compared_are_not_committed_unseen(
    repository: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    """It takes long because more than 10,000 files are made, committed and looked at."""
    repository.write(".gitignore", ".orchestration/\n")
    repository.commit()
    governance = ComparedRoot.of(repository.root)
    before = governance.seen()
    for number in range(FILES_AT_MOST + 1):
        (repository.root / str(number)).touch()
    repository.commit()
    assert governance.tree.changes(before) is None
    assert "cannot be compared" in caplog.text


def test_a_file_too_large_to_hold_is_hashed_all_the_same(files: Repository) -> None:
    governance = ComparedRoot.of(files.root)
    before = governance.seen()
    with files.write("large", "").open("r+b") as large:
        large.truncate(HELD_AT_MOST + 1)
    zeros = hash_content(bytes(HELD_AT_MOST + 1))
    large_file = ChangedFile(path=WorkspacePath("large"), old=None, new=zeros, data=None)
    assert governance.changes(before) == (large_file,)
    assert governance.seen().files[WorkspacePath("large")].hash == zeros


@pytest.mark.parametrize(
    ("before", "command", "changed"),
    [
        pytest.param("", "echo x > x.log", {}, id="ignored"),
        pytest.param("echo x > x.log", "rm x.log", {}, id="ignored-deleted"),
        pytest.param(
            "echo u > u",
            "echo u >> .gitignore; echo v > u",
            {".gitignore": ("*.log\n", "*.log\nu\n"), "u": ("u\n", "v\n")},
            id="ignored-since",
        ),
        pytest.param(
            "",
            "git init -q inner; echo x > inner/f",
            {"inner/f": (None, "x\n")},
            id="nested-repository",
        ),
        pytest.param(
            "git init -q inner; echo x > inner/f",
            "echo y > inner/f",
            {"inner/f": ("x\n", "y\n")},
            id="nested-before",
        ),
        pytest.param(
            "git init -q inner; cd inner; echo x > f; git add .; git commit -qm x",
            "cd inner; echo y > f; git commit -qam y",
            {"inner/f": ("x\n", "y\n")},
            id="nested-committed",
        ),
        pytest.param("", "echo x > .git/description", {}, id="git"),
        pytest.param(
            "",
            "cd .orchestration; echo x > agent_trace.jsonl; echo x > intent_map.md;"
            " echo x > governance_ledger.md; mkdir trace archive; echo x > trace/x.jsonl;"
            " echo x > archive/x.jsonl; echo x > .local/x; git add -f .local/x",
            {},
            id="the-servers",
        ),
        pytest.param(
            "",
            "echo x > .orchestration/active_intents.yaml; echo x > .intentignore",
            {
                ".intentignore": (None, "x\n"),
                ".orchestration/active_intents.yaml": ("active_intents: []\n", "x\n"),
            },
            id="control-plane",
        ),
    ],
)
def test_what_is_nobodys_edit_is_left_out(
    files: Repository, before: str, command: str, changed: Texts
) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == changed


@pytest.mark.parametrize(
    ("before", "command", "changed"),
    [
        pytest.param("", "ln -s b l", {"l": (None, BEE)}, id="inside"),
        pytest.param("ln -s b l", "ln -sf a l", {"l": (BEE, ONE)}, id="elsewhere"),
        pytest.param("", "ln -s ../outside l; ln -s none m; ln -s n n", {}, id="outside"),
        pytest.param("", "ln -sf ../outside a", {"a": (ONE, None)}, id="in-place-of-a-file"),
        pytest.param(
            "echo x > dir/c",
            "mv dir ../away; ln -s ../away dir",
            {"dir/c": ("x\n", None)},
            id="in-place-of-a-room",
        ),
        pytest.param(
            "echo x > dir/c", "mv dir d; ln -s d dir", {"d/c": (None, "x\n")}, id="room-inside"
        ),
    ],
)
def test_a_link_holds_what_it_leads_to_inside_the_root(
    files: Repository, before: str, command: str, changed: Texts
) -> None:
    governance = ComparedRoot.of(files.root)
    governance.run(before)
    assert governance.texts(governance.changed_by(command)) == changed
    assert governance.stores.snapshots.get(hash_content(b"secret\n")) is None


def test_what_the_server_wrote_last_is_no_commands_change(files: Repository) -> None:
    governance = ComparedRoot.of(files.root)
    assert governance.stores.state is not None
    governance.stores.state.note_own_write(WorkspacePath("a"), hash_content(b"ours\n"))
    assert governance.changed_by("echo ours > a") == ()
    assert governance.texts(governance.changed_by("echo theirs > a")) == {
        "a": ("ours\n", "theirs\n")
    }
    assert governance.texts(governance.changed_by("rm a")) == {"a": ("theirs\n", None)}


@pytest.mark.parametrize(
    ("attribute", "setting"), [("* text eol=crlf\n", "false"), ("# none\n", "true")]
)
def test_what_a_clean_file_held_is_told_as_the_work_tree_spells_it(
    files: Repository, attribute: str, setting: str
) -> None:
    files.write(".gitattributes", attribute)
    files.commit()
    files.git("config", "core.autocrlf", setting)
    files.git("rm", "--quiet", "--cached", "-r", ".")
    files.git("reset", "--quiet", "--hard")
    governance = ComparedRoot.of(files.root)
    assert (files.root / "a").read_bytes() == b"one\r\n"
    changed = governance.changed_by("printf 'two\\r\\n' >> a; git commit -qam x; echo three >> a")
    assert governance.texts(changed) == {"a": ("one\r\n", "one\r\ntwo\r\nthree\n")}
    assert governance.changed_by("git checkout -q -- a") == ()


def test_what_a_filter_cannot_tell_any_more_is_not_known(files: Repository) -> None:
    files.git("config", "filter.swap.smudge", "cat")
    files.git("config", "filter.swap.clean", "cat")
    files.write(".gitattributes", "a filter=swap\n")
    files.commit()
    governance = ComparedRoot.of(files.root)
    before = governance.seen()
    files.write("a", "two\n")
    changed = ChangedFile(
        path=WorkspacePath("a"),
        old=hash_content(b"one\n"),
        new=hash_content(b"two\n"),
        data=b"two\n",
    )
    assert governance.changes(before) == (changed,)
    files.git("config", "filter.swap.smudge", "false")
    files.git("config", "filter.swap.required", "true")
    (unknown,) = governance.changes(before)
    assert (unknown.old, unknown.old_known, unknown.data) == (None, False, b"two\n")


def test_a_root_below_the_git_top_level_tells_of_its_own_files(files: Repository) -> None:
    files.write("dir/d", "dee\n")
    files.git("checkout", "--quiet", "-b", "other")
    files.write("dir/d", "other\n")
    files.commit()
    files.git("checkout", "--quiet", "main")
    governance = ComparedRoot.of(files.root / "dir")
    files.write("dir/.orchestration/.gitignore", ".local/\n")
    assert governance.texts(governance.changed_by("echo x > c; echo n > n; echo x > ../a")) == {
        "c": (SEA, "x\n"),
        "n": (None, "n\n"),
    }
    assert governance.changed_by("git checkout -q other") == ()
    assert governance.texts(governance.changed_by("rm c; echo two > d")) == {
        "c": ("x\n", None),
        "d": ("other\n", "two\n"),
    }


def test_before_the_first_commit_every_file_is_compared(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\n.orchestration/\n")
    for name in ("a", "b", "x.log"):
        repository.write(name, ONE)
    governance = ComparedRoot.of(repository.root)
    before = governance.seen()
    assert before.head is None
    assert list(before.files) == [".gitignore", "a", "b"]
    governance.run("echo two > a; rm b; echo x > x.log; echo new > n")
    expected = {"a": (ONE, "two\n"), "b": (ONE, None), "n": (None, "new\n")}
    assert governance.texts(governance.changes(before)) == expected
    governance.run("git add a; git commit -qm first; echo three > a")
    assert governance.texts(governance.changes(before)) == expected | {"a": (ONE, "three\n")}


def test_without_git_every_file_is_compared(tmp_path: Path) -> None:
    for name in ("a", "b", "dir/c"):
        Repository(tmp_path).write(name, ONE)
    create(tmp_path / "inner").write("theirs", "x")
    governance = ComparedRoot.of(tmp_path)
    assert governance.stores.git is None
    before = governance.seen()
    assert before.git is None
    assert list(before.files) == [OURS, "a", "b", "dir/c"]
    governance.run(
        "echo two > a; mv dir d; ln -sf a b; ln -s a l; echo x > inner/theirs; touch dir"
    )
    assert governance.texts(governance.changes(before)) == {
        "a": (ONE, "two\n"),
        "b": (ONE, "two\n"),
        "d/c": (None, ONE),
        "dir": (None, ""),
        "dir/c": (ONE, None),
    }


def test_without_a_local_room_the_tree_is_compared_all_the_same(files: Repository) -> None:
    forgetful = replace(ComparedRoot.of(files.root).stores, state=None)
    governance = ComparedRoot(files.root, forgetful, WorkTree(forgetful, Contents(forgetful)))
    assert governance.texts(governance.changed_by("echo two > a")) == {"a": (ONE, "two\n")}


def test_what_was_seen_goes_through_json_with_every_name(files: Repository) -> None:
    governance = ComparedRoot.of(files.root)
    files.write("odd\udcff\n", "x\n")
    (files.root / "a").unlink()
    seen = governance.seen()
    assert seen.head == files.git("rev-parse", "HEAD").strip()
    assert {path: file.hash for path, file in seen.files.items()} == {
        "a": None,
        "odd\udcff\n": hash_content(b"x\n"),
    }
    assert msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(seen))), TreeSnapshot) == seen


def test_a_tree_that_git_cannot_tell_of_is_not_compared(
    files: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    governance = ComparedRoot.of(files.root)
    before = governance.seen()
    (files.root / ".git/index").write_bytes(b"rubbish")
    assert governance.tree.seen() is None
    assert governance.tree.changes(before) is None
    assert "cannot be compared" in caplog.text


def test_too_many_files_are_not_compared(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    governance = ComparedRoot.of(tmp_path)
    before = governance.seen()
    for number in range(FILES_AT_MOST + 1):
        (tmp_path / str(number)).touch()
    assert governance.tree.seen() is None
    assert governance.tree.changes(before) is None
    assert "cannot be compared" in caplog.text
    Repository(tmp_path).git("init", "--quiet")
    Repository(tmp_path).write(".gitignore", ".orchestration/\n")
    assert ComparedRoot.of(tmp_path).tree.seen() is None
    assert f"{FILES_AT_MOST + 2} changed files" in caplog.text


def test_a_file_that_cannot_be_read_is_left_out_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    governance = ComparedRoot.of(tmp_path)
    room = tmp_path
    # Its directory can be listed, but its path is longer than the system allows: nobody, whatever
    # their rights, can open it.
    while len(str(room)) < 3840:
        room /= "d" * min(240, 4000 - len(str(room)))
    room.mkdir(parents=True)
    subprocess.run(["touch", "f" * 255, "g"], cwd=room, check=True)
    ours, short = governance.seen().files
    assert ours == OURS
    assert short.endswith("/g")
    assert "cannot be compared" in caplog.text
    assert governance.changed_by("true") == ()


def test_no_more_is_kept_at_once_than_leaves_room_for_older_contents(tmp_path: Path) -> None:
    governance = ComparedRoot.of(tmp_path)
    size = 4 * 1024 * 1024
    for number in range(KEPT_AT_ONCE // size + 1):
        (tmp_path / f"{number:02}").write_bytes(bytes([number]) * size)
    files = {path: file.hash for path, file in governance.seen().files.items()}
    assert None not in files.values()
    kept = {
        path: governance.stores.snapshots.get(hash_) is not None
        for path, hash_ in files.items()
        if hash_
    }
    assert kept[WorkspacePath("00")]
    assert not kept[WorkspacePath(f"{KEPT_AT_ONCE // size:02}")]


NAMES = ("a", "b", "dir/c", "n", "dir/n")
TREES = st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=2))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[ComparedRoot, ComparedRoot]:
    """Give a root in a repository that holds the first names, and one without git."""
    repository = create(tmp_path_factory.mktemp("tree") / "repository")
    for name in NAMES[:3]:
        repository.write(name, b"\0")
    repository.write(".gitignore", ".orchestration/\n")
    repository.commit()
    return ComparedRoot.of(repository.root), ComparedRoot.of(tmp_path_factory.mktemp("tree"))


@given(TREES, TREES)
def test_the_changes_are_the_difference_between_two_trees(
    two: tuple[ComparedRoot, ComparedRoot], old: dict[str, bytes], new: dict[str, bytes]
) -> None:
    head = dict.fromkeys(NAMES[:3], b"\0")
    differing = {name for name in NAMES if old.get(name) != new.get(name)}
    for governance in two:
        _become(governance.root, old)
        before = governance.seen()
        _become(governance.root, new)
        gits = {name for name in new if governance.stores.git and new[name] == head.get(name)}
        assert {file.path: (file.old, file.data) for file in governance.changes(before)} == {
            name: (hash_if_there(old.get(name)), new.get(name)) for name in differing - gits
        }


def _become(root: Path, tree: dict[str, bytes]) -> None:
    for name in NAMES:
        (root / name).unlink(missing_ok=True)
    for name, data in tree.items():
        Repository(root).write(name, data)
