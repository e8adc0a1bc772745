"""Attribution in source files: hover, code lenses and inlay hints (protocol section 4).

Requests about the intents file are passed on to `IntentsParts` and `IntentsLenses`.

Invariant: without records, or if the ledger cannot be read, nothing is shown; never an error.
Invariant: a cached attribution is used only while the text, the file and the ledger are the same.
"""

import logging
from collections.abc import Sequence
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.core.blame.attribution import BlameRun, RecordAuthors, named
from intent_lsp.core.content import content_of
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.control_files import CONTROL_PAGES
from intent_lsp.doors.lsp.diagnostics.lsp_convert import line_range, uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.doors.lsp.features.intents_lenses import IntentsLenses
from intent_lsp.doors.lsp.features.intents_parts import IntentsParts
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.document_uris import RecordDocument
from intent_lsp.formats.markdown.provenance import (
    command_link,
    hint_words,
    hover_markdown,
    hover_plain,
    lens_words,
    newest_of,
)
from intent_lsp.formats.syntax.outline import innermost, outline
from intent_lsp.governance.ledger.blame import ALL_LINES, Blamed
from intent_lsp.store.fs.files import stamp

_log: Final = logging.getLogger(__name__)

SHOW_RECORD: Final = "intent.showRecord"

_REMEMBERED: Final = 32
"""The most documents whose attribution is cached."""


class SourceDocument(Struct, frozen=True):
    """An open document of a governed root, with a copy of its current lines."""

    tracked: TrackedDocument
    open_root: OpenRoot
    path: WorkspacePath
    lines: Sequence[str]


class LineAuthors(Struct, frozen=True):
    """The attribution (`blamed`) of the lines of a document (`page`).

    To show it, `intents` are the root's intents, and `people` the names of the records' authors.
    """

    page: SourceDocument
    blamed: Blamed
    intents: Intents
    people: RecordAuthors

    def runs(self, first: int, last: int) -> tuple[BlameRun, ...]:
        """Return the runs of lines with equal attribution, from line `first` to line `last`.

        `first` and `last` are counted from 0, and `last` is included. The line numbers in the runs
        are counted from 1.
        """
        return named(self.blamed.runs(first, last), self.people)

    def intent(self, run: BlameRun) -> Intent | None:
        """Return the intent that a run is attributed to.

        Return None if the run is unattributed, or if the intent is not in the intents file any
        more.
        """
        name = None if run.record is None else run.record.intent_id
        return None if name is None else self.intents.get(name)


