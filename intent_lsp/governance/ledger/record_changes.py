"""The texts of a record's files before and after it, as far as they are still kept.

Specified in protocol section 2.

Invariant: a returned content has the hash that the record names. A content that is no longer kept
is distinguished from an absent file.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ContentHash, decode
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.contents.content_lookup import ContentLookup

FILES_AT_MOST: Final = 50
"""The most files of one record whose contents are returned."""

LARGEST: Final = 2 << 20
"""Bytes of the largest content that is returned."""

BYTES_AT_MOST: Final = 8 << 20
"""Bytes of all contents together that are returned for one record."""


_TOO_LARGE: Final = "the content is too large to be shown"
_NO_TEXT: Final = "the content is not text"


class Side(Struct, frozen=True, kw_only=True):
    """A file's content before or after a record.

    `text` is None if there was no file. It is also None if `why` is set: a sentence that the
    content is no longer kept, is not text, or is too large.
    """

    text: str | None = None
    why: str | None = None


class ChangedText(Struct, frozen=True, kw_only=True):
    """A file of a record, at its path at that time, with its content before and after.

    `previous` is its path before, if the record renamed it, else None.
    """

    path: WorkspacePath
    previous: WorkspacePath | None
    before: Side
    after: Side


def changes_of(root: Path, record: Record) -> tuple[ChangedText, ...]:
    """Return the content of each file of a record, before and after the record.

    Only the first FILES_AT_MOST files are returned. For a content that is not kept, not text, or
    too large, the result says why instead.
    """
    sides = _Sides(ContentLookup(root), record.vcs.revision_id)
    return tuple(
        ChangedText(
            path=file.path,
            previous=file.previous,
            before=sides.of(file.pre_hash, file.previous or file.path),
            after=sides.of(file.post_hash, file.path),
        )
        for file in record.files[:FILES_AT_MOST]
    )


def side_of(root: Path, record: Record, path: WorkspacePath, *, after: bool) -> Side | None:
    """Return the content of one file of a record, before or after it.

    `path` is the file's path at that time; of a renamed file, the one that it had before counts
    too. If the content is not kept, not text, or too large, the result says why. Return None if the
    record has no such file.
    """
    sides = _Sides(ContentLookup(root), record.vcs.revision_id)
    for file in record.files:
        if path in (file.path, file.previous):
            wanted = file.post_hash if after else file.pre_hash
            return sides.of(wanted, file.path if after else file.previous or file.path)
    return None


def side_of_data(data: bytes | None) -> Side:
    """Return raw bytes as a `Side`. `data` None means that there is no file.

    If they are not text, or too large to be shown, the result says why instead.
    """
    if data is None:
        return Side()
    if len(data) > LARGEST:
        return Side(why=_TOO_LARGE)
    text = decode(data)
    return Side(why=_NO_TEXT) if text is None else Side(text=text.text)


class _Sides(Struct):
    """Looks up contents of the files of a record that was made at the commit `revision`.

    At most `bytes_left` more bytes are returned.
    """

    contents: ContentLookup
    revision: str
    bytes_left: int = BYTES_AT_MOST

    def of(self, wanted: ContentHash | None, path: WorkspacePath) -> Side:
        """Return the content of a file with the hash `wanted` (None: there was no file).

        If it is not kept, not text, or too large to be shown, the result says why instead.
        """
        if wanted is None:
            return Side()
        data = self.contents.find(wanted, path, self.revision)
        if data is None:
            return Side(why="the content is not kept any more")
        if len(data) > self.bytes_left:
            return Side(why=_TOO_LARGE)
        found = side_of_data(data)
        if found.text is not None:
            self.bytes_left -= len(data)
        return found
