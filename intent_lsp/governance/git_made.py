"""What git made of the files while a command ran, and what the command committed (decision 0007).

Invariant: what the index alone holds makes no change git's, and neither does a commit that the
command made itself.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.tree_seen import TreeSeen
from intent_lsp.store.git import Git
from intent_lsp.store.git_status import TreeStatus
from intent_lsp.store.git_text import Version

Versions = Mapping[WorkspacePath, Version]


@dataclass(frozen=True, slots=True, kw_only=True)
class GitMade:
    """What commits hold of the files that are compared: each was asked for all of them at once.

    `old` is the commit of before and `head` today's, as far as they can matter; `stashed` is of a
    stash that is older than the command. `committed` are the files that today's commit has, or
    lacks, as the command committed them itself: `head` is without them.
    """

    git: Git
    moved: bool
    old: Versions
    head: Versions
    stashed: tuple[Versions, ...]
    committed: frozenset[WorkspacePath]
    unmerged: frozenset[WorkspacePath]

    def is_gits(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        """Whether git made a file what it is (`new` is None: there is no such file).

        Of git are files in conflict, what HEAD holds and a stash that was there before. A file
        that is gone is git's where another commit was checked out that has it no more.
        """
        if path in self.unmerged:
            return True
        if new is None:
            return self._went_with_its_commit(path)
        return any(self._holds(versions, path, new) for versions in (self.head, *self.stashed))

    def bytes_before(self, path: WorkspacePath) -> bytes | None:
        """Give what the commit of before holds of a file that it has; None: it cannot be read."""
        return self.git.version_bytes(self.old[path])

    def _went_with_its_commit(self, path: WorkspacePath) -> bool:
        gone = path in self.old and path not in self.head
        return self.moved and gone and path not in self.committed

    def _holds(self, versions: Versions, path: WorkspacePath, new: ContentHash) -> bool:
        version = versions.get(path)
        return version is not None and hash_if_there(self.git.version_bytes(version)) == new


def committed_by_command(
    git: Git | None, before: TreeSeen, now: TreeStatus, *, since: float | None
) -> frozenset[WorkspacePath]:
    """Give the files that today's HEAD has, or lacks, as commits made since `before` left them.

    That they are clean now says nothing: what was edited and committed in one command is clean.
    """
    if git is None or now.head is None or now.head == before.head:
        return frozenset()
    return git.committed_between(before.head, now.head, since=since)


def ask_git(  # noqa: PLR0913 - the two moments, and what is asked of them
    git: Git,
    before: TreeSeen,
    now: TreeStatus,
    *,
    paths: Collection[WorkspacePath],
    committed: frozenset[WorkspacePath],
    since: float | None,
) -> GitMade | None:
    """Ask git about files that may have changed; None: a commit cannot be read.

    `since` is the moment of `before`, in seconds since 1970; without it no stash is known to be
    older.
    """
    moved = now.head != before.head
    dirty = {path for path, _ in before.files}
    # A clean file that is another now is not what a HEAD holds that did not move.
    of_head = [path for path in paths if path not in committed and (moved or path in dirty)]
    of_old = [path for path in paths if moved or path not in dirty]
    old, head = _versions(git, before.head, of_old), _versions(git, now.head, of_head)
    if old is None or head is None:
        return None
    return GitMade(
        git=git,
        moved=moved and now.head is not None,
        old=old,
        head=head,
        stashed=() if since is None else git.stashed_versions(paths, older_than=since),
        committed=committed,
        unmerged=now.unmerged,
    )


def _versions(git: Git, commit: str | None, paths: Collection[WorkspacePath]) -> Versions | None:
    return git.versions_at(commit, paths) if commit is not None and paths else {}
