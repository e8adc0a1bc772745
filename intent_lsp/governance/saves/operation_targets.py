"""The files behind an editor's file operations, and what they held before (requirements section 7).

Invariant: what a file held is known from the announcement of its operation; where nobody
announced it, from the ledger or from HEAD.
Invariant: whoever calls this holds the lock of the operations.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.errors import RequestLimitError
from intent_lsp.core.file_operations import FileHashes, FileOperation, OperationEnds
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.tree_snapshots import FILES_AT_MOST, KEPT_AT_ONCE
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.operation_paths import files_named, is_there

_ANNOUNCED_AT_MOST: Final = 16
"""Announcements that are kept; an editor need not go on with what it has announced."""

_WHAT: Final = "files of one operation"


@dataclass(frozen=True, slots=True)
class OperationTarget:
    """One file of an operation that has happened, and what it holds now (None: it is gone)."""

    hashes: FileHashes
    data: bytes | None


@dataclass(slots=True)
class _Announced:
    """What was found before an operation: the files behind each name, and what they held."""

    files: dict[OperationEnds, tuple[OperationEnds, ...]] = field(default_factory=dict)
    held: dict[WorkspacePath, ContentHash] = field(default_factory=dict)


class OperationTargets:
    """Finds the files of one root's operations."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents
        self._announced: deque[_Announced] = deque(maxlen=_ANNOUNCED_AT_MOST)

    def announced(
        self, named: Sequence[OperationEnds], too_late: Event
    ) -> tuple[OperationEnds, ...]:
        """List and read the files of an operation that is about to happen, unless it is by now.

        `too_late` is set by whoever lets the editor go on; what is seen since then may be what the
        operation has left. Raises OverLimitError.
        """
        announced = _Announced()
        left = FILES_AT_MOST
        for ends in named:
            announced.files[ends] = self._files(ends, left)
            left -= len(announced.files[ends])
        if too_late.is_set():
            return ()
        self._announced.append(announced)
        self._hold(announced, too_late)
        return tuple(each for files in announced.files.values() for each in files)

    def _hold(self, announced: _Announced, too_late: Event) -> None:
        """Read and keep what the files of an announcement hold now."""
        left = KEPT_AT_ONCE
        for ends in (ends for files in announced.files.values() for ends in files):
            for path in ends.paths:
                data = self._contents.disk_if_readable(path)
                if data is None or (path == ends.new and too_late.is_set()):
                    # Not there, gone already, or there only now. What still has its old name is
                    # what it was.
                    continue
                announced.held[path] = hash_content(data)
                if len(data) <= left:
                    self._contents.keep(data, announced.held[path])
                    left -= len(data)

    def held_text(self, path: WorkspacePath) -> str | None:
        """Give the text that a file of the newest announcement holds; None: none is kept."""
        held = self._announced[-1].held.get(path)
        return None if held is None else self._contents.kept(held).text

    def done(
        self, operation: FileOperation, named: Sequence[OperationEnds]
    ) -> Iterator[OperationTarget]:
        """Give the files that an operation has changed, one at a time.

        Raises OverLimitError.
        """
        left = FILES_AT_MOST
        for ends in named:
            announced = self._taken(ends)
            files = announced.files.pop(ends, None)
            if files is None or operation is FileOperation.CREATE:
                files = self._files_after(ends, left)
            left -= len(files)
            for each in files:
                found = self._operated(each, announced)
                if found is not None:
                    yield found

    def _taken(self, ends: OperationEnds) -> _Announced:
        known = (each for each in reversed(self._announced) if ends in each.files)
        return next(known, None) or _Announced()

    def _files(self, ends: OperationEnds, at_most: int) -> tuple[OperationEnds, ...]:
        """List the files behind a name; those of a rename or deletion have the old name yet."""
        here = ends.new if ends.old is None else ends.old
        paths = None if here is None else files_named(self._stores.root, here, at_most=at_most)
        if here is None:
            return ()
        if paths is None or len(paths) > at_most:
            raise RequestLimitError(what=_WHAT, limit=FILES_AT_MOST)
        return tuple(_below(ends, path[len(here) :]) for path in paths)

    def _files_after(self, ends: OperationEnds, at_most: int) -> tuple[OperationEnds, ...]:
        """List the files behind a name once its operation is over and nobody has announced it."""
        if ends.new is not None:
            found = self._files(OperationEnds(None, ends.new), at_most)
            return tuple(_below(ends, file.paths[0][len(ends.new) :]) for file in found)
        git, old = self._stores.git, ends.old or WorkspacePath("")
        tracked = () if git is None else git.list_files()
        below = [OperationEnds(path, None) for path in tracked if path.startswith(f"{old}/")]
        if len(below) > at_most:
            raise RequestLimitError(what=_WHAT, limit=FILES_AT_MOST)
        return (*below, OperationEnds(old, None))

    def _operated(self, ends: OperationEnds, announced: _Announced) -> OperationTarget | None:
        """Give what became of one file; None: nothing did."""
        data = None if ends.new is None else self._contents.disk_if_readable(ends.new)
        post = hash_if_there(data)
        if ends.new is None:
            gone = not is_there(self._stores.root, ends.old or WorkspacePath(""))
            pre = self._held(ends.old, announced) if gone else None
            changed = pre is not None
        elif ends.old is None:
            pre = announced.held.get(ends.new)
            changed = post != pre
        else:
            # A rename by itself changes no content.
            pre = announced.held.get(ends.old) or post
            changed = post is not None
        return OperationTarget(FileHashes(ends, pre, post), data) if changed else None

    def _held(self, path: WorkspacePath | None, announced: _Announced) -> ContentHash | None:
        """Tell what a file held that is gone: what was seen, else what was recorded or committed.

        None: nobody knows of such a file.
        """
        if path is None or path in announced.held:
            return None if path is None else announced.held[path]
        newest = self._stores.past.newest(path)
        if newest is not None:
            return next((file.post_hash for file in newest.files if file.path == path), None)
        git = self._stores.git
        return None if git is None else hash_if_there(git.head_bytes(path))


def _below(ends: OperationEnds, rest: str) -> OperationEnds:
    """Give the ends of a file that lies below both, at the same place; "": the names themselves."""
    old = None if ends.old is None else WorkspacePath(f"{ends.old}{rest}")
    new = None if ends.new is None else WorkspacePath(f"{ends.new}{rest}")
    return OperationEnds(old, new)
