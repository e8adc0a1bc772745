"""Versions of a ledger in git: the records that earlier commits contain (ledger section 2).

Invariant: nothing is written or fetched, and one search reads each blob once.
Invariant: an incomplete search says so, so that no record is called lost that was not searched for.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Struct, field

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.truncation import Committed, EvidenceSearch, RecordCommit
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.formats.ledger.stated_link import stated_link
from intent_lsp.store.git.gitdir import prefix_of
from intent_lsp.store.git.objects import blob_lines, blob_size, discover
from intent_lsp.store.git.reachable import logged_commits, named_commits, reachable
from intent_lsp.store.ledger.blobs import COMMITS_AT_MOST, LedgerBlob, commits_cut, ledger_blobs

_log = logging.getLogger(__name__)

BYTES_AT_MOST: Final = 512 * 1024 * 1024
"""The most bytes of old ledgers that one search reads."""

T = TypeVar("T")


class LedgerVersions:
    """Queries about the committed versions of one root's ledger. For use by one thread."""

    def __init__(self, root: Path) -> None:
        """Open the git repository around `root`, if there is one."""
        self._root, self._repository, self._prefix = root, discover(root), ""
        self._cut: tuple[Any, ...] | None = None
        if self._repository is None:
            # A `.git` may exist although libgit2 cannot open it. Then a search is not complete.
            real = Path(os.path.realpath(root))
            self._alone = not any(os.path.lexists(d / ".git") for d in (real, *real.parents))
            return
        self._alone = False
        try:
            self._prefix = prefix_of(root, Path(os.path.realpath(self._repository.workdir)))
        except ValueError:  # `core.worktree` names a directory elsewhere.
            self._repository = None

    def committed(self) -> Committed | None:
        """Return the newest ledger in HEAD's history: its commit, heads, and if the commit is HEAD.

        Return None if the newest `COMMITS_AT_MOST` commits have none, if there is no repository, or
        if git cannot be read.
        """
        return self._asked(None, self._committed)

    def earlier(self) -> tuple[Committed, ...]:
        """Return the ledger's heads in each commit with ledger lines that a child commit may lack.

        These are commits of HEAD's history. Newest commits come first, and those beyond the limit
        of bytes to read are left out. The result is empty if there is no repository or git cannot
        be read.
        """
        return self._asked((), self._earlier)

    def heads_at(self, commit: str) -> tuple[ContentHash, ...]:
        """Return the heads of the ledger in a commit; empty if it has none or cannot be read."""

        def heads() -> tuple[ContentHash, ...]:
            found = None if self._repository is None else self._repository[commit]
            return () if found is None else self._heads(ledger_blobs(found, self._prefix))

        return self._asked((), heads)

    def search(self, wanted: Collection[ContentHash]) -> EvidenceSearch:
        """Search the commits reachable from refs and reflogs for records with the hashes `wanted`.

        Return the commit in which each was found, and whether the search was complete: it is not if
        it had to leave out commits or contents, for example because of its limits. If there
        is no usable repository, the search counts as complete only if no `.git` is at or above the
        root.
        """
        if self._repository is None or not wanted:
            return EvidenceSearch(held={}, whole=self._alone)
        seeker = Seeker(self._repository, self._prefix, set(wanted))
        self._asked(None, lambda: seeker.seek(self._commits_cut()))
        return EvidenceSearch(held=seeker.held, whole=seeker.whole)

    def _committed(self) -> Committed | None:
        """Return the newest ledger in HEAD's history, or None. Errors of libgit2 are raised."""
        repository = self._repository
        if repository is None or repository.head_is_unborn:
            return None
        head = str(repository.head.peel().id)
        for commit in islice(reachable(repository, (head,)), COMMITS_AT_MOST):
            blobs = ledger_blobs(commit, self._prefix)
            if blobs:
                id_ = str(commit.id)
                return Committed(commit=id_, heads=self._heads(blobs), current=id_ == head)
        return None

    def _earlier(self) -> tuple[Committed, ...]:
        """Return what `earlier` does. Errors of libgit2 are raised."""
        found: list[Committed] = []
        bytes_left = BYTES_AT_MOST
        for commit in self._commits_cut():
            blobs = ledger_blobs(commit, self._prefix)
            bytes_left -= sum(blob_size(self._repository, blob.id) for blob in blobs)
            if bytes_left < 0:
                _log.info("%s: commit %s and older ones are not looked at", self._root, commit.id)
                break
            heads = self._heads(blobs)
            found.append(Committed(commit=str(commit.id), heads=heads, current=False))
        return tuple(found)

    def _commits_cut(self) -> tuple[Any, ...]:
        """Return the commits of HEAD's history with ledger lines that a child commit may lack.

        They are cached. The result is empty without a repository or a commit.
        """
        repository = self._repository
        if repository is None or repository.head_is_unborn:
            return ()
        if self._cut is None:
            self._cut = commits_cut(repository, self._prefix)
        return self._cut

    def _heads(self, blobs: Iterable[LedgerBlob]) -> tuple[ContentHash, ...]:
        return _heads(line for blob in blobs for line in blob_lines(self._repository, blob.id))

    def _asked(self, otherwise: T, question: Callable[[], T]) -> T:
        """Return what `question` returns. If it raises, log the error and return `otherwise`."""
        try:
            return question()
        except Exception as problem:  # noqa: BLE001 - libgit2 raises many types for damage
            _log.info("%s: git: %r", self._root, problem)
            return otherwise


