"""The lines of a blob in git, however large it is.

Invariant: memory is that of a line, or of a blob that is no larger than `WHOLE_AT_MOST`.
Invariant: a blob that is not there, or comes to an early end, raises; it is never taken for whole.
"""

# pygit2's types are not named here: it is loaded when a repository is opened, after the start.
# ruff: noqa: ANN401

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from intent_lsp.store.git.objects import blob_data
from intent_lsp.store.git.program import stream_git

WHOLE_AT_MOST: Final = 8 * 1024 * 1024
"""Bytes of a blob that is read in one piece, by libgit2."""


def blob_size(repository: Any, blob_id: str) -> int:
    """Give the size of a blob in bytes, unread. Raises KeyError for an unknown one."""
    _, size = repository.odb.read_header(blob_id)
    return int(size)


def blob_lines(repository: Any, blob_id: str) -> Iterator[bytes]:
    """Give the lines of a blob, each with its newline, and what stands after the last one.

    Raises KeyError for an unknown one, OSError where the git program has to read it and cannot.
    """
    if blob_size(repository, blob_id) <= WHOLE_AT_MOST:
        return lines_of((blob_data(repository, blob_id),))
    # libgit2 has every blob whole in memory.
    return lines_of(stream_git(Path(repository.path), "cat-file", "blob", blob_id))


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Put pieces together to lines, each with its newline, and what stands after the last one."""
    rest: list[bytes] = []
    for piece in pieces:
        first, *lines = piece.split(b"\n")
        rest.append(first)
        for line in lines:
            yield b"".join(rest) + b"\n"
            rest = [line]
    torn = b"".join(rest)
    if torn:
        yield torn
