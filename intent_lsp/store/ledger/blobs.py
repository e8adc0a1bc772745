"""The ledger's files in commits, and commits with ledger lines that a later commit may lack.

Invariant: tree ids, file names and sizes are compared first. Contents are compared last, and only
up to a limit of bytes.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, NamedTuple

from msgspec import Struct

from intent_lsp.core.paths import CONTROL_ROOM, LEDGER_FILE
from intent_lsp.store.git.objects import WHOLE_AT_MOST, blob_data, blob_size
from intent_lsp.store.ledger.raw.files import ARCHIVE_PREFIX, ARCHIVE_ROOM, SEGMENT_ROOM, SUFFIX

COMMITS_AT_MOST: Final = 50_000
"""About the most commits that one query looks at."""

_COMPARED_AT_MOST: Final = 128 * 1024 * 1024
"""The most bytes of main files that one query reads to compare them, newest first."""

_PLAIN_FILES: Final = (0o100644, 0o100755, 0o100664)


class LedgerBlob(NamedTuple):
    """A ledger file in a commit: its path, relative to the root, and its blob's id."""

    file: str
    id: str


def ledger_blobs(commit: Any, prefix: str) -> tuple[LedgerBlob, ...]:
    """Return the ledger's files in a libgit2 commit, in reading order. Symbolic links are left out.

    `prefix` is the root, relative to the git top level: "" or a path that ends with `/`.
    """
    room = _entry(commit.tree, f"{prefix}{CONTROL_ROOM}")
    if room is None or room.type_str != "tree":
        return ()
    rooms = ((ARCHIVE_ROOM, ARCHIVE_PREFIX), (None, LEDGER_FILE), (SEGMENT_ROOM, ""))
    found: list[LedgerBlob] = []
    for path, start in rooms:
        entry = _entry(room, (path or start).removeprefix(f"{CONTROL_ROOM}/"))
        if entry is None:
            continue
        if path is None:
            found += _plain(CONTROL_ROOM, [entry])
        elif entry.type_str == "tree":
            names = (e for e in entry if e.name.startswith(start) and e.name.endswith(SUFFIX))
            found += _plain(path, sorted(names, key=lambda each: each.name))
    return tuple(found)


def commits_cut(repository: Any, prefix: str) -> tuple[Any, ...]:
    """Return each commit of HEAD's history that has ledger lines which a child commit may lack.

    A child without any ledger does not count. The commits are libgit2's, newest first. `prefix` is
    the root, relative to the git top level. The history behind a commit without a ledger is
    skipped, unless that commit is HEAD. About `COMMITS_AT_MOST` commits are examined at most. Of
    large main files only the sizes are compared (see `_Comparison.may_lack`).
    """
    cut: dict[str, Any] = {}
    comparison = _Comparison(repository)
    tip = repository.head.peel()
    rest, seen = [(tip, ledger_blobs(tip, prefix))], {tip.id}
    while rest and len(seen) < COMMITS_AT_MOST:
        commit, blobs = rest.pop()
        for parent in _parents(repository, commit):
            before = blobs
            if _room(parent, prefix) != _room(commit, prefix):
                before = ledger_blobs(parent, prefix)
                if blobs and comparison.may_lack(blobs, before):
                    cut[str(parent.id)] = parent
            if before and parent.id not in seen:
                seen.add(parent.id)
                rest.append((parent, before))
    return tuple(sorted(cut.values(), key=lambda each: each.commit_time, reverse=True))


class _Comparison(Struct):
    """Compares versions of a ledger. A ledger grows by new files and at the main file's end.

    `bytes_left` is how many bytes may still be read.
    """

    repository: Any
    bytes_left: int = _COMPARED_AT_MOST

    def may_lack(self, now: Collection[LedgerBlob], before: Collection[LedgerBlob]) -> bool:
        """Return whether a ledger, `now`, may lack lines that its older version `before` has.

        It may if an archive or segment was changed or removed, even if its lines were only moved to
        another file, or if the main file no longer begins with its old content. If the main file's
        two versions are too large to read within the limits, only their sizes are compared.
        """
        gone, come = set(before).difference(now), set(now).difference(before)
        if any(each.file != LEDGER_FILE for each in gone):
            return True
        return any(not self._goes_on(each, come) for each in gone)

    def _goes_on(self, old: LedgerBlob, come: Collection[LedgerBlob]) -> bool:
        """Return whether a later version of the file `old` begins with all of `old`.

        `come` are the files that were added or changed since. Return False if none of them has the
        path of `old`. If the two versions are too large to read within the limits, return whether
        the later one is at least as large.
        """
        new = next((each for each in come if each.file == old.file), None)
        if new is None:
            return False
        before, now = (blob_size(self.repository, each.id) for each in (old, new))
        size = before + now
        if size > min(WHOLE_AT_MOST, self.bytes_left):
            return now >= before
        self.bytes_left -= size
        one, other = (blob_data(self.repository, each.id) for each in (new, old))
        return one.startswith(other)


def _parents(repository: Any, commit: Any) -> Iterator[Any]:
    """Yield those parents of a commit that the repository has. A shallow clone lacks some."""
    found = (repository.get(parent) for parent in commit.parent_ids)
    return (each for each in found if each is not None)


def _room(commit: Any, prefix: str) -> str | None:
    """Return the tree id of `.orchestration/` in a commit, or None if the commit lacks it."""
    entry = _entry(commit.tree, f"{prefix}{CONTROL_ROOM}")
    return None if entry is None else str(entry.id)


def _plain(room: str, entries: Iterable[Any]) -> list[LedgerBlob]:
    return [
        LedgerBlob(f"{room}/{entry.name}", str(entry.id))
        for entry in entries
        if entry.filemode in _PLAIN_FILES
    ]


def _entry(tree: Any, path: str) -> Any | None:
    try:
        return tree[path]
    except KeyError:
        return None
