"""The commits that can be reached in a repository: from its refs, its stash and its reflogs.

Invariant: nothing is written. A missing or damaged log, tag or stash leads to no commit.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from intent_lsp.store.git.gitdir import common_directory, files_under, first_line, last_bytes

_STASH: Final = "refs/stash"
_BRANCHES: Final = "refs/heads/"
_IDS: Final = re.compile(rb"^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ", re.MULTILINE)
_LOGGED_AT_MOST: Final = 20_000
_NEWEST_FIRST: Final = 2
"""libgit2's GIT_SORT_TIME. A parent may come before its child if a clock was wrong."""


def named_commits(repository: Any) -> tuple[str, ...]:
    """Return the ids of the commits that HEAD and all refs but the stash name, each once.

    HEAD's is the first, unless there is no commit yet; the branches' follow. Detached HEADs of
    linked work trees are included. Raise KeyError if HEAD or a branch names a missing commit; other
    names without a commit are left out.
    """
    names = repository.listall_references()
    branches = [name for name in names if name.startswith(_BRANCHES)]
    if not repository.head_is_unborn:
        branches.insert(0, "HEAD")
    tags = [name for name in names if name != _STASH and not name.startswith(_BRANCHES)]
    heads = [first_line(room / "HEAD") for room in _other_work_trees(repository)]
    detached = [head for head in heads if not head.startswith("ref: ")]
    sure = [str(repository.revparse_single(f"{name}^{{commit}}").id) for name in branches]
    return tuple(dict.fromkeys([*sure, *commits_of(repository, [*tags, *detached])]))


def logged_commits(repository: Any) -> tuple[str, ...]:
    """Return the ids of commits in the stash and in the reflogs of HEAD and all refs, each once.

    Reflogs of linked work trees are included. The last MiB of each reflog is read, and at most
    `_LOGGED_AT_MOST` ids are used, the newest of each reflog first. Missing commits are left out.
    """
    git_directory = Path(repository.path)
    common = common_directory(git_directory)
    rooms = dict.fromkeys((git_directory, common, *_other_work_trees(repository)))
    ids: dict[str, None] = {_STASH: None}
    for room in rooms:
        for log in files_under(room / "logs"):
            _, lines = last_bytes(log) or (0, b"")
            for found in reversed(_IDS.findall(lines)):
                ids.update((each.decode(), None) for each in reversed(found))
    return tuple(dict.fromkeys(commits_of(repository, list(ids)[:_LOGGED_AT_MOST])))


def reachable(repository: Any, tips: Sequence[str], hidden: Iterable[str] = ()) -> Iterator[Any]:
    """Yield libgit2's commits reachable from the ids `tips` but not from `hidden`.

    They are sorted by commit time, newest first.
    """
    walk = repository.walk(None, _NEWEST_FIRST)
    for tip in tips:
        walk.push(tip)
    for other in hidden:
        walk.hide(other)
    return iter(walk)


def commits_of(repository: Any, names: Iterable[str]) -> list[str]:
    """Return the ids of the commits that some revisions name. Those that name none are left out."""
    found = []
    for name in names:
        with suppress(Exception):  # libgit2 raises many types for damage
            found.append(str(repository.revparse_single(f"{name}^{{commit}}").id))
    return found


def _other_work_trees(repository: Any) -> list[Path]:
    """Return the git directories of all linked work trees of the repository."""
    room = common_directory(Path(repository.path)) / "worktrees"
    return sorted(room.iterdir()) if room.is_dir() else []
