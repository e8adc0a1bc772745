"""Each verb of git that writes the work tree: what of it is git's, and what is an edit.

The table is asked as the watcher sees it and as a command's record does: by one comparator.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.store.git import activity
from tests.governance.editor import Editor
from tests.governance.watcher import Watcher
from tests.support.repository import Repository

# `main` has a, b, dir/c and gone; `other` has another a, no dir/c, and new.
BEGIN = """
seq 0 19 > a; cp a b; mkdir dir; echo sea > dir/c; echo gone > gone
echo '*.log' > .gitignore; git add .; git commit -qm first
git checkout -q -b other; sed -i 's/^3$/three/' a; git rm -q dir/c; echo new > new
git add .; git commit -qm other; git checkout -q main
"""


@dataclass(frozen=True, kw_only=True)
class Verb:
    """A command of git's, what came before it, and the files in which it is an edit."""

    name: str
    command: str
    before: str = ""
    edits: str = ""
    logged: bool = True


OURS = "sed -i 's/^15$/ours/' b; git commit -qam ours"
THEIRS_TOO = "sed -i 's/^3$/drei/' a; git commit -qam ours"
SUBMODULE = (
    "git init -q ../sub; cd ../sub; echo s > s; git add .; git commit -qm s; echo t > s;"
    " git commit -qam t; cd -; git -c protocol.file.allow=always submodule --quiet add ../sub sub;"
    " git commit -qm sub"
)

# `far` has what `main` has, or one commit more.
FAR = "git init -q --bare ../far; git remote add far ../far; git push -q far main"
FAR_MOVED = (
    f"{FAR}; git switch -q -c theirs; sed -i 's/^3$/drei/' a; git commit -qam theirs;"
    " git push -q far theirs:main; git switch -q main; git branch -qD theirs;"
    " git update-ref -d refs/remotes/far/main"
)