class ProvenanceFeature:
    """Answers hover, code lens and inlay hint requests on one connection."""

    def __init__(self, connection: Connection, buffers: IntentsBuffers) -> None:
        self._buffers = buffers
        self.intents_parts = IntentsParts(connection, buffers)
        self.intents_lenses = IntentsLenses(connection, buffers)
        self._tracked_documents = connection.tracked_documents
        self._spelling = connection.spelling
        self._client = connection.client
        self._known: dict[str, tuple[object, Blamed]] = {}

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """Answer `textDocument/hover`: the intent, author, time and record of a line.

        In an intents file, say what the part at the position means. Return None if the setting
        `hover` is off, if the line is unattributed or the document has no attribution, and where
        nothing is known of the part.
        """
        if (buffer := await self._buffer(params.text_document.uri, flag="hover")) is not None:
            return await self.intents_parts.hover(buffer, params.position)
        told, line = await self._told(params.text_document.uri, flag="hover"), params.position.line
        if told is None or line >= len(told.page.lines):
            return None
        run = next(iter(told.runs(line, line)), None)
        if run is None or run.record is None:
            return None
        kind, value = lsp.MarkupKind.PlainText, hover_plain(run, told.intent(run))
        if self._client.markdown:
            kind = lsp.MarkupKind.Markdown
            value = hover_markdown(run, told.intent(run), self._link(told.page, run.record))
        return lsp.Hover(
            contents=lsp.MarkupContent(kind=kind, value=value),
            range=line_range(told.page.lines, line, line, self._spelling.encoding),
        )

    async def code_lenses(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """Answer `textDocument/codeLens`: who last changed each innermost definition.

        A definition that is unattributed has no lens. In an intents file, return the lenses of the
        intents (`IntentsLenses.lenses`). Return no lenses if the setting is off: `codeLens`, or
        `intentsCodeLens` for an intents file.
        """
        buffer = await self._buffer(params.text_document.uri, flag="intentsCodeLens")
        if buffer is not None:
            return await self.intents_lenses.lenses(buffer)
        told = await self._told(params.text_document.uri, flag="codeLens")
        if told is None or not any(told.blamed.claims):
            return []
        page = told.page
        text = content_of("".join(page.lines).encode("utf-8", "surrogatepass"))
        definitions = await self._tracked_documents.work.in_thread(outline, page.path, text)
        found = []
        for each in innermost(definitions):
            runs = told.runs(each.first_line - 1, each.last_line - 1)
            newest = newest_of(runs)
            if newest is not None and newest.record is not None:
                words = lens_words(runs, told.intent(newest))
                place = line_range(
                    page.lines, each.first_line - 1, each.first_line - 1, self._spelling.encoding
                )
                command = self._lens_command(words, page, newest.record)
                found.append(lsp.CodeLens(range=place, command=command))
        return found

    async def inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Answer `textDocument/inlayHint`: the attribution of each run of lines.

        It stands at the end of the first line of the run. In an intents file, a hint after each
        glob says how many files it matches. Return no hints outside of the requested range, and
        none if the setting `inlayHints` is off.
        """
        if (buffer := await self._buffer(params.text_document.uri, flag="inlayHints")) is not None:
            return await self.intents_parts.inlay_hints(buffer, params.range)
        told = await self._told(params.text_document.uri, flag="inlayHints")
        if told is None or told.blamed.lines is None:
            return []
        runs = told.runs(params.range.start.line, params.range.end.line)
        return [
            lsp.InlayHint(
                position=self._end(told.page.lines, run.start_line - 1),
                label=words,
                padding_left=True,
                tooltip=hover_plain(run, told.intent(run)),
            )
            for run in runs
            if (words := hint_words(run, told.intent(run)))
        ]

    def _link(self, page: SourceDocument, record: Record) -> str | None:
        """Return the URI by which the client shows a record, or None if it can show none."""
        if self._client.record_command is not None:
            return command_link(self._client.record_command, record.id)
        if self._client.text_contents:
            return RecordDocument(str(page.open_root.governance.root), record.id).uri
        return None

    def _lens_command(self, words: str, page: SourceDocument, record: Record) -> lsp.Command:
        """Return the command of a lens with the text `words`, which shows a record.

        A client that can show no record gets a lens that only displays text.
        """
        client = self._client
        if client.record_command is not None:
            return lsp.Command(words, client.record_command, arguments=[record.id])
        if client.text_contents and client.show_document:
            root = uri_of(page.open_root.governance.root)
            given = {"recordId": record.id, "workspaceUri": root}
            return lsp.Command(words, SHOW_RECORD, arguments=[given])
        return lsp.Command(words, "")

    def _end(self, lines: Sequence[str], line: int) -> lsp.Position:
        return line_range(lines, line, line, self._spelling.encoding).end

    async def _buffer(self, uri: str, *, flag: str) -> IntentsBuffer | None:
        """Return the open intents file at `uri`, or None for any other file.

        Also return None if the setting `flag` is off, or if no text of the file is known to parse.
        """
        wanted = self._tracked_documents.open_roots.settings.flags[flag]
        return await self._buffers.of(uri) if wanted else None

    async def _page(self, uri: str, *, flag: str) -> SourceDocument | None:
        """Wait until the saves of an open document are recorded, and return the document.

        Return None if the setting `flag` is off, if `uri` is not open or is a control file, or if
        no root governs it.
        """
        wanted = self._tracked_documents.open_roots.settings.flags[flag]
        tracked = self._tracked_documents.tracked_at(uri) if wanted else None
        if tracked is None or tracked.version is None:
            return None
        await self._tracked_documents.settled(tracked.uri)
        await tracked.all_recorded.wait()
        open_root, place = tracked.open_root, tracked.place
        if open_root is None or place is None or place.path in CONTROL_PAGES:
            return None
        return SourceDocument(tracked, open_root, place.path, list(tracked.lines))

    async def _told(self, uri: str, *, flag: str) -> LineAuthors | None:
        """Return who wrote the lines of the open document at `uri`, or None if that is unknown.

        Return None also if the setting `flag` is off, or for any other reason why `_page` returns
        None.
        """
        page = await self._page(uri, flag=flag)
        if page is None:
            return None
        try:
            return await self._tracked_documents.work.in_thread(self._asked, page)
        except (OSError, IntentLspError) as problem:
            _log.warning("%s: who wrote it cannot be told: %s", page.tracked.uri, problem)
            return None

    def _asked(self, page: SourceDocument) -> LineAuthors | None:
        blamed, governance = self._blamed(page), page.open_root.governance
        if blamed is None:
            return None
        people = governance.authors.people(blamed.runs(*ALL_LINES))
        return LineAuthors(page, blamed, governance.rules.current().file.intents, people)

    def _blamed(self, page: SourceDocument) -> Blamed | None:
        governance, uri = page.open_root.governance, page.tracked.uri
        ledger = governance.stores.ledger.index.stamp()
        if not ledger:
            return None
        key = (page.lines, stamp(governance.root / page.path), ledger)
        known = self._known.pop(uri, None)
        blamed = known[1] if known is not None and known[0] == key else None
        if blamed is None:
            blamed = governance.blaming.blame(page.path, page.lines)
        if blamed is not None:
            self._known[uri] = (key, blamed)
            while len(self._known) > _REMEMBERED:
                self._known.pop(next(iter(self._known)), None)
        return blamed
