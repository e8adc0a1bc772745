"""Protected files that work-tree snapshots leave out: git's own, the ledger, ignored control files.

Invariant: nothing is written, and what cannot be read is left out.
"""

import itertools
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.tickets import GuardedFile, LedgerSeen
from intent_lsp.core.content import hash_content
from intent_lsp.core.control_plane import (
    CONTROL_FAMILIES,
    CONTROL_FILES,
    CONTROL_ROOMS,
    server_only,
)
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.git_config import guarded_settings, settings
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.git.gitdir import files_under
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.raw.file import opened, read_at

_log: Final = logging.getLogger(__name__)

READ_AT_MOST: Final = 1024 * 1024
"""The most bytes of a file that are compared: its first ones, or the ledger's last ones."""

HOOKS_AT_MOST: Final = 1000
"""The most files in the hooks directory that are looked at, `.sample` hooks included."""

_CONFIG: Final = "config"
_OF_WORK_TREE: Final = "config.worktree"
_LOG: Final = "logs/HEAD"
HEAD_LOG: Final = WorkspacePath(f".git/{_LOG}")
_SHARED: Final = (_CONFIG, "info/attributes", "info/exclude")
_READS_OF_WORK_TREE: Final = b"extensions.worktreeconfig"
_SAMPLE: Final = ".sample"

FILES_AT_MOST: Final = 1_000
_GITS_OWN: Final = ".git"


def guarded_files(git_dir: Path, common: Path) -> Mapping[WorkspacePath, GuardedFile]:
    """Return the hashes of git's protected files that exist, by path, to detect changes of them.

    These files are hooks, settings, `info/attributes`, `info/exclude` and HEAD's reflog; the paths
    are `.git/…`. A file's `hash` is that of its `guarded_bytes`. Its `meaning` is the hash of the
    part that must not change; for the reflog that part is empty, so that only its removal is a
    change. `git_dir` is the git directory of the work tree, `common` the one that all work trees
    share. Unreadable files, `.sample` hooks and a `config.worktree` without a guarded setting are
    left out. Only the first `HOOKS_AT_MOST` files in the hooks directory are examined.
    """
    found = {}
    for name, place in _places(git_dir, common):
        data = guarded_bytes(place)
        meaning = None if data is None else _meaning(name, data, common)
        if data is not None and meaning is not None:
            path = WorkspacePath(f".git/{name}")
            found[path] = GuardedFile(
                path=path, hash=hash_content(data), meaning=hash_content(meaning)
            )
    return found


def guarded_bytes(place: Path) -> bytes | None:
    """Return the bytes by which a file is compared, or None if there is no readable file.

    These are its content, or for a file of more than `READ_AT_MOST` bytes the first `READ_AT_MOST`
    bytes followed by its size.
    """
    known = stamp(place)
    if known is None:
        return None
    try:
        with place.open("rb", buffering=0) as file:
            data = file.read(READ_AT_MOST)
    except OSError as problem:
        _log.warning("%s cannot be compared: %s", place, problem)
        return None
    return data if known.size <= READ_AT_MOST else data + str(known.size).encode()


def ledger_seen(ledger: Path) -> LedgerSeen | None:
    """Return where the last bytes of a ledger file are, and their hash.

    These are the file's last `READ_AT_MOST` bytes, without those after the last line feed. Return
    None if there is no line feed among them, or if the file cannot be read.
    """
    known = stamp(ledger)
    size = 0 if known is None else known.size
    start = max(0, size - READ_AT_MOST)
    data = _part(ledger, start, size)
    # The next append may move a torn last line aside, so it is not compared.
    whole = data[: data.rfind(b"\n") + 1]
    if not whole:
        return None
    return LedgerSeen(start=start, end=start + len(whole), hash=hash_content(whole))


def ledger_goes_on(ledger: Path, before: LedgerSeen) -> bool:
    """Return whether a ledger file still has the bytes described by `before`, at the same position.

    Return False if the file cannot be read. Earlier bytes are not compared: the hash chain reveals
    a change there.
    """
    return hash_content(_part(ledger, before.start, before.end)) == before.hash


