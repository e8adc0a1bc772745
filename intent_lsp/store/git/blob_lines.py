"""Lines of a git blob of any size.

Invariant: memory holds one line at a time, or one blob of at most `WHOLE_AT_MOST` bytes.
Invariant: a missing or truncated blob raises an error; it is never taken for a complete one.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from intent_lsp.store.git.objects import blob_data
from intent_lsp.store.git.program import stream_git

WHOLE_AT_MOST: Final = 8 * 1024 * 1024
"""The largest blob, in bytes, that is read in one piece through libgit2."""


def blob_size(repository: Any, blob_id: str) -> int:
    """Return the size of a blob in bytes, without reading it. Raise KeyError if it is unknown."""
    _, size = repository.odb.read_header(blob_id)
    return int(size)


def blob_lines(repository: Any, blob_id: str) -> Iterator[bytes]:
    """Yield the lines of a blob, each with its newline except perhaps the last.

    Raise KeyError if the blob is unknown, OSError if the git program has to read it and fails.
    """
    if blob_size(repository, blob_id) <= WHOLE_AT_MOST:
        return lines_of((blob_data(repository, blob_id),))
    # libgit2 would load the whole blob into memory.
    return lines_of(stream_git(Path(repository.path), "cat-file", "blob", blob_id))


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join chunks of bytes and yield the lines, each with its newline except perhaps the last."""
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