GITS = [
    Verb(name="checkout", command="git checkout -q other"),
    Verb(name="checkout-and-back", command="git checkout -q other; git checkout -q main"),
    Verb(name="switch", command="git switch -q other"),
    Verb(name="switch-new", command="git switch -q -c n; git switch -q other"),
    Verb(name="switch-detached", command="git switch -q --detach other"),
    Verb(name="switch-orphan", command="git switch -q --orphan o"),
    Verb(name="switch-m", before="sed -i 's/^15$/mine/' a", command="git switch -q -m other"),
    Verb(name="merge-fast-forward", command="git merge -q other"),
    Verb(name="merge", before=OURS, command="git merge -q --no-edit other"),
    Verb(name="merge-no-commit", before=OURS, command="git merge -q --no-commit other"),
    Verb(name="merge-squash", before=OURS, command="git merge -q --squash other"),
    Verb(name="merge-in-conflict", before=THEIRS_TOO, command="git merge -q other || true"),
    Verb(
        name="merge-aborted", before=THEIRS_TOO, command="git merge -q other || git merge --abort"
    ),
    Verb(name="merge-octopus", before=f"git branch o; {OURS}", command="git merge -q other o"),
    Verb(name="pull", command="git pull -q . other"),
    Verb(name="pull-rebase", before=OURS, command="git pull -q --rebase . other"),
    Verb(
        name="pull-autostash",
        before=f"{OURS}; echo mine >> gone",
        command="git pull -q --rebase --autostash . other",
    ),
    Verb(name="pull-from-far", before=FAR_MOVED, command="git pull -q far main"),
    Verb(
        name="commit-push-pull",
        before=f"{FAR_MOVED}; echo x > b",
        command="git commit -qam x; git pull -q --rebase far main; git push -q far main",
    ),
    Verb(
        name="commit-and-reset-to-far",
        before=f"{FAR_MOVED}; echo x > a",
        command="git commit -qam x; git fetch -q far; git reset -q --hard far/main",
    ),
    Verb(name="fetch-and-reset", command="git fetch -q . other; git reset -q --hard FETCH_HEAD"),
    Verb(name="rebase", before=OURS, command="git rebase -q other"),
    Verb(name="rebase-i", before=OURS, command="GIT_EDITOR=true git rebase -q -i other"),
    Verb(name="rebase-apply", before=OURS, command="git rebase -q --apply other"),
    Verb(name="rebase-in-conflict", before=THEIRS_TOO, command="git rebase -q other || true"),
    Verb(
        name="rebase-aborted",
        before=THEIRS_TOO,
        command="git rebase -q other || git rebase --abort",
    ),
    Verb(name="cherry-pick", before=OURS, command="git cherry-pick other"),
    Verb(
        name="cherry-pick-in-conflict", before=THEIRS_TOO, command="git cherry-pick other || true"
    ),
    Verb(name="revert", before="git merge -q other", command="git revert --no-edit HEAD"),
    Verb(name="reset-hard", before=OURS, command="git reset -q --hard HEAD^"),
    Verb(name="reset-keep", before=OURS, command="git reset -q --keep HEAD^"),
    Verb(name="reset-merge", before=OURS, command="git reset -q --merge HEAD^"),
    Verb(name="reset-soft", before=OURS, command="git reset -q --soft HEAD^"),
    Verb(name="restore", before="echo x > a", command="git restore a"),
    Verb(name="restore-staged", before="echo x > a; git add a", command="git restore -SW a"),
    Verb(name="checkout-path", before="echo x > a", command="git checkout -q -- a"),
    Verb(name="checkout-index", before="rm a", command="git checkout-index -q -a -f"),
    Verb(name="stash", before="echo x > a", command="git stash -q"),
    Verb(name="stash-untracked", before="echo x > u", command="git stash -q -u"),
    Verb(name="stash-and-pop", before="echo x > a", command="git stash -q; git stash pop -q"),
    Verb(name="stash-pop", before="echo x > a; git stash -q", command="git stash pop -q"),
    Verb(
        name="stash-pop-untracked",
        before="echo x > u; git stash -q -u",
        command="git stash pop -q",
    ),
    Verb(
        name="stash-pop-onto-other",
        before="sed -i 's/^15$/mine/' a; git stash -q; git checkout -q other",
        command="git stash pop -q",
    ),
    Verb(
        name="stash-branch",
        before="echo x > a; git stash -q",
        command="git stash branch -q s || true",
    ),
    Verb(
        name="bisect",
        before=OURS,
        command="git bisect start; git bisect bad; git bisect good HEAD^; git bisect reset",
    ),
    Verb(name="sparse-checkout", command="git sparse-checkout set --no-cone /a /b"),
    Verb(name="worktree-add", command="git worktree add -q ../linked other"),
    Verb(name="commit", before="echo x > a", command="git commit -qam x"),
    Verb(
        name="commit-and-merge",
        before="sed -i 's/^15$/ours/' a",
        command="git commit -qam ours; git merge -q --no-edit other",
    ),
    Verb(
        name="commit-and-rebase",
        before="sed -i 's/^15$/ours/' a",
        command="git commit -qam ours; git rebase -q other",
    ),
    Verb(
        name="commit-and-revert",
        before="sed -i 's/^15$/ours/' a",
        command="git commit -qam ours; git revert --no-edit HEAD",
    ),
    Verb(name="add", before="echo x > a; echo y > y", command="git add ."),
    Verb(name="rm-cached", command="git rm -q --cached b"),
    Verb(name="gc", command="git gc -q; git checkout -q other"),
    Verb(name="pack-refs", command="git pack-refs --all; git checkout -q other"),
    Verb(name="submodule-update", before=SUBMODULE, command="git submodule --quiet update"),
    Verb(name="submodule-checkout", before=SUBMODULE, command="git -C sub checkout -q HEAD^"),
    Verb(name="hook-that-waits", command="git merge -q other", before="HOOK"),
]

