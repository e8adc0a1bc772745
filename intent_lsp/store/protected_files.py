"""What no work tree shows and agents may not change: git's hooks and rules, and the ledger's lines.

Invariant: nothing is written, and what cannot be read is left out with a line in the log.
"""

import itertools
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.protected_files import GuardedFile, LedgerSeen
from intent_lsp.core.content import hash_content
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.git_config import guarded_settings, settings
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.ledger.raw.file import opened, read_at

_log: Final = logging.getLogger(__name__)

READ_AT_MOST: Final = 1024 * 1024
"""Bytes of one file that are hashed: its first ones and its size, of the ledger the last ones."""

HOOKS_AT_MOST: Final = 1000

_CONFIG: Final = "config"
_OF_WORK_TREE: Final = "config.worktree"
_LOG: Final = "logs/HEAD"
HEAD_LOG: Final = WorkspacePath(f".git/{_LOG}")
_SHARED: Final = (_CONFIG, "info/attributes", "info/exclude")
_READS_OF_WORK_TREE: Final = b"extensions.worktreeconfig"
_SAMPLE: Final = ".sample"


def guarded_files(git_dir: Path, common: Path) -> Mapping[WorkspacePath, GuardedFile]:
    """Hash what git heeds and runs of its own directory, and the log of HEAD: that is to stay.

    `git_dir` is that of the work tree, `common` the one that all of them share.
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
    """Read a file as far as it is compared; None: none is there, or it cannot be read."""
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
    """See how far a ledger goes; None: there is none, or it cannot be read."""
    known = stamp(ledger)
    size = 0 if known is None else known.size
    start = max(0, size - READ_AT_MOST)
    data = _part(ledger, start, size)
    # A torn last line is moved aside by whoever appends next.
    whole = data[: data.rfind(b"\n") + 1]
    if not whole:
        return None
    return LedgerSeen(start=start, end=start + len(whole), hash=hash_content(whole))


def ledger_goes_on(ledger: Path, before: LedgerSeen) -> bool:
    """Whether a ledger still holds the last lines that it held, where it held them.

    What stands far above them is not compared: the chain shows a change there.
    """
    return hash_content(_part(ledger, before.start, before.end)) == before.hash


def _meaning(name: str, data: bytes, common: Path) -> bytes | None:
    if name == _LOG:
        # What it says is git's to write; that it is there is not.
        return b""
    # Of a file that was not read to its end nobody knows what it sets.
    if name not in {_CONFIG, _OF_WORK_TREE} or len(data) > READ_AT_MOST:
        return data
    kept = guarded_settings(data)
    if name == _CONFIG:
        return kept
    if not kept:
        # `git sparse-checkout` makes one: beside no setting that counts it is as good as none.
        return None
    # Whether git reads this file stands in the other one.
    shared = settings(guarded_bytes(common / _CONFIG) or b"") or ()
    return kept + repr([each.value for each in shared if each.key == _READS_OF_WORK_TREE]).encode()


def _part(ledger: Path, start: int, end: int) -> bytes:
    try:
        with opened(ledger) as fd:
            return b"" if fd is None else read_at(fd, start, end)
    except (OSError, LedgerUnavailableError) as problem:
        _log.warning("%s cannot be compared: %s", ledger, problem)
        return b""


def _places(git_dir: Path, common: Path) -> Iterator[tuple[str, Path]]:
    yield from ((name, common / name) for name in _SHARED)
    yield from ((name, git_dir / name) for name in (_OF_WORK_TREE, _LOG))
    hooks = common / "hooks"
    names = itertools.islice(_files_below(hooks), HOOKS_AT_MOST)
    # What git brings as an example is run by nobody.
    yield from ((f"hooks/{name}", hooks / name) for name in names if not name.endswith(_SAMPLE))


def _files_below(room: Path) -> Iterator[str]:
    for directory, rooms, names in os.walk(room):
        rooms.sort()
        below = Path(directory).relative_to(room).as_posix()
        yield from (name if below == "." else f"{below}/{name}" for name in sorted(names))
