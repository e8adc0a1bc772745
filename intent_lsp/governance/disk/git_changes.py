"""Detection of the changes between two work tree snapshots that git itself made (ADR 0014).

Invariant: staging or committing a change does not make it git's.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from intent_lsp.core.agents.tickets import GitSnapshot, LogMark, TreeSnapshot
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.gitdir import Move, logged_before, moves_since
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.snapshot import GitSnapshots
from intent_lsp.store.git.trees import GitTrees, merge_of_stash

STASHES_AT_MOST = 10
"""The most stashes, newest first, whose contents are recognized."""

_NOTHING_LOGGED = LogMark(0, hash_content(b""))


class GitChanges(Struct, frozen=True, kw_only=True, dict=True):
    """What git changed in one repository between two snapshots, `then` and `now`.

    `content` returns the content with a hash, or None if it is not kept.
    `recorded` returns whether a file has a given content according to its newest record.
    """

    content: Callable[[ContentHash], bytes | None]
    recorded: Callable[[WorkspacePath, ContentHash], bool]
    git: Git
    gits: GitSnapshots
    trees: GitTrees
    then: TreeSnapshot
    now: TreeSnapshot

    @property
    def before(self) -> GitSnapshot:
        """The state of git in the first snapshot."""
        return self.then.git or GitSnapshot()

    @property
    def after(self) -> GitSnapshot:
        """The state of git in the second snapshot."""
        return self.now.git or GitSnapshot()

    @cached_property
    def moves(self) -> tuple[Move, ...] | None:
        """How HEAD moved between the snapshots, by the reflog; None if the reflog is incomplete."""
        mark = self.before.log
        if mark is None and self.before.head is None:
            mark = _NOTHING_LOGGED
        return None if mark is None else moves_since(self.git.git_dir, mark)

    @cached_property
    def authored(self) -> frozenset[WorkspacePath]:
        """The files that somebody changed in commits created between the snapshots."""
        return frozenset[WorkspacePath]().union(*self._authored_in.values())

    @cached_property
    def _authored_in(self) -> Mapping[str, frozenset[WorkspacePath]]:
        """The commits made between the snapshots, oldest first, with the files each changed."""
        commits = dict.fromkeys(move.new for move in self.moves or () if move.authored)
        return {commit: self.trees.authored_in(commit) for commit in commits}

    def authored_content(self, path: WorkspacePath) -> bytes | None:
        """Return a file's newest content in the commits that somebody made between the snapshots.

        Fetched commits do not count, nor those in which git only combined other commits. Return
        None if none of the commits has a content of the file.
        """
        found = (data for data in reversed(self._authored_contents(path)) if data is not None)
        return next(found, None)

    def _authored_contents(self, path: WorkspacePath) -> Sequence[bytes | None]:
        """Return a file's contents in the commits between the snapshots that changed the file.

        None stands for a commit that deleted it.
        """
        changing = (commit for commit, paths in self._authored_in.items() if path in paths)
        versions = (self.git.version_at(commit, path) for commit in changing)
        return [None if each is None else self.git.version_bytes(each) for each in versions]

    def paths(self) -> frozenset[WorkspacePath] | None:
        """Return the files that differ between the two HEADs, or that a commit in between changed.

        Return None if git cannot read the commits.
        """
        changed = self.trees.changed(self.before.head, self.after.head)
        return None if changed is None else changed | self.authored

    def made(self, path: WorkspacePath, old: ContentHash | None, blob: str | None) -> bool:
        """Return whether git itself gave a file its present content, or deleted it.

        `old` is the file's earlier hash (None: no file), `blob` its git blob now (None: no file).
        """
        if path in self.after.unmerged:
            # Git writes a new conflict, and either side of an old one; anything else in an old
            # conflict is an edit.
            return path not in self.before.unmerged or blob in self._sides(path)
        if blob is None and not self._was_tracked(path):
            return old is not None and self._put_away_untracked(path, old)
        return (
            (blob is not None and blob in self._held_then(path))
            or self._checked_out(path, old, blob)
            or self._out_of_a_stash(path, blob)
            or self.trees.merging_gives(path, blob, self.after.standing)
            or self._taken_along(path, old, blob)
            or (blob is None and self._left_out(path))
        )

    def wrote(self, path: WorkspacePath, old: ContentHash) -> bool:
        """Return whether git wrote the content `old` in a merge open at the first snapshot."""
        listed = self.then.files.get(path)
        if path in self.before.unmerged:
            data = self.content(old)
            return data is not None and _has_conflict(data)
        blob = listed.index if listed is not None and listed.as_index else None
        return blob is not None and self.trees.merging_gives(path, blob, self.before.standing)

    def _sides(self, path: WorkspacePath) -> frozenset[str]:
        """Return a path's blobs on both sides of the merges unfinished at the first snapshot."""
        found = (self.trees.blob(s, path) for merge in self.before.standing for s in merge[1:])
        return frozenset(blob for blob in found if blob is not None)

    def _held_then(self, path: WorkspacePath) -> frozenset[str]:
        """Return the blobs of a path in HEAD and in the index at the first snapshot."""
        head = None if self.before.head is None else self.trees.blob(self.before.head, path)
        listed = self.then.files.get(path)
        found = (head, head if listed is None else listed.index)
        return frozenset(blob for blob in found if blob is not None)

    def _was_tracked(self, path: WorkspacePath) -> bool:
        return bool(self._held_then(path)) or any(
            self.trees.blob(move.new, path) is not None for move in self.moves or ()
        )

    def _checked_out(self, path: WorkspacePath, old: ContentHash | None, blob: str | None) -> bool:
        """Return whether git wrote a file by moving HEAD to a commit where it has this blob.

        `blob` is None if the commit has no such file; `old` is the file's earlier hash. The commit
        must be from before the first snapshot, fetched, or made at HEAD since. Without a reflog,
        none made since counts.

        If somebody committed the file since, the commit must be as `_is_from_elsewhere` says, or be
        made by git, as in a rebase. If git made it, each content committed since must be recorded
        or be `old` (`_is_told`).
        """
        if self.moves is None:
            head = self.after.head
            if head is None or head == self.before.head:
                return False
            return self.trees.blob(head, path) == blob and self._is_known(head, self._fetched)
        for move in self.moves:
            if self.trees.blob(move.new, path) != blob:
                continue
            if path in self.authored:
                # Somebody committed another content of it in between. This one may come from an
                # older commit, or be what git made of a content that is recorded.
                if self._is_from_elsewhere(move.new, path, blob) or (
                    move.made and self._is_told(path, old)
                ):
                    return True
            elif move.authored or self._is_trusted(move):
                return True
        return False

    def _is_told(self, path: WorkspacePath, old: ContentHash | None) -> bool:
        """Return whether each content of a file committed in between has a record, or is `old`.

        False if no commit between the snapshots changed the file, or if one deleted it.
        """
        hashes = [data and hash_content(data) for data in self._authored_contents(path)]
        return bool(hashes) and all(
            each and (each == old or self.recorded(path, each)) for each in hashes
        )

    def _is_trusted(self, move: Move) -> bool:
        return move.made or move.new in self._logged or self._is_known(move.new, self._anywhere)

    def _is_from_elsewhere(self, commit: str, path: WorkspacePath, blob: str | None) -> bool:
        """Return whether a commit's blob was in git at the first snapshot, or was fetched since.

        The blob is that of `path` in `commit`, to which HEAD moved. A commit that was made here
        after the first snapshot and pushed can be reached from remotes like a fetched one. So no
        commit made here counts as fetched, nor does a blob that is in one of them.
        """
        if self._is_known(commit, self._there_before):
            return True
        return (
            commit not in self._made_here
            and self._is_known(commit, self._anywhere)
            and all(self.trees.blob(each, path) != blob for each in self._made_here)
        )

    @cached_property
    def _made_here(self) -> frozenset[str]:
        """The commits that somebody or git made at HEAD between the snapshots, by its reflog."""
        return frozenset(move.new for move in self.moves or () if move.authored or move.made)

    def _is_known(self, commit: str, tips: frozenset[str]) -> bool:
        """Return whether a commit is reachable from `tips`."""
        asked = (commit, tips)
        if asked not in self._known:
            self._known[asked] = self.trees.leads_to(tips, commit)
        return self._known[asked]

    @cached_property
    def _known(self) -> dict[tuple[str, frozenset[str]], bool]:
        return {}

    @cached_property
    def _there_before(self) -> frozenset[str]:
        """The tips at the first snapshot: what refs, remotes' included, and HEAD pointed to."""
        head = () if self.before.head is None else (self.before.head,)
        return frozenset((*self.before.tips, *head))

    @cached_property
    def _anywhere(self) -> frozenset[str]:
        """The tips at the first snapshot, and those of remotes at the second."""
        return self._there_before.union(self.after.remotes)

    @cached_property
    def _fetched(self) -> frozenset[str]:
        """The tips at the first snapshot, and what the last fetch brought.

        A push does not count here, as it does for `_anywhere`.
        """
        return self._there_before.union(self.after.fetched)

    @cached_property
    def _logged(self) -> frozenset[str]:
        """The commits made here between the snapshots, and the earlier ones in HEAD's log.

        Of a long log, only the end is read.
        """
        made, mark = self._made_here, self.before.log
        return made if mark is None else made | logged_before(self.git.git_dir, mark)

    def _out_of_a_stash(self, path: WorkspacePath, blob: str | None) -> bool:
        for stash in self.before.stashes[:STASHES_AT_MOST]:
            if blob is None:
                was = self.trees.blob(f"{stash}^1", path)
                held = was is not None and self.trees.blob(stash, path) is None
            else:
                places = (stash, f"{stash}^2", f"{stash}^3")
                held = any(self.trees.blob(place, path) == blob for place in places)
            if held or self.trees.merging_gives(path, blob, [merge_of_stash(stash)]):
                return True
        return False

    def _taken_along(self, path: WorkspacePath, old: ContentHash | None, blob: str | None) -> bool:
        """Return whether git merged a file's uncommitted changes with the commit it checked out.

        `old` is the hash of the file's content before, `blob` the git blob of its content now.
        """
        heads = (self.before.head, self.after.head)
        if old is None or blob is None or None in heads or path in self.authored:
            return False
        base, ours = (self.trees.blob(head or "", path) for head in heads)
        theirs = self.content(old)
        if base is None or ours is None or base == ours or theirs is None:
            return False
        return self.trees.merged_blob(base, ours, theirs) == blob

    def _put_away_untracked(self, path: WorkspacePath, old: ContentHash) -> bool:
        """Return whether a new stash holds the file, untracked, with the content `old`.

        New are the stashes made since the first snapshot.
        """
        for stash in self.after.stashes:
            if stash not in self.before.stashes:
                data = self.git.blob_bytes(f"{stash}^3", path)
                if data is not None and hash_content(data) == old:
                    return True
        return False

    def _left_out(self, path: WorkspacePath) -> bool:
        """Return whether git removed a file: by sparse checkout or a switch to an unborn branch."""
        if self.after.head is None:
            listed = self.now.files.get(path)
            return self.before.head is not None and (listed is None or listed.index is None)
        return self.gits.is_sparse() and path in self.gits.flags().unlooked


def _has_conflict(data: bytes) -> bool:
    """Return whether a content still has git's conflict markers."""
    lines = data.split(b"\n")
    starts = (b"<<<<<<< ", b">>>>>>> ")
    return all(any(line.startswith(start) for line in lines) for start in starts)