EDITS = [
    Verb(name="apply", command="git diff main other > ../p; git apply ../p", edits="a dir/c new"),
    Verb(
        name="am",
        before=OURS,
        command="git format-patch -q -1 --stdout other | git am -q",
        edits="a dir/c new",
    ),
    Verb(name="checkout-of-other", command="git checkout -q other -- a", edits="a"),
    Verb(name="restore-source", command="git restore --source other a", edits="a"),
    Verb(name="cherry-pick-n", command="git cherry-pick -n other", edits="a dir/c new"),
    Verb(name="read-tree", command="git read-tree -u --reset other", edits="a dir/c new"),
    Verb(
        name="squash-committed",
        command="git merge -q --squash other; git commit -qm s",
        edits="a dir/c new",
    ),
    Verb(name="rm", command="git rm -q b", edits="b"),
    Verb(name="clean", before="echo u > u", command="git clean -qf", edits="u"),
    Verb(name="edit-and-add", command="echo x > a; git add a", edits="a"),
    Verb(name="edit-and-commit", command="echo x > a; git commit -qam x", edits="a"),
    Verb(
        name="edit-commit-push",
        before=FAR,
        command="echo x > a; git commit -qam x; git push -q far main",
        edits="a",
    ),
    Verb(
        name="edit-commit-pull-rebase-push",
        before=FAR_MOVED,
        command=(
            "sed -i 's/^15$/ours/' a; git commit -qam x; git pull -q --rebase far main;"
            " git push -q far main"
        ),
        edits="a",
    ),
    Verb(
        name="edit-commit-pull-merge-push",
        before=FAR_MOVED,
        command=(
            "sed -i 's/^15$/ours/' a; git commit -qam x;"
            " git pull -q --no-rebase --no-edit far main; git push -q far main; git fetch -q far"
        ),
        edits="a",
    ),
    Verb(
        name="edit-on-a-branch-that-is-pushed-and-merged",
        before=FAR,
        command=(
            "git switch -q -c feat; echo x > b; git commit -qam x; git push -q far feat;"
            " git switch -q main; git merge -q feat; git push -q far main"
        ),
        edits="b",
    ),
    Verb(name="edit-and-amend", command="echo x > a; git commit -qa --amend --no-edit", edits="a"),
    Verb(name="edit-commit-rebase", command=f"{OURS}; git rebase -q other", edits="b"),
    Verb(
        name="edit-commit-merge",
        command="sed -i 's/^15$/ours/' a; git commit -qam ours; git merge -q --no-edit other",
        edits="a",
    ),
    Verb(
        name="edit-on-a-branch-that-is-merged",
        command=(
            "git switch -q -c feat; echo x > b; git commit -qam x; git switch -q main;"
            " echo y > gone; git commit -qam y; git merge -q --no-edit feat"
        ),
        edits="b gone",
    ),
    Verb(
        name="edit-on-a-branch-that-is-rebased",
        command=(
            "git switch -q -c feat; echo x > b; git commit -qam x; git switch -q main;"
            " echo y > gone; git commit -qam y; git switch -q feat; git rebase -q main"
        ),
        edits="b gone",
    ),
    Verb(
        name="edit-commit-revert-twice",
        command="echo x > b; git commit -qam x; git revert --no-edit HEAD; git revert --no-edit @",
        edits="b",
    ),
    Verb(
        name="edit-on-a-branch",
        command=f"git checkout -q -b n; {OURS}; git checkout -q main; git merge -q n",
        edits="b",
    ),
    Verb(
        name="edit-commit-switch-back",
        before=OURS,
        command="git checkout -q other; echo x > gone; git commit -qam x; git stash -q || true",
        edits="gone",
    ),
    Verb(
        name="commit-tree",
        command=(
            "echo x > b; git add b;"
            " git reset -q --hard $(git commit-tree -p HEAD -m x $(git write-tree))"
        ),
        edits="b",
    ),
    Verb(
        name="merge-ended-by-hand",
        before=THEIRS_TOO,
        command="git merge -q other || echo both > a; git commit -qam both",
        edits="a",
    ),
    Verb(name="hook-that-writes", before="WRITES", command="git checkout -q other", edits="b"),
    Verb(name="edit-in-submodule", before=SUBMODULE, command="echo x > sub/s", edits="sub/s"),
    Verb(
        name="assume-unchanged",
        before="git update-index --assume-unchanged a",
        command="echo x > a",
        edits="a",
    ),
    Verb(
        name="skip-worktree",
        before="git update-index --skip-worktree a",
        command="echo x > a",
        edits="a",
    ),
    Verb(
        name="edit-and-ignore",
        command="echo x > n; echo n >> .git/info/exclude; git add -f n",
        edits="n",
    ),
]

HOOKS = {
    "HOOK": ("reference-transaction", "sleep 1.2"),
    "WRITES": ("post-checkout", "echo hook > b"),
}


def run(root: Path, script: str) -> None:
    subprocess.run(["bash", "-ec", script], cwd=root, check=True, capture_output=True)