def hidden_control_files(root: Path, git: Git) -> tuple[WorkspacePath, ...]:
    """Return the control-plane files of a root that git ignores, relative to the root.

    Files that only the server writes are left out. At most `FILES_AT_MOST` files are examined.
    """
    found = itertools.islice(_control_files(root), FILES_AT_MOST)
    return tuple(path for path in found if not server_only(path) and git.ignored(path))


def _meaning(name: str, data: bytes, common: Path) -> bytes | None:
    """Return the part of a protected file that must not change, or None to treat it as missing.

    The part of HEAD's reflog is empty. The part of `config` and `config.worktree` is their guarded
    settings, and for `config.worktree` also whether git reads it; without a guarded setting,
    `config.worktree` is treated as missing. The part of any other file, and of settings larger than
    `READ_AT_MOST`, is all of `data`. `name` is the file's path in the git directory, `data` is what
    `guarded_bytes` returned for the file, and `common` is the git directory that all work trees
    share.
    """
    if name == _LOG:
        # Git may write to the reflog at any time, but nobody may remove it.
        return b""
    # A settings file that is too large to parse is compared as a whole.
    if name not in {_CONFIG, _OF_WORK_TREE} or len(data) > READ_AT_MOST:
        return data
    kept = guarded_settings(data)
    if name == _CONFIG:
        return kept
    if not kept:
        # `git sparse-checkout` creates this file. Without a guarded setting it counts as absent.
        return None
    # A setting in the shared file decides whether git reads this one.
    shared = settings(guarded_bytes(common / _CONFIG) or b"") or ()
    return kept + repr([each.value for each in shared if each.key == _READS_OF_WORK_TREE]).encode()


def _part(ledger: Path, start: int, end: int) -> bytes:
    """Return the bytes of a ledger file from `start` to `end`; empty if it cannot be read."""
    try:
        with opened(ledger) as fd:
            return b"" if fd is None else read_at(fd, start, end)
    except (OSError, LedgerUnavailableError) as problem:
        _log.warning("%s cannot be compared: %s", ledger, problem)
        return b""


def _places(git_dir: Path, common: Path) -> Iterator[tuple[str, Path]]:
    """Yield (path in the git directory, full path) of each protected file.

    Hooks are existing files, at most `HOOKS_AT_MOST`, but no `.sample` ones; the other files may be
    missing.
    """
    yield from ((name, common / name) for name in _SHARED)
    yield from ((name, git_dir / name) for name in (_OF_WORK_TREE, _LOG))
    for hook in itertools.islice(files_under(common / "hooks"), HOOKS_AT_MOST):
        # Git never runs its own `.sample` hooks.
        if not hook.name.endswith(_SAMPLE):
            yield hook.relative_to(common).as_posix(), hook


def _control_files(root: Path) -> Iterator[WorkspacePath]:
    """Yield the existing control-plane files of a root, including those that git ignores.

    Git's own files are left out, and so are directories in which only the server writes.
    """
    yield from (WorkspacePath(name) for name in CONTROL_FILES if (root / name).is_file())
    for room, head, tail in CONTROL_FAMILIES:
        for name in _names(root / room):
            if name.startswith(head) and name.endswith(tail):
                yield WorkspacePath(f"{room}/{name}")
    for room in CONTROL_ROOMS:
        if room != _GITS_OWN:
            yield from _below(root, room)


def _below(root: Path, room: str) -> Iterator[WorkspacePath]:
    """Yield all files below the directory `room`, as paths relative to the root.

    Directories in which only the server writes are left out.
    """
    for directory, rooms, names in os.walk(root / room):
        below = Path(directory).relative_to(root).as_posix()
        # Directories that only the server writes may be large, and no agent's change is looked for
        # there.
        rooms[:] = sorted(name for name in rooms if not server_only(_path(below, name, "x")))
        yield from (_path(below, name) for name in sorted(names))


def _path(*parts: str) -> WorkspacePath:
    return WorkspacePath("/".join(parts))


def _names(directory: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in directory.iterdir() if entry.is_file())
    except OSError:
        return []
