"""The texts of open intents files and the lists of a root's files, from which editors are answered.

If a text does not parse, the structure of the newest one that parsed is used.
Invariant: the newest text is parsed once, however many requests ask about it, and on a thread. A
text is not parsed if a newer one has come before its turn.
Invariant: a place is shown only on a line that has not changed since the text that parsed.
Invariant: nobody waits for a renewed list longer than `WAITED_FOR`; if it takes longer, the answer
is made from the old one. The first list of a root is awaited to its end, but no thread is blocked
meanwhile: if each lens and hint blocked a thread, no save could be judged.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeVar

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import place_of, span_range
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure
from intent_lsp.formats.intents.structure.lookup import IntentsPart, part_at
from intent_lsp.formats.intents.structure.outline import CarriedPlaces
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.store.fs.files import Stamp, read_bytes, stamp

WAITED_FOR: Final = 0.05
"""The most seconds that an answer waits for a renewal."""


class _OnDocument(Protocol):
    """The params of a request about a document."""

    @property
    def text_document(self) -> lsp.TextDocumentIdentifier:
        """The document that the request is about."""


_Params = TypeVar("_Params", bound=_OnDocument)
_Answer = TypeVar("_Answer")


class IntentsBuffer(Struct, frozen=True, kw_only=True):
    """The text of one open intents file: its `lines`, and the structure of a text that parsed.

    The structure is that of `lines` if they parse. Else it is that of the newest earlier text that
    parsed when it was asked about, else that of the file on disk. `places` converts places in the
    text that parsed to places in `lines`. `version` is that of `lines`, and `encoding` that of the
    client's positions.
    """

    uri: str
    open_root: OpenRoot
    version: int
    lines: Sequence[str]
    structure: IntentsStructure
    places: CarriedPlaces
    encoding: PositionEncoding

    def offset(self, position: lsp.Position) -> int | None:
        """Return the offset of a client's position in the text that parsed.

        Return None if the position is on a line that has changed since.
        """
        place = self.places.back(place_of(self.lines, position, self.encoding))
        return None if place is None else self.structure.places.offset(place)

    def part(self, position: lsp.Position) -> IntentsPart | None:
        """Return the part at a client's position, or None if there is none or it has changed."""
        offset = self.offset(position)
        return None if offset is None else part_at(self.structure, offset)

    def range(self, start: int, end: int) -> lsp.Range | None:
        """Return the range of two offsets of the text that parsed, in the client's units.

        Return None if an end of it is on a line that has changed since.
        """
        span = self.places.forward(self.structure.places.span(start, end))
        return None if span is None else span_range(self.lines, span, self.encoding)


class _Reading(Struct):
    """One text of a document, and the task that parses it.

    `before` is the reading of an earlier text, which is used if this text does not parse. It is
    None if there is none or it is not needed any more.
    """

    text: str
    task: "asyncio.Task[IntentsStructure | None]"
    before: "_Reading | None"


