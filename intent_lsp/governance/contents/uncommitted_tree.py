"""A work tree that has no commit yet: all its files are changes of the empty tree.

Specified in requirements section 8.

Invariant: it is read as a whole, or, where that would take long, not at all.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.gate.file_class import server_only
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.tree_reader import ReadFile, TreeFiles

EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""What stands for HEAD where it is unborn: git knows the tree without a file by this id."""

FILES_AT_MOST: Final = 3_000
"""Files above which a tree without a commit is not read: whoever starts an editor waits for it."""

BYTES_AT_MOST: Final = 256 * 1024 * 1024
"""Bytes of all its files together above which it is not."""


def is_too_large(root: Path, paths: Iterable[WorkspacePath]) -> bool:
    """Whether the files of a tree, the server's own aside, are too many or too large to be read."""
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
    """Read the files of a tree; those that cannot be read are left out, and the server's own."""
    files = TreeFiles(root)
    for path in paths:
        if server_only(path):
            continue
        try:
            held = files.held(path)
        except OSError:
            continue
        yield path, held
