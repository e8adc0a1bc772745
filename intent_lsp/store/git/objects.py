"""Questions to libgit2 about one opened repository.

Invariant: what is not there is None; what libgit2 raises comes through, for the caller to log.
"""

# pygit2's types are not named here: it is loaded when a repository is opened, after the start.
# ruff: noqa: ANN401

import logging
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from intent_lsp.core.paths import fold
from intent_lsp.store.git.conversion import SETTINGS, Attribute, Conversion, conversion

_log = logging.getLogger(__name__)

_NO_REPOSITORY: Final = "Repository not found"
_LINK_MODE: Final = 0o120000
_LINKS_AT_MOST: Final = 8
_WALKED_AT_MOST: Final = 5_000
"""Commits that are looked at to find merges."""


def discover(root: Path) -> Any | None:
    """Open the repository around `root`; None, and a line in the log, when it cannot be used."""
    import pygit2  # noqa: PLC0415 - loaded late, as architecture.md measured

    try:
        # `discover_repository` would take a reference from None each time that it finds none.
        repository: Any = pygit2.Repository(os.fspath(root))
    except (pygit2.GitError, KeyError, ValueError, OSError) as problem:
        if not str(problem).startswith(_NO_REPOSITORY):
            _log.warning("%s: the git repository cannot be opened: %s", root, problem)
        return None
    return None if repository.workdir is None else repository


def setting(repository: Any, name: str) -> str:
    """Give a setting as it is spelled; empty: it is not set."""
    config = repository.config
    return str(config[name]) if name in config else ""


def head_commit(repository: Any) -> str | None:
    """Give the id of HEAD's commit; None: unborn."""
    return None if repository.head_is_unborn else str(repository.head.peel().id)


def author_name(repository: Any, commit: Any) -> str:
    """Give the name of a commit's author, as `.mailmap` has it."""
    import pygit2  # noqa: PLC0415 - loaded late, as architecture.md measured

    author = pygit2.Mailmap.from_repository(repository).resolve_signature(commit.author)
    return author.raw_name.decode("utf-8", "replace").strip()


def blob_in_head(repository: Any, path: str) -> str | None:
    """Find a file's blob in HEAD; give its id."""
    return None if repository.head_is_unborn else _find(repository.head.peel().tree, path)


def blob_in_index(repository: Any, path: str) -> str | None:
    """Find a file's blob in the index; give its id."""
    entries = index(repository)
    return str(entries[path].id) if path in entries else None


def blob_in_commit(repository: Any, path: str, *, commit: str) -> str | None:
    """Find a file's blob in a commit; give its id. Raises KeyError for an unknown commit."""
    return _find(repository.revparse_single(f"{commit}^{{tree}}"), path)


def blobs_in_commit(repository: Any, paths: Iterable[str], *, commit: str) -> Mapping[str, str]:
    """Find the blobs of many files in a commit, those it has. Raises KeyError as the one above."""
    tree = repository.revparse_single(f"{commit}^{{tree}}")
    found = ((path, _find(tree, path)) for path in paths)
    return {path: blob_id for path, blob_id in found if blob_id is not None}


def merged_commits(repository: Any, path: str) -> Iterator[str]:
    """Give the commits, newest first, of which git made a content of a file that none of them has.

    They are the parents of merges that HEAD comes from.
    """
    if repository.head_is_unborn:
        return
    for commit in islice(repository.walk(repository.head.peel().id), _WALKED_AT_MOST):
        parents = [str(each) for each in commit.parent_ids if each in repository]
        if len(parents) > 1:
            sides = [_find(repository[each].tree, path) for each in parents]
            if _find(commit.tree, path) not in sides:
                yield from parents


def blob_data(repository: Any, blob_id: str) -> bytes:
    """Give a blob's content as git keeps it. Raises KeyError for an unknown one."""
    data: bytes = repository[blob_id].data
    return data


def index(repository: Any) -> Any:
    """Give the index as it is on disk now."""
    found = repository.index
    found.read(force=False)
    return found


def submodules(repository: Any) -> bool:
    """Whether the index or `.gitmodules` names another repository."""
    # What libgit2 remembers of the index may be old.
    index(repository)
    return bool(repository.listall_submodules())


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


def conversions(
    repository: Any, attributes: Mapping[str, Mapping[str, Attribute]]
) -> Mapping[str, Conversion]:
    """Tell what `conversion_of` would for many paths, by the attributes that each has."""
    config = repository.config
    known = {key: str(config[key]).lower() for key in SETTINGS if key in config}

    def setting(key: str) -> str:
        return known.get(key, "")

    return {path: conversion(said.get, setting) for path, said in attributes.items()}


def _find(tree: Any, path: str) -> str | None:
    """Find a file in a tree, its links followed as far as they stay in the repository."""
    for _ in range(_LINKS_AT_MOST):
        try:
            found = tree[path]
        except KeyError:
            return None
        if found.type_str != "blob":
            return None
        if found.filemode != _LINK_MODE:
            return str(found.id)
        target = os.fsdecode(found.data)
        folded = fold(posixpath.join(posixpath.dirname(path), target))
        if not folded or folded.startswith("/"):
            return None
        path = folded
    return None
