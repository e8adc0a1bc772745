"""Questions to libgit2 about one opened repository.

Invariant: what is not there is None; what libgit2 raises comes through, for the caller to log.
"""

# pygit2's types are not named here: it is loaded when a repository is opened, after the start.
# ruff: noqa: ANN401

import logging
import os
import posixpath
from pathlib import Path
from typing import Any, Final

from intent_lsp.core.paths import fold
from intent_lsp.store.git_text import Attribute, Conversion, conversion

_log = logging.getLogger(__name__)

_LINK_MODE: Final = 0o120000
_LINKS_AT_MOST: Final = 8
_STASHED_UNTRACKED: Final = 2

Blob = tuple[str, bytes]
"""A blob's id and its content as git keeps it."""


def discover(root: Path) -> Any | None:
    """Open the repository around `root`; None, and a line in the log, when it cannot be used."""
    import pygit2  # noqa: PLC0415 - loaded late, as architecture.md measured

    try:
        path = pygit2.discover_repository(os.fspath(root))
        repository = None if path is None else pygit2.Repository(path)
    except (pygit2.GitError, KeyError, ValueError, OSError) as problem:
        _log.warning("%s: the git repository cannot be opened: %s", root, problem)
        return None
    if repository is None or repository.workdir is None:
        return None
    return repository


def head_commit(repository: Any) -> str | None:
    """Give the id of HEAD's commit; None: unborn."""
    return None if repository.head_is_unborn else str(repository.head.peel().id)


def head_tree(repository: Any) -> Any | None:
    """Give HEAD's tree; None: unborn."""
    return None if repository.head_is_unborn else repository.head.peel().tree


def tree_of(repository: Any, commit: str) -> Any:
    """Give a commit's tree. Raises KeyError for an unknown one."""
    return repository.revparse_single(f"{commit}^{{tree}}")


def stash_tree(repository: Any) -> Any | None:
    """Give the tree of the newest stash; None: there is none."""
    found = repository.references.get("refs/stash")
    return None if found is None else found.peel().tree


def stashed_untracked(repository: Any) -> Any | None:
    """Give the tree of the untracked files in the newest stash; None: it has none."""
    found = repository.references.get("refs/stash")
    parents = [] if found is None else list(found.peel().parents)
    return parents[_STASHED_UNTRACKED].tree if len(parents) > _STASHED_UNTRACKED else None


def find_blob(tree: Any | None, path: str) -> Blob | None:
    """Find a file in a tree, its links followed as far as they stay in the repository."""
    for _ in range(_LINKS_AT_MOST):
        if tree is None or path not in tree:
            return None
        found = tree[path]
        if found.type_str != "blob":
            return None
        if found.filemode != _LINK_MODE:
            return str(found.id), found.data
        target = os.fsdecode(found.data)
        folded = fold(posixpath.join(posixpath.dirname(path), target))
        if not folded or folded.startswith("/"):
            return None
        path = folded
    return None


def index(repository: Any) -> Any:
    """Give the index as it is on disk now."""
    found = repository.index
    found.read(force=False)
    return found


def index_blob(repository: Any, path: str) -> Blob | None:
    """Find a file in the index."""
    entries = index(repository)
    if path not in entries:
        return None
    found = repository.get(entries[path].id)
    return None if found is None or found.type_str != "blob" else (str(found.id), found.data)


def conversion_of(repository: Any, path: str) -> Conversion:
    """Tell how a path's blobs become work-tree files, by its attributes and the settings."""
    name = os.fsencode(path)
    config = repository.config

    def attribute(key: str) -> Attribute:
        value: Attribute = repository.get_attr(name, key)
        return value

    def setting(key: str) -> str:
        return str(config[key]).lower() if key in config else ""

    return conversion(attribute, setting)