class Seeker(Struct):
    """A search for records, by their hashes, in the commits of one repository.

    `prefix` is the root, relative to the git top level. `wanted` are the hashes not yet found, and
    `held` maps each hash found to its commit. `missed` is whether a limit or an error left out a
    commit or blob. `whole` is set at the end, if nothing was `missed` and the repository is no
    shallow clone. `bytes_left` is how many bytes may still be read, and `seen` holds the wanted
    hashes in each blob read.
    """

    repository: Any
    prefix: str
    wanted: set[ContentHash]
    held: dict[ContentHash, RecordCommit] = field(default_factory=dict)
    whole: bool = False
    bytes_left: int = BYTES_AT_MOST
    seen: dict[str, frozenset[ContentHash]] = field(default_factory=dict)
    missed: bool = False

    def seek(self, cut: Iterable[Any] = ()) -> None:
        """Search HEAD and `cut`, then refs, then reflogs and the stash, for the hashes in `wanted`.

        Of refs and reflogs, the tips are searched first, then the commits behind them. `cut` are
        commits of HEAD's history with records that a later commit may lack. The search ends when
        all are found. Afterwards `held` has the commit of each hash found, `wanted` the hashes not
        found, and `whole` is False if these may be in commits or blobs that were left out.
        """
        head = [] if self.repository.head_is_unborn else [self.repository.head.peel()]
        self._among((*head, *cut), named=True)
        named, logged = named_commits(self.repository), logged_commits(self.repository)
        for tips, hidden, is_named in ((named, (), True), (logged, named, False)):
            self._among(map(self.repository.get, tips), named=is_named)
            if self.wanted:
                commits = reachable(self.repository, tips, hidden)
                self._among(islice(commits, COMMITS_AT_MOST), named=is_named)
                # Beyond the limit at least one commit may remain unsearched.
                self.missed |= bool(self.wanted) and next(commits, None) is not None
        self.whole = not self.missed and not self.repository.is_shallow

    def _among(self, commits: Iterable[Any], *, named: bool) -> None:
        """Search commits until all wanted hashes are found, and store each hash found in `held`.

        `named` is whether the commits are reachable from a ref. Otherwise they are reachable only
        from a reflog or the stash.
        """
        for commit in commits:
            if not self.wanted:
                return
            files = self._of(commit)
            for found in files.keys() & self.wanted:
                below = found in self._of(self._base(commit))
                self.held[found] = RecordCommit(
                    commit=str(commit.id), file=files[found], below=below, named=named
                )
                self.wanted.discard(found)

    def _base(self, commit: Any) -> Any:
        """Return the merge base of a commit and HEAD, or None if they have none.

        Return None also if HEAD has no commit yet.
        """
        if self.repository.head_is_unborn:
            return None
        base = self.repository.merge_base(self.repository.head.peel().id, commit.id)
        return None if base is None else self.repository[base]

    def _of(self, commit: Any) -> Mapping[ContentHash, str]:
        """Return the wanted hashes that a commit's ledger states, each with its ledger file.

        The result is empty if `commit` is None.
        """
        blobs = () if commit is None else ledger_blobs(commit, self.prefix)
        return {found: blob.file for blob in blobs for found in self._in_blob(blob.id)}

    def _in_blob(self, blob_id: str) -> frozenset[ContentHash]:
        """Return the wanted hashes that the lines of a blob state as their own.

        The result is empty, and `missed` is set, if the blob cannot be read or exceeds the bytes
        left.
        """
        found = self.seen.get(blob_id)
        if found is None:
            found = self.seen[blob_id] = frozenset(self._read(blob_id))
        return found

    def _read(self, blob_id: str) -> Iterator[ContentHash]:
        try:
            self.bytes_left -= blob_size(self.repository, blob_id)
            if self.bytes_left < 0:
                self.missed = True
                return
            yield from _told(blob_lines(self.repository, blob_id), self.wanted)
        except (KeyError, OSError) as problem:
            # Blobs are missing in a partial clone and in a damaged repository.
            _log.info("blob %s: %r", blob_id, problem)
            self.missed = True


def _heads(lines: Iterable[bytes]) -> tuple[ContentHash, ...]:
    """Return the hashes of the records, among the ledger lines, that none follows or merges.

    The chain is followed by the hashes that the lines state. Only the heads' hashes, which cover
    all records before them, are recomputed, and the recomputed ones are returned.
    """
    heads: dict[ContentHash, bytes] = {}
    awaited: set[ContentHash] = set()
    above: ContentHash | None = None
    for line in lines:
        link = stated_link(line)
        if link is None:
            continue
        named = (above, *link.named) if link.bare and above is not None else link.named
        for each in named:
            if each in heads:
                del heads[each]
            else:
                # The record is in a later file, or the chain is broken.
                awaited.add(each)
        above = link.hash
        if above not in awaited:
            heads[above] = line
    return tuple(examine(line).hash or stated for stated, line in heads.items())


def _told(lines: Iterable[bytes], wanted: Collection[ContentHash]) -> Iterator[ContentHash]:
    """Yield each of the hashes `wanted` that one of the lines states as its own hash."""
    digits = [each.removeprefix("sha256:").encode() for each in wanted]
    for line in lines:
        if b'"integrity"' in line and not any(each in line for each in digits):
            continue
        link = stated_link(line)
        if link is not None and link.hash in wanted:
            yield link.hash
