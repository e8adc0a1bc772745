"""Changes by a command to protected files: git's own files, the ledger, ignored control files.

Invariant: a ledger that git checked out with another commit is not a command's own edit.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Final

from intent_lsp.core.agents.tickets import GuardedFile, GuardedSeen
from intent_lsp.core.content import hash_content, hash_if_there
from intent_lsp.core.paths import LEDGER_FILE, WorkspacePath
from intent_lsp.governance.disk.pending_changes import ChangedFile
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.git.gitdir import log_mark, moves_since
from intent_lsp.store.git.trees import GitTrees
from intent_lsp.store.protected_files import (
    HEAD_LOG,
    guarded_bytes,
    guarded_files,
    hidden_control_files,
    ledger_goes_on,
    ledger_seen,
)

_log: Final = logging.getLogger(__name__)

_Files = Mapping[WorkspacePath, GuardedFile]


def guarded_now(stores: Stores) -> GuardedSeen:
    """Return the present state of the protected files, to compare with after a command."""
    git = stores.git
    return GuardedSeen(
        head=None if git is None else git.head_commit(),
        log=None if git is None else log_mark(git.git_dir),
        files=tuple(_files(stores).values()),
        ledger=ledger_seen(stores.root / LEDGER_FILE),
    )


def guarded_changes(stores: Stores, before: GuardedSeen) -> tuple[ChangedFile, ...]:
    """Return the protected files that differ in meaning from the earlier state `before`.

    Left out are a ledger to which lines were only appended or which git checked out, and a new
    log of HEAD.
    """
    return (*_of_git(stores, before), *_of_ledger(stores, before))


def _files(stores: Stores) -> _Files:
    git, root = stores.git, stores.root
    if git is None:
        return {}
    found = dict(guarded_files(git.git_dir, git.common_dir))
    for path in hidden_control_files(root, git):
        data = guarded_bytes(root / path)
        if data is not None:
            hash_ = hash_content(data)
            found[path] = GuardedFile(path=path, hash=hash_, meaning=hash_)
    return found


def _of_git(stores: Stores, before: GuardedSeen) -> Iterator[ChangedFile]:
    known, now = {file.path: file for file in before.files}, _files(stores)
    for path in sorted(known.keys() | now):
        old, new = known.get(path), now.get(path)
        if old is None and path == HEAD_LOG:
            # Git creates the HEAD log with the first commit.
            continue
        if old is None or new is None or old.meaning != new.meaning:
            yield ChangedFile(
                path=path,
                old=None if old is None else old.hash,
                new=None if new is None else new.hash,
                data=None,
            )


def _of_ledger(stores: Stores, before: GuardedSeen) -> Iterator[ChangedFile]:
    seen = before.ledger
    if seen is None or ledger_goes_on(stores.root / LEDGER_FILE, seen) or _gits(stores, before):
        return
    new = hash_if_there(_lines(stores))
    yield ChangedFile(path=LEDGER_FILE, old=None, new=new, data=None, old_known=False)


def _gits(stores: Stores, before: GuardedSeen) -> bool:
    """Return whether the ledger file changed because git checked out another commit.

    `before` is the state before the command.
    """
    git = stores.git
    head = None if git is None else git.head_commit()
    if git is None or head is None or head == before.head:
        return False
    moves = None if before.log is None else moves_since(git.git_dir, before.log)
    if LEDGER_FILE in GitTrees(git).authored(moves or ()):
        return False
    kept, now = git.head_bytes(LEDGER_FILE), _lines(stores)
    # Records may have been appended since the checkout.
    return now is None if kept is None else (now or b"").startswith(kept)


def _lines(stores: Stores) -> bytes | None:
    try:
        return read_bytes(stores.root / LEDGER_FILE)
    except OSError as problem:
        _log.warning("%s cannot be compared: %s", stores.root / LEDGER_FILE, problem)
        return None
