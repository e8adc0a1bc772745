r"""Open documents as the editor holds them: line arrays.

Invariant: `document.lines == split_lines(document.text)` after every change: a line ends at
`\r\n`, `\n` or `\r` and nowhere else, and a `\r` that meets a `\n` becomes one terminator.
Invariant: a change costs its own lines and one splice; the whole is never split again.
Invariant: only the client's words change a document; the disk is never read.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position
from intent_lsp.core.line_diff import LineEdit
from intent_lsp.doors.lsp.protocol.positions import ClientRange, PositionEncoding, from_client

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ContentChange:
    """`text` takes the place of `range`, or of the whole document where there is none."""

    text: str
    range: ClientRange | None = None


class Document:
    """One open document; `lines` keep their terminators and belong to the document.

    `edits` is what the newest change touched, in order, each counted in the document as it was
    just before; it stands until the next change. `opened` is what the client opened it with.
    Whoever reads on another thread than the event loop's takes a copy of `lines` first.
    """

    __slots__ = ("edits", "encoding", "language_id", "lines", "opened", "uri", "version")

    def __init__(
        self, *, uri: str, version: int, language_id: str, text: str, encoding: PositionEncoding
    ) -> None:
        self.uri, self.version, self.language_id = uri, version, language_id
        self.encoding = encoding
        self.lines = split_lines(_join_surrogates(text))
        self.opened = list(self.lines)
        self.edits: tuple[LineEdit, ...] = ()

    @property
    def text(self) -> str:
        """The whole text; made anew at each call."""
        return "".join(self.lines)

    def apply(self, changes: Iterable[ContentChange]) -> tuple[LineEdit, ...]:
        """Apply changes in order, each to what the one before it left; give what they touched.

        A place beyond its line or the text is its end; a range whose end lies before its start
        is read from the end to the start, as the reference implementation does.
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
        # Only here can halves of a terminator meet across lines: within `fresh` they are split
        # together, and its own end is an old line's end.
        if fresh.startswith("\n") and not head and first and lines[first - 1].endswith("\r"):
            first -= 1
            fresh = lines[first] + fresh
        put = split_lines(_join_surrogates(fresh))
        lines[first:old_end] = put
        return LineEdit(start=first, old_end=old_end, new_end=first + len(put))


class Documents:
    """The documents that the client has open, by their URI however it is percent-encoded."""

    def __init__(self, encoding: PositionEncoding = PositionEncoding.UTF_16) -> None:
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)

    def get(self, uri: str) -> Document | None:
        """Give an open document; None when it is not open."""
        return self._open.get(_key(uri))

    def open(self, *, uri: str, version: int, language_id: str, text: str) -> Document:
        """Take a document that the client opened; one that was open is replaced."""
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
        """Apply a client's changes in order; None when the document is not open.

        A version that does not grow is logged, and its changes are applied all the same: the
        client counts them as made, and a dropped change would spoil every later one.
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
        """Forget a document; give it as it was, None when it was not open."""
        document = self._open.pop(_key(uri), None)
        if document is None:
            _log.warning("%s: a close of a document that is not open", uri)
        return document


def _key(uri: str) -> str:
    # Bytes that are no UTF-8 stay apart; with the default they would all be one character.
    return unquote(uri, errors="surrogateescape") if "%" in uri else uri


def _join_surrogates(text: str) -> str:
    """Join the halves of a surrogate pair that met: to the client they are one character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text
