"""Snapshots of a repository's own state: HEAD, refs, stashes, HEAD's reflog, index flags.

Invariant: nothing is written, and what does not exist is left out.
"""

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import GitSnapshot
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.activity import StatMark, git_moment
from intent_lsp.store.git.gitdir import (
    common_directory,
    files_under,
    log_mark,
    small_file,
    stash_commits,
)
from intent_lsp.store.git.objects import TRUE
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.status import TreeStatus
from intent_lsp.store.git.trees import standing_merges

_REF: Final = re.compile(rb"^([0-9a-f]{40,64}) (refs/.+)$", re.MULTILINE)
_REMOTES: Final = "refs/remotes/"
_ENTRY: Final = re.compile(
    rb"(?P<tag>[a-zS]) (?!160000)[0-7]+ (?P<blob>[0-9a-f]+) 0\t(?P<path>[^\0]+)"
    rb"|. 160000 [0-9a-f]+ 0\t(?P<link>[^\0]+)"
)
_FETCHED: Final = re.compile(rb"^([0-9a-f]{40,64})\t", re.MULTILINE)


class IndexFlags(Struct, frozen=True, kw_only=True):
    """The submodules of a root, and the files that git was told not to compare.

    `unlooked` maps files marked as assume-unchanged or skip-worktree to their blob ids.
    `submodules` are the directories of submodules.
    """

    unlooked: dict[WorkspacePath, str]
    submodules: tuple[WorkspacePath, ...]


_NO_FLAGS: Final = IndexFlags(unlooked={}, submodules=())


class GitSnapshots:
    """Takes snapshots of one repository's state. Index flags are cached until the index changes."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._lock = threading.Lock()
        self._flags: tuple[StatMark, IndexFlags] = (None, _NO_FLAGS)

    def take(self, status: TreeStatus) -> GitSnapshot:
        """Return a snapshot of git's present state: HEAD, refs, stashes, reflog and index.

        Ignore files outside the work tree and unfinished merges belong to it. HEAD's commit and the
        files in conflict are those of `status`, the result of `git status`.
        """
        git_dir = self._git.git_dir
        common = common_directory(git_dir)
        tips = tuple(_tips(self._git.root, common))
        remotes = {id_ for id_, name in tips if name.startswith(_REMOTES)}
        # A ref need not name the commits that the last fetch brought.
        last_fetch = small_file(git_dir / "FETCH_HEAD")
        fetched = {each.decode() for each in _FETCHED.findall(last_fetch)}
        return GitSnapshot(
            head=status.head,
            log=log_mark(git_dir),
            index=git_moment(git_dir).index,
            tips=tuple(sorted({id_ for id_, _ in tips})),
            remotes=tuple(sorted(remotes | fetched)),
            fetched=tuple(sorted(fetched)),
            stashes=stash_commits(git_dir, common),
            excludes=tuple(_excludes(self._git, common)),
            unmerged=tuple(sorted(status.unmerged)),
            standing=tuple(standing_merges(git_dir, status.head)),
        )

    def flags(self) -> IndexFlags:
        """Return the submodules, and the files marked as assume-unchanged or skip-worktree.

        There are none if git does not answer.
        """
        now = git_moment(self._git.git_dir).index
        with self._lock:
            if now is None or now != self._flags[0]:
                self._flags = (now, self._read_flags())
            return self._flags[1]

    def is_sparse(self) -> bool:
        """Return whether sparse checkout is on, which leaves files of HEAD out of the work tree.

        Only the setting `core.sparseCheckout` is read.
        """
        return self._git.setting("core.sparsecheckout").lower() in TRUE

    def _read_flags(self) -> IndexFlags:
        """Return the submodules, and the files marked as assume-unchanged or skip-worktree.

        There are none if git does not answer.
        """
        printed = run_git(self._git.root, "ls-files", "-s", "-v", "-z", "--full-name", "--", ".")
        unlooked: dict[WorkspacePath, str] = {}
        links: list[bytes] = []
        for found in _ENTRY.finditer(printed or b""):
            if found["link"] is not None:
                links.append(found["link"])
            else:
                for path in self._git.below([found["path"]]):
                    unlooked[path] = found["blob"].decode()
        return IndexFlags(unlooked=unlooked, submodules=self._git.below(links))


def _tips(root: Path, common: Path) -> Iterator[tuple[str, str]]:
    """Yield (object id, name) of each ref in `common`, the git directory that all work trees share.

    A ref that is stored both packed and loose is yielded twice, with each of its ids. Symbolic refs
    are left out. If the refs are in a reftable, symbolic refs and the work tree's own refs are
    yielded, too.
    """
    if (common / "reftable").is_dir():
        printed = run_git(root, "for-each-ref", "--format=%(objectname) %(refname)") or b""
    else:
        printed = b"\n".join(_ref_lines(common))
    for id_, name in _REF.findall(printed):
        yield id_.decode(), os.fsdecode(name)


def _ref_lines(common: Path) -> Iterator[bytes]:
    """Yield the text of `packed-refs`, then of each loose ref its content, a blank and its name."""
    yield small_file(common / "packed-refs")
    for place in files_under(common / "refs"):
        ref = os.fsencode(place.relative_to(common).as_posix())
        yield small_file(place)[:64].strip() + b" " + ref


def _excludes(git: Git, common: Path) -> Iterator[tuple[str, ContentHash]]:
    """Yield (path, content hash) of each nonempty ignore file outside the work tree."""
    places = [common / "info" / "exclude"]
    named = git.setting("core.excludesfile")
    places.append(Path(named).expanduser() if named else _own_excludes())
    for place in places:
        data = small_file(place)
        if data:
            yield str(place), hash_content(data)


def _own_excludes() -> Path:
    """Return the path of the ignore file that git reads if `core.excludesFile` is not set."""
    room = os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
    return Path(room, "git", "ignore")