def put_hook(repository: Repository, name: str, script: str) -> None:
    repository.git("config", "core.hooksPath", ".git/hooks")
    repository.write(f".git/hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


@pytest.fixture
def began(governed: Repository, request: pytest.FixtureRequest) -> Repository:
    """Give a repository as the table begins with, and what came before its verb."""
    verb, logs = request.param
    if not logs:
        governed.git("config", "core.logAllRefUpdates", "false")
        (governed.root / ".git/logs/HEAD").unlink()
    run(governed.root, BEGIN)
    if verb.before in HOOKS:
        name, what = HOOKS[verb.before]
        put_hook(governed, name, what)
    else:
        run(governed.root, verb.before or "true")
    return governed


TABLE = [pytest.param((verb, True), verb, id=verb.name) for verb in (*GITS, *EDITS)]


@pytest.mark.parametrize(("began", "verb"), TABLE, indirect=["began"])
def test_the_watcher_records_the_edits_alone(began: Repository, verb: Verb, editor: Editor) -> None:
    watcher = Watcher(editor.governance, editor.session)
    run(began.root, verb.command)
    assert sorted(path for path, _, _ in watcher.touched()) == verb.edits.split()
    assert watcher.touched() == []


@pytest.mark.parametrize(("began", "verb"), TABLE, indirect=["began"])
def test_a_command_is_told_the_edits_alone(began: Repository, verb: Verb, editor: Editor) -> None:
    tree = WorkTree(editor.governance.stores, editor.governance.contents)
    before = tree.seen()
    assert before is not None
    run(began.root, verb.command)
    changed = tree.changes(before)
    assert changed is not None
    edits = [file.path for file in changed.files if not file.discarded]
    assert edits == verb.edits.split()


WITHOUT_LOGS = [
    *("checkout", "switch", "merge-fast-forward", "reset-hard", "pull-from-far"),
    *("edit-and-add", "edit-and-commit", "edit-commit-push"),
]


@pytest.mark.parametrize(
    ("began", "verb"),
    [
        pytest.param((verb, False), verb, id=verb.name)
        for verb in (*GITS, *EDITS)
        if verb.name in WITHOUT_LOGS
    ],
    indirect=["began"],
)
def test_without_logs_what_was_there_is_gits_and_what_is_new_is_an_edit(
    began: Repository, verb: Verb, editor: Editor
) -> None:
    watcher = Watcher(editor.governance, editor.session)
    run(began.root, verb.command)
    assert sorted(path for path, _, _ in watcher.touched()) == verb.edits.split()


@pytest.mark.skipif(sys.platform == "win32", reason="hooks are scripts of the shell")
def test_while_a_hook_holds_head_back_nothing_is_recorded(
    governed: Repository, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files and index are new while HEAD is old: as long as a hook likes."""
    monkeypatch.setattr(activity, "RESTS_AFTER", 1.0)
    run(governed.root, BEGIN)
    waits = '[ "$1" = prepared ] || exit 0; touch .git/waits; while [ -e .git/waits ]; do :; done'
    put_hook(governed, "reference-transaction", waits)
    watcher = Watcher(editor.governance, editor.session)
    with subprocess.Popen(["git", "merge", "-q", "other"], cwd=governed.root) as merging:
        waits = governed.root / ".git/waits"
        held_back = 0
        while merging.poll() is None:
            waiting = waits.exists()
            looked = watcher.changes.look()
            assert looked is not None
            assert watcher.changes.record(watcher.session).recorded == ()
            if waiting:
                held_back += looked.again
                waits.unlink()
    assert held_back
    while (looked := watcher.changes.look()) is not None and looked.again:
        assert watcher.changes.record(watcher.session).recorded == ()
    assert watcher.touched() == []


@pytest.mark.parametrize(
    ("before", "command"),
    [
        ("git merge -q other || true", "git merge --abort"),
        ("git merge -q other || true", "git reset -q --merge"),
        ("git merge -q other || true", "git reset -q --hard"),
        ("git merge -q other || true", "git checkout -q --ours a"),
        ("git merge -q other || true", "git checkout -q --theirs a"),
        ("git rebase -q other || true", "git rebase --abort"),
        ("git rebase -q other || true", "git rebase --skip"),
        ("git cherry-pick other || true", "git cherry-pick --abort"),
        ("git cherry-pick other || true", "git cherry-pick --skip"),
        ("git revert --no-commit HEAD", "git revert --abort"),
        ("git merge -q --squash other || true", "git reset -q --hard"),
    ],
)
def test_what_git_takes_back_of_its_own_is_nobodys_loss(
    governed: Repository, editor: Editor, before: str, command: str
) -> None:
    """A merge in conflict is given up: neither its marks nor what it merged was anybody's."""
    run(governed.root, f"{BEGIN}{THEIRS_TOO}; {before}")
    tree = WorkTree(editor.governance.stores, editor.governance.contents)
    then = tree.seen()
    assert then is not None
    run(governed.root, command)
    changed = tree.changes(then)
    assert changed is not None
    assert changed.files == ()


def test_what_somebody_wrote_into_a_merge_is_lost_with_it(
    governed: Repository, editor: Editor
) -> None:
    run(governed.root, f"{BEGIN}{THEIRS_TOO}; git merge -q other || true; echo both > a")
    tree = WorkTree(editor.governance.stores, editor.governance.contents)
    then = tree.seen()
    assert then is not None
    run(governed.root, "git merge --abort")
    changed = tree.changes(then)
    assert changed is not None
    assert [(file.path, file.discarded) for file in changed.files] == [("a", True)]
