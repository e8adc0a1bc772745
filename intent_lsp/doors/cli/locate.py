"""Where a command was called: the governed root above, and the paths below it.

Invariant: what is typed is relative to where one stands, as with git.
"""

from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.roots import governed_root


def directory(spelled: str) -> Path:
    """Find a directory that exists. Raises WrongUsageError."""
    found = Path(spelled)
    try:
        usable = found.is_dir()
    except (OSError, ValueError):  # A name that is too long, or holds a NUL.
        usable = False
    if not usable:
        raise WrongUsageError(f"{spelled} is not a directory", cure="give one that exists")
    return found


def root_above(spelled: str) -> Path:
    """Find the root that governs a directory. Raises WrongUsageError."""
    start = directory(spelled)
    governed = governed_root(str(start))
    if governed is None:
        raise WrongUsageError(
            f"{start.absolute()} is not governed: no .orchestration/active_intents.yaml in it"
            " or above it",
            cure="run `intent-lsp init` in the project's top directory, or give one with -C DIR",
        )
    return governed.root


def root_of_file(spelled: str, start: str) -> Path:
    """Find the root that governs a file, typed relative to `start`; else the one of `start`.

    Raises WrongUsageError.
    """
    governed = governed_root(str(directory(start).absolute() / spelled))
    return root_above(start) if governed is None else governed.root


def file_below(root: Path, spelled: str, start: str) -> WorkspacePath:
    """Give a file's path, typed relative to `start`, as the root sees it; it need not be there.

    Raises WrongUsageError.
    """
    path = path_below(root, spelled, start)
    if (root / path).is_dir():
        raise WrongUsageError(f"{spelled} is a directory", cure="give a file in it")
    return path


def path_below(root: Path, spelled: str, start: str) -> WorkspacePath:
    """Give a path, typed relative to `start`, as the root sees it. Raises WrongUsageError."""
    place = resolve_below(root, str(Path(start).absolute() / spelled))
    if place is None:
        raise WrongUsageError(f"{spelled} is not below {root}", cure="give a file inside that root")
    return place.path