class IntentsBuffers:
    """The open intents files of one connection.

    `renewals` renews the cached list of the files in a root. Whoever answers a request about an
    intents file from that list awaits `renewals.renew` first.
    """

    def __init__(self, connection: Connection) -> None:
        self._tracked_documents, self._work = connection.tracked_documents, connection.work
        self.renewals = TreeRenewals(connection.work)
        self._encoding = connection.spelling.encoding
        self._readings: dict[str, _Reading] = {}
        # What is on disk, by root, with the stamp of the file before it was read.
        self._saved: dict[Path, tuple[Stamp | None, IntentsStructure | None]] = {}
        self._lock = threading.Lock()

    async def of(self, uri: str) -> IntentsBuffer | None:
        """Return the intents file that is open at a URI, as it is in the editor now.

        Return None if `uri` is not that of an open intents file of a governed root. Return None
        also if no text parses: not this one, not an earlier one that was asked about, and not the
        one on disk.
        """
        tracked = await self.tracked(uri)
        # Without a version it is closed, perhaps since it was asked about.
        if tracked is None or tracked.open_root is None or tracked.version is None:
            return None
        open_root, version, text = tracked.open_root, tracked.version, "".join(tracked.lines)
        in_thread = self._work.in_thread
        reading = self._reading(tracked.uri, text)
        structure = await _newest(reading)
        if not _parsed(reading) and self._readings.get(tracked.uri) is not reading:
            return await self.of(uri)  # Answer for the text that has come meanwhile.
        structure = structure or await in_thread(self._on_disk, open_root.governance.root)
        if structure is None:
            return None
        lines, places = await in_thread(_carried, text, structure)
        return IntentsBuffer(
            uri=tracked.uri,
            open_root=open_root,
            version=version,
            lines=lines,
            structure=structure,
            places=places,
            encoding=self._encoding,
        )

    def answering(
        self, read: Callable[[IntentsBuffer, _Params], _Answer]
    ) -> Callable[[_Params], Awaitable[_Answer | None]]:
        """Return a handler of requests about a document, which answers them by `read`.

        The handler answers None if the document is not an open intents file (see `of`). It calls
        `read` on a thread, because a large file has tens of thousands of parts.
        """

        async def answer(params: _Params) -> _Answer | None:
            buffer = await self.of(params.text_document.uri)
            if buffer is None:
                return None
            return await self._work.in_thread(read, buffer, params)

        return answer

    async def tracked(self, uri: str) -> TrackedDocument | None:
        """Return the document at a URI if it is the intents file of a governed root, else None.

        The document may be a closed one. If its root is not known yet, wait until the root has been
        looked up.
        """
        tracked = self._tracked_documents.tracked_at(uri)
        if tracked is None:
            return None
        if tracked.open_root is None or tracked.path is None:
            # The root is looked up by a task, when the document is opened and when roots change.
            await self._tracked_documents.settled(tracked.uri)
        return tracked if tracked.path == INTENTS_FILE else None

    def closed(self, tracked: TrackedDocument) -> None:
        """Forget what was read of a document, since the editor has closed it."""
        self._readings.pop(tracked.uri, None)
        if tracked.open_root is not None:
            self._saved.pop(tracked.open_root.governance.root, None)

    def _on_disk(self, root: Path) -> IntentsStructure | None:
        """Return the structure of the intents file on disk.

        Return None if the file is missing, cannot be read or does not parse.
        """
        path = root / INTENTS_FILE
        with self._lock:
            now, known = stamp(path), self._saved.get(root)
            if known is None or known[0] != now:
                try:
                    known = self._saved[root] = (now, _parsed_file(path))
                except OSError:
                    return None
            return known[1]

    def _reading(self, uri: str, text: str) -> _Reading:
        """Return the newest reading of a document if it is of `text`, else begin one of `text`."""
        known = self._readings.get(uri)
        if known is not None and known.text == text:
            return known
        while known is not None and known.task.done() and not _parsed(known):
            known = known.before
        task = self._work.begin(self._work.in_thread(self._parsed_in_turn, uri, text))
        reading = self._readings[uri] = _Reading(text, task, known)
        return reading

    def _parsed_in_turn(self, uri: str, text: str) -> IntentsStructure | None:
        """Return the structure of a text.

        Return None if the text does not parse, or if a newer text of the document has come.
        """
        newest = self._readings.get(uri)
        return read_structure(text) if newest is not None and newest.text is text else None


class TreeRenewals:
    """Renews the lists of files of one connection's roots, one renewal for a root at a time."""

    def __init__(self, work: BackgroundExecutor) -> None:
        self._work = work
        self._running: dict[Path, asyncio.Task[object]] = {}

    async def renew(self, open_root: OpenRoot) -> None:
        """Begin to list a root's files again if their list is old and nobody is listing them.

        Wait for the listing, whoever began it: at most `WAITED_FOR` seconds, or to its end if the
        files were never listed.
        """
        root, listing = open_root.governance.root, open_root.governance.listing
        running = self._running.get(root)
        if running is None or running.done():
            if not listing.is_old():
                return
            begun = listing.renew if listing.is_known else listing.tree
            running = self._running[root] = self._work.begin(self._work.in_thread(begun))
        await asyncio.wait({running}, timeout=WAITED_FOR if listing.is_known else None)


def _parsed(reading: _Reading) -> bool:
    """Return whether the text of a reading has parsed. The task that parses it must be done."""
    task = reading.task
    return not task.cancelled() and task.exception() is None and task.result() is not None


async def _newest(reading: _Reading | None) -> IntentsStructure | None:
    """Return the structure of the newest text that parses: that of `reading` or of one before it.

    Wait for the tasks that parse them. Return None if none parses.
    """
    while reading is not None:
        found = await asyncio.shield(reading.task)
        if found is not None:
            reading.before = None
            return found
        reading = reading.before
    return None


def _parsed_file(path: Path) -> IntentsStructure | None:
    """Return the structure of a file, or None if it is missing or does not parse.

    Raise OSError if the file cannot be read.
    """
    data = read_bytes(path, MAX_BYTES)
    text = None if data is None else decode(data)
    return None if text is None else read_structure(text.text)


def _carried(text: str, structure: IntentsStructure) -> tuple[Sequence[str], CarriedPlaces]:
    """Return the lines of a text, and what converts places in a structure to places in the text."""
    lines = split_lines(text)
    former = lines if structure.text == text else split_lines(structure.text)
    return lines, CarriedPlaces(former, lines)
