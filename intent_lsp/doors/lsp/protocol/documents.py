r"""Open documents as the editor holds them, as arrays of lines.

Invariant: `document.lines == split_lines(document.text)` after every change: a line ends at `\r\n`,
`\n` or `\r` and nowhere else. If a change joins a `\r` and a `\n`, they become one terminator.
Invariant: a change splits only the lines that it touches.
Invariant: only the client's messages change a document; the disk is never read.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from msgspec import Struct

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position
from intent_lsp.core.line_diff import LineEdit
from intent_lsp.doors.lsp.protocol.positions import ClientRange, PositionEncoding, from_client
from intent_lsp.store.clock import file_time_ns

_log = logging.getLogger(__name__)


class ContentChange(Struct, frozen=True):
    """A client's change of a document: `text` replaces what is in `range`.

    If `range` is None, `text` replaces the whole document.
    """

    text: str
    range: ClientRange | None = None


class Document:
    """One open document. `lines` keep their terminators and belong to the document.

    `edits` are the edits of lines that the newest `apply` made, in order. The line numbers of each
    edit are those of the text just before that edit. `opened` are the lines at opening, and
    `opened_at` is the time of the opening, by `file_time_ns`. A thread other than the event loop's
    must not read `lines`; give it a copy.
    """

    __slots__ = (
        "edits",
        "encoding",
        "language_id",
        "lines",
        "opened",
        "opened_at",
        "uri",
        "version",
    )

    def __init__(
        self, *, uri: str, version: int, language_id: str, text: str, encoding: PositionEncoding
    ) -> None:
        self.uri, self.version, self.language_id = uri, version, language_id
        self.encoding = encoding
        self.lines = split_lines(_join_surrogates(text))
        self.opened, self.opened_at = list(self.lines), file_time_ns()
        self.edits: tuple[LineEdit, ...] = ()

    @property
    def text(self) -> str:
        """The whole text, joined from `lines` at each access."""
        return "".join(self.lines)

    def apply(self, changes: Iterable[ContentChange]) -> tuple[LineEdit, ...]:
        """Apply changes in order, each to the result of the one before.

        Return for each change the edit of lines that it made. A position beyond a line or the text
        means the end of that line or text. If the end of a range is before its start, the two are
        swapped.
        """
        self.edits = tuple([self._apply(change) for change in changes])
        return self.edits

    def _apply(self, change: ContentChange) -> LineEdit:
        if change.range is None:
            old_end, self.lines = len(self.lines), split_lines(_join_surrogates(change.text))
            return LineEdit(start=0, old_end=old_end, new_end=len(self.lines))
        return self._splice(self._order(change.range), change.text)

    def _order(self, range_: ClientRange) -> tuple[Position, Position]:
        start, end = (from_client(self.lines, place, self.encoding) for place in range_)
        if end < start:
            _log.warning("%s: a change ends before it starts: %s", self.uri, range_)
            return end, start
        return start, end

    def _splice(self, span: tuple[Position, Position], text: str) -> LineEdit:
        lines, (start, end) = self.lines, span
        first, old_end = start.line, min(end.line + 1, len(lines))
        head = lines[first][: start.character] if start.character else ""
        tail = lines[end.line][end.character :] if end.line < len(lines) else ""
        fresh = head + text + tail
        # Only at this seam can a `\r` and a `\n` meet: within `fresh` they are split together, and
        # its end is the end of an old line.
        if fresh.startswith("\n") and not head and first and lines[first - 1].endswith("\r"):
            first -= 1
            fresh = lines[first] + fresh
        put = split_lines(_join_surrogates(fresh))
        lines[first:old_end] = put
        return LineEdit(start=first, old_end=old_end, new_end=first + len(put))


class Documents:
    """The client's open documents. They are found by URI, in any percent-encoding."""

    def __init__(self, encoding: PositionEncoding = PositionEncoding.UTF_16) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)

    def get(self, uri: str) -> Document | None:
        """Return the open document at a URI, or None if it is not open."""
        return self._open.get(_key(uri))

    def open(self, *, uri: str, version: int, language_id: str, text: str) -> Document:
        """Add a document that the client opened, and return it.

        A document that is already open at `uri` is replaced.
        """
        if _key(uri) in self._open:
            _log.warning("%s: opened again without a close", uri)
        document = Document(
            uri=uri, version=version, language_id=language_id, text=text, encoding=self.encoding
        )
        self._open[_key(uri)] = document
        return document

    def change(
        self, uri: str, version: int, changes: Sequence[ContentChange]
    ) -> tuple[LineEdit, ...] | None:
        """Apply a client's changes in order. Return the edits, or None if the document is not open.

        A version that does not increase is logged, and the changes are applied all the same: the
        client counts them as made, and skipping them would spoil every later one.
        """
        document = self.get(uri)
        if document is None:
            _log.warning("%s: a change of a document that is not open", uri)
            return None
        if version <= document.version:
            _log.warning("%s: version %d follows version %d", uri, version, document.version)
        document.version = version
        return document.apply(changes)

    def close(self, uri: str) -> Document | None:
        """Remove a document and return it, or None if it was not open."""
        document = self._open.pop(_key(uri), None)
        if document is None:
            _log.warning("%s: a close of a document that is not open", uri)
        return document


def _key(uri: str) -> str:
    # Without surrogateescape all bytes that are not UTF-8 would become the same character.
    return unquote(uri, errors="surrogateescape") if "%" in uri else uri


def _join_surrogates(text: str) -> str:
    """Return `text` with each surrogate pair joined to the character that it stands for.

    A client may send the two halves of a pair in two changes.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
