"""The files that an editor's file operation affects, and their contents before it.

Specified in requirements section 7.

Invariant: a deleted file's content is taken from the announcement of the operation, else from the
ledger or from HEAD.
Invariant: the caller holds the lock of `FileOperations`.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from threading import Event
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.errors import RequestLimitError
from intent_lsp.core.file_operations import FileHashes, FileOperation, OperationEnds
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.tree_snapshots import FILES_AT_MOST, KEPT_AT_ONCE
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.tree_walk import files_named, is_there

_ANNOUNCED_AT_MOST: Final = 16
"""Announcements that are kept. An editor may never carry out an operation that it announced."""

_WHAT: Final = "too many files in one operation of the editor"


class OperationTarget(Struct, frozen=True):
    """One file that an operation has changed.

    `data` is its content now, or None if it is deleted or cannot be read.
    """

    hashes: FileHashes
    data: bytes | None


class _Announced(Struct):
    """The state before an announced operation.

    `files` are the files at or below each named path, `held` the hashes of those that existed.
    """

    files: dict[OperationEnds, tuple[OperationEnds, ...]] = field(default_factory=dict)
    held: dict[WorkspacePath, ContentHash] = field(default_factory=dict)


class OperationTargets:
    """Finds the files that an editor's file operations in one root affect."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents
        self._announced: deque[_Announced] = deque(maxlen=_ANNOUNCED_AT_MOST)

    def announced(
        self, named: Sequence[OperationEnds], too_late: Event
    ) -> tuple[OperationEnds, ...]:
        """Return the files of an operation that is about to happen, after reading them.

        `named` are the paths in the request. `too_late` is set when the editor is no longer kept
        waiting; if it is set before they are listed, return an empty tuple, as the disk may show
        the state after the operation. Raise RequestLimitError for too many files.
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
        """Store the present hashes of an announcement's files, and their contents up to a limit.

        `too_late` is set once the operation may have happened. From then on files at new paths are
        left out, since the operation may have created them.
        """
        left = KEPT_AT_ONCE
        for ends in (ends for files in announced.files.values() for ends in files):
            for path in ends.paths:
                data = self._contents.disk_if_readable(path)
                if data is None or (path == ends.new and too_late.is_set()):
                    # The file is absent, or the operation itself may have created it. A file that
                    # still has its old name is untouched, so it counts even when it is too late.
                    continue
                announced.held[path] = hash_content(data)
                if len(data) <= left:
                    self._contents.keep(data, announced.held[path])
                    left -= len(data)

    def held_text(self, path: WorkspacePath) -> str | None:
        """Return a file's text as it was when an operation was last announced.

        Return None if it was not kept, or is not text.
        """
        held = self._announced[-1].held.get(path)
        return None if held is None else self._contents.kept(held).text

    def done(
        self, operation: FileOperation, named: Sequence[OperationEnds]
    ) -> Iterator[OperationTarget]:
        """Yield the files that an operation has changed; `named` are the paths in the request.

        Raise RequestLimitError for too many files.
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
        """Return the old and new path of each file that is on disk at or below the old path.

        If `ends` has no old path, look at or below the new path. Raise RequestLimitError for
        more than `at_most` files.
        """
        here = ends.new if ends.old is None else ends.old
        paths = None if here is None else files_named(self._stores.root, here, at_most=at_most)
        if here is None:
            return ()
        if paths is None or len(paths) > at_most:
            raise RequestLimitError(problem=_WHAT, limit=FILES_AT_MOST)
        return tuple(_below(ends, path[len(here) :]) for path in paths)

    def _files_after(self, ends: OperationEnds, at_most: int) -> tuple[OperationEnds, ...]:
        """Return the files at or below a named path after an operation.

        They are looked up at the new path. For a deletion they are the old path and the files below
        it that git lists. Raise RequestLimitError for more than `at_most` files.
        """
        if ends.new is not None:
            found = self._files(OperationEnds(None, ends.new), at_most)
            return tuple(_below(ends, file.paths[0][len(ends.new) :]) for file in found)
        git, old = self._stores.git, ends.old or WorkspacePath("")
        tracked = () if git is None else git.list_files()
        below = [OperationEnds(path, None) for path in tracked if path.startswith(f"{old}/")]
        if len(below) > at_most:
            raise RequestLimitError(problem=_WHAT, limit=FILES_AT_MOST)
        return (*below, OperationEnds(old, None))

    def _operated(self, ends: OperationEnds, announced: _Announced) -> OperationTarget | None:
        """Return how an operation changed one file, or None if it did not as far as is known."""
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
            # Not announced: a rename by itself changes no content, so the file held before what it
            # holds now.
            pre = announced.held.get(ends.old) or post
            changed = post is not None
        return OperationTarget(FileHashes(ends, pre, post), data) if changed else None

    def _held(self, path: WorkspacePath | None, announced: _Announced) -> ContentHash | None:
        """Return a deleted file's last hash: as announced, else as recorded, else as in HEAD.

        HEAD is asked only if there is no record. Return None if the hash is not known, or if `path`
        is None.
        """
        if path is None or path in announced.held:
            return None if path is None else announced.held[path]
        newest = self._stores.past.newest(path)
        if newest is not None:
            return newest.left().get(path)
        git = self._stores.git
        return None if git is None else hash_if_there(git.head_bytes(path))


def _below(ends: OperationEnds, rest: str) -> OperationEnds:
    """Return the old and new path of a file in a directory that is renamed, created or deleted.

    `ends` are the paths of the directory, `rest` is the end to append to each; it may be empty.
    """
    old = None if ends.old is None else WorkspacePath(f"{ends.old}{rest}")
    new = None if ends.new is None else WorkspacePath(f"{ends.new}{rest}")
    return OperationEnds(old, new)
