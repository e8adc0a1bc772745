"""A work tree without a commit yet: all its files count as changes of the empty tree.

Specified in requirements section 8.

Invariant: the tree is read as a whole, or not at all if that would take long.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.control_plane import server_only
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.tree_reader import ReadFile, TreeFiles

EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's id of the tree without a file; stands for HEAD on an unborn branch."""

FILES_AT_MOST: Final = 3_000
"""Files above which the tree is not read, since an editor's start waits for it."""

BYTES_AT_MOST: Final = 256 * 1024 * 1024
"""Bytes of all its files together above which the tree is not read."""


def is_too_large(root: Path, paths: Iterable[WorkspacePath]) -> bool:
    """Return whether a tree has more than FILES_AT_MOST files or BYTES_AT_MOST bytes.

    Files that only the server writes are not counted.
    """
    size = 0
    for count, path in enumerate((path for path in paths if not server_only(path)), start=1):
        found = stamp(f"{root}/{path}")
        size += 0 if found is None else found.size
        if count > FILES_AT_MOST or size > BYTES_AT_MOST:
            return True
    return False


def read_tree(
    root: Path, paths: Iterable[WorkspacePath]
) -> Iterator[tuple[WorkspacePath, ReadFile]]:
    """Yield each file at `paths` with its content, without the server's own and unreadable ones.

    If the root has no regular file at a path, it comes with NOTHING.
    """
    files = TreeFiles(root)
    for path in paths:
        if server_only(path):
            continue
        try:
            held = files.held(path)
        except OSError:
            continue
        yield path, held
