"""Carrying out an agent's change in files that no editor has open (protocol section 2).

Invariant: if one file cannot be changed, the changes of the others are undone, as far as possible.
Invariant: with a ticket, only the judged content is overwritten.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.agents.tools import FileChange
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash, decode, hash_if_there
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.transaction import WorkFile, change_files


def apply_changes(root: Path, changes: Sequence[FileChange], ticket: Ticket | None) -> str | None:
    """Make `changes` to the files of a root. Return None on success, else why not all were made.

    With a ticket, every file must still have the hash that was judged. Without one (governance is
    off, or tickets cannot be stored), that is not checked.
    """
    judged = None if ticket is None else {file.path: file.pre_hash for file in ticket.files}
    try:
        change_files(root, tuple(_work(root, changes, judged)))
    except (OSError, IntentLspError, ValueError) as problem:
        return str(problem)
    return None


def _work(
    root: Path,
    changes: Sequence[FileChange],
    judged: Mapping[WorkspacePath, ContentHash | None] | None,
) -> Iterator[WorkFile]:
    for change in changes:
        path, source = _path(root, change.path), _path(root, change.source or change.path)
        before = read_bytes(root / source)
        if judged is not None and hash_if_there(before) != judged.get(path):
            raise ValueError(
                f"{change.source or change.path} has changed since the call was judged; read it"
                " again and make the edit anew"
            )
        yield WorkFile(
            path=path,
            data=_after(change, before),
            before=before,
            source=None if change.source is None else source,
        )


def _path(root: Path, spelled: str) -> WorkspacePath:
    place = resolve_below(root, spelled)
    if place is None or place.real is None:
        raise ValueError(f"{spelled} is outside of the root")
    return place.path


def _after(change: FileChange, before: bytes | None) -> bytes | None:
    """Return a file's bytes after `change`, in its present encoding; None if it is to be deleted.

    `before` is the file's present content, None if there is no file. Raise ValueError if a file to
    be rewritten is not text.
    """
    if change.effect is Effect.DELETE:
        return None
    if change.rewrite is None:
        return before or b""
    text = decode(before or b"")
    if text is None:
        raise ValueError(f"{change.path} is not a text file, so it cannot be edited")
    new = change.rewrite(text.text)
    # The new text may contain the byte order mark that the agent read with the file; do not write
    # it twice.
    return text.encode(new.removeprefix("\ufeff") if text.mark else new)
