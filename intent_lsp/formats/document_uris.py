"""URIs of read-only documents that an editor gets from the server: records, and contents of files.

Specified in protocol section 4.9.

Invariant: reading the URI of a document gives the document back. If the path and the record's id
are valid text, this holds also after an editor has decoded the URI and encoded it again.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote

from msgspec import Struct

from intent_lsp.core.paths import file_uri, path_of_uri

RECORD_SCHEME: Final = "intent-record"
CONTENT_SCHEME: Final = "intent-before"

_NAMED: Final = 8
"""How many characters of a record's id are in the name of its document."""


class ContentSide(StrEnum):
    """Which content of a file is meant: before or after a record, or the one on disk now."""

    BEFORE = "before"
    AFTER = "after"
    DISK = "disk"


class RecordDocument(Struct, frozen=True):
    """The document that shows a record in words. `root` is the governed root's absolute path."""

    root: str
    record_id: str

    @property
    def uri(self) -> str:
        """The URI of the document. Its last path segment is for display only."""
        digits = "".join(filter(str.isalnum, self.record_id[:_NAMED]))
        path = f"{self.root.rstrip('/')}/record-{digits}.txt"
        return f"{RECORD_SCHEME}:{_path(path)}?record={_quoted(self.record_id)}"


class ContentDocument(Struct, frozen=True, kw_only=True):
    """One content of the file at the absolute path `path`.

    `record_id` is the record for BEFORE and AFTER, and None for DISK. From the path, editors tell
    the language of the content.
    """

    path: str
    side: ContentSide
    record_id: str | None = None

    @property
    def uri(self) -> str:
        """The URI of the document."""
        record = "" if self.record_id is None else f"&record={_quoted(self.record_id)}"
        return f"{CONTENT_SCHEME}:{_path(self.path)}?side={self.side.value}{record}"


def read_document_uri(uri: str) -> RecordDocument | ContentDocument | None:
    """Return the record or the content of a file that a URI names, or None for any other URI."""
    scheme, _, rest = uri.partition("#")[0].partition(":")
    spelled, _, query = rest.partition("?")
    path = path_of_uri(f"file:{spelled}")
    given = _fields(query)
    if path is None or given is None:
        return None
    record_id = given.get("record")
    if scheme == RECORD_SCHEME and record_id and given.keys() == {"record"}:
        return RecordDocument(path.rpartition("/")[0] or "/", record_id)
    side = next((each for each in ContentSide if each == given.get("side")), None)
    if scheme != CONTENT_SCHEME or side is None or bool(record_id) is (side is ContentSide.DISK):
        return None
    return ContentDocument(path=path, side=side, record_id=record_id)


def _fields(query: str) -> Mapping[str, str] | None:
    """Return the fields of a query by name, or None if it cannot be decoded.

    The record's id is all text after `record=`, any `&` included.
    """
    try:
        # As a whole, because some editors encode `=` and `&`, too.
        text = unquote(query, errors="surrogatepass")
    except UnicodeDecodeError:
        return None
    named, mark, record_id = text.partition("record=")
    fields = {"record": record_id} if mark else {}
    for part in filter(None, named.split("&")):
        name, _, value = part.partition("=")
        fields[name] = value
    return fields


def _path(path: str) -> str:
    return file_uri(path).removeprefix("file://")


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")
