"""The directories of a work tree that can hold files which git does not ignore.

Invariant: no file is opened, no link is followed, and nested repositories are left out.
"""

import os
from pathlib import Path
from typing import Final

from intent_lsp.store.fs.tree_walk import entries_in
from intent_lsp.store.git.program import run_git

_IGNORED: Final = ("--others", "--ignored", "--exclude-standard", "--directory")


def tree_rooms(root: Path, *, at_most: int) -> frozenset[Path] | None:
    """Return `root` and all directories below it, or None if they are more than `at_most`.

    Left out are `.git`, the local directory, directories that git ignores as a whole, and nested
    repositories. If git does not answer, no directory counts as ignored.
    """
    printed = run_git(root, "ls-files", "-z", *_IGNORED, "--", ".") or b""
    ignored = frozenset(name.rstrip("/") for name in os.fsdecode(printed).split("\0"))
    found = [""]
    for room in found:
        _, inner = entries_in(root, room)
        found.extend(each for each in inner if each.rstrip("/") not in ignored)
        if len(found) > at_most:
            return None
    return frozenset(root / room for room in found)
