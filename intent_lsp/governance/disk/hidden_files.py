"""Files that a command created and hid from git by new lines in ignore files (ADR 0014).

Invariant: files that were ignored before are not reported. Files of the earlier snapshot are
compared by the caller.
"""

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.tickets import GitSnapshot, TreeSnapshot
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.changed_files import ChangedFile
from intent_lsp.governance.disk.tree_snapshots import TreeLooks, is_anybodys
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.tree_reader import TreeFiles
from intent_lsp.store.git.ignored import IGNORE_FILE, hidden_by

_log: Final = logging.getLogger(__name__)

_EXCLUDE: Final = WorkspacePath(".git/info/exclude")


def keep_excludes(git: GitSnapshot, contents: Contents) -> None:
    """Keep the present contents of the ignore files outside the work tree that `git` names."""
    for place, _ in git.excludes:
        try:
            contents.keep(read_bytes(Path(place)))
        except OSError as problem:
            _log.warning("%s is not kept: %s", place, problem)


def hidden_files(
    looks: TreeLooks,
    before: TreeSnapshot,
    now: TreeSnapshot,
    edits: Iterable[ChangedFile],
) -> Iterator[ChangedFile]:
    """Yield existing files that changes of ignore files between two snapshots have hidden from git.

    They are yielded as new files, and are found as far as the earlier contents of the ignore files
    are kept. Left out are the files of `before`, those that `is_anybodys` excludes, and with a
    warning unreadable ones. `edits` are the changed files, among them changed ignore files.
    """
    root, git, contents = looks.root, looks.git, looks.contents
    if git is None:
        return
    changed = dict(_changed_in_tree(contents, edits))
    paths = {git.full_path(each): each for each in changed}
    asked = {name: changed[path] for name, path in paths.items()}
    asked |= dict(_changed_elsewhere(contents, before.git, now.git))
    found = hidden_by(git, root, asked) if asked else {}
    files = TreeFiles(root)
    for path, source in (found or {}).items():
        if path in before.files or not is_anybodys(path):
            continue
        try:
            held = files.held(path)
        except OSError as problem:
            _log.warning("%s cannot be compared: %s", path, problem)
            continue
        if held.hash is not None:
            yield ChangedFile(
                path=path,
                old=None,
                new=held.hash,
                data=held.data,
                hidden_by=paths.get(source, _EXCLUDE),
            )


def _changed_in_tree(
    contents: Contents, edits: Iterable[ChangedFile]
) -> Iterator[tuple[WorkspacePath, bytes]]:
    for file in edits:
        held = _held(contents, file.old) if file.path.rpartition("/")[2] == IGNORE_FILE else None
        if held is not None:
            yield file.path, held


def _changed_elsewhere(
    contents: Contents, before: GitSnapshot | None, now: GitSnapshot | None
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the old content, if kept, of changed ignore files outside the work tree.

    The name is the one in git's output. A file that git may report under two names is yielded
    twice.
    """
    old = dict(before.excludes) if before is not None else {}
    new = dict(now.excludes) if now is not None else {}
    for place in sorted(old.keys() | new.keys()):
        data = _held(contents, old.get(place)) if old.get(place) != new.get(place) else None
        if data is not None:
            yield place, data
            if place.endswith("/info/exclude"):
                yield _EXCLUDE, data


def _held(contents: Contents, hash_: ContentHash | None) -> bytes | None:
    """Return an ignore file's content by its hash (b"" for None), or None if it is not kept."""
    return b"" if hash_ is None else contents.stores.content(hash_)
