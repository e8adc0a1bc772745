"""The names in one directory of a work tree: its subdirectories and its files.

Invariant: no file is opened, no link is followed, and links are left out, as in listings of the
whole tree.
"""

import logging
import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.root_search import is_git_top, is_governed

_log: Final = logging.getLogger(__name__)


class DirectoryNames(Struct, frozen=True):
    """The names of the subdirectories and of the regular files in a directory, in no order."""

    directories: list[str]
    files: list[str]


def names_in(root: Path, directory: str) -> DirectoryNames:
    """Return the names of the subdirectories and regular files in `directory`, without links.

    `directory` is relative to the root, "" for the root itself. There are no names if it does not
    exist, cannot be listed, or is or leads through a link.
    """
    found = DirectoryNames([], [])
    if is_linked(root, directory):
        return found
    try:
        with os.scandir(root / directory) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    found.files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    found.directories.append(entry.name)
    except OSError as problem:
        _log.debug("%s cannot be listed: %s", directory, problem)
    return found


def is_linked(root: Path, directory: str) -> bool:
    """Return whether a directory is or leads through a link.

    `directory` is relative to the root. Return False for "", the root itself, and True for a path
    that leads outside the root or is not valid.
    """
    if not directory:
        return False
    place = resolve_below(root, directory)
    return place is None or place.real != place.path


def is_foreign(root: Path, directory: str) -> bool:
    """Return whether a directory below the root is a nested repository or governed root."""
    place = f"{root}/{directory}"
    return is_git_top(place) or is_governed(place)
