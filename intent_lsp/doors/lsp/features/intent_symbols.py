"""Where intents are: as workspace symbols, and references to an intent's names and its lines.

Specified in protocol sections 2 and 4.
Invariant: locations are those in the files as saved. Only references in an open intents or ignore
file are those in the editor's text.
Invariant: the lines of an intent are searched once all saves under way are recorded. A cancelled
search stops after the file that it is reading.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.core.content import lines_if_text
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.text import has_in_order
from intent_lsp.doors.lsp.connection.client_ui import ClientProgress, Token
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import line_range, span_range, uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.doors.lsp.features.intents_names import IntentsNames
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.intents.structure.mentions import named_at
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.ledger.intent_lines import (
    Explained,
    WorkedFiles,
    explained,
    worked_files,
)
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.store.fs.files import read_bytes

_log: Final = logging.getLogger(__name__)

SYMBOLS_AT_MOST: Final = 200


class LinesFound(Struct, frozen=True):
    """The result of a search for an intent's lines.

    `asked` says which files were searched. `files` are those with such lines, each with the lines.
    """

    asked: WorkedFiles
    files: tuple[Explained, ...]


class IntentSymbols:
    """Answers `textDocument/references` and `workspace/symbol` on one connection."""

    def __init__(
        self, connection: Connection, buffers: IntentsBuffers, names: IntentsNames
    ) -> None:
        self._buffers = buffers
        self._names = names
        self._tracked_documents = connection.tracked_documents
        self._progress = connection.progress
        self._encoding = connection.spelling.encoding

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Answer `textDocument/references` on a name of an intent in an intents file.

        The references are the intent's names in the intents file and in the ignore file, then the
        lines attributed to the intent in saved files. The intent's declaration is included if the
        client asks for it. If the ledger cannot be read, the lines are left out. The list is empty
        unless the position is on a name of an intent, or elsewhere on the line of its id.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        if buffer is None:
            return []
        in_thread = self._tracked_documents.work.in_thread
        intent = await in_thread(_named_at, buffer, params.position)
        if intent is None:
            return []
        declared, open_root = params.context.include_declaration, buffer.open_root
        own = await self._names.places(buffer, intent, declared=declared)
        saved = await in_thread(_saved_id, open_root, buffer.structure.intents.names(intent))
        files = await self._explained(open_root, saved, params.work_done_token)
        return [*own, *await in_thread(self._places, open_root.governance.root, files)]

    async def symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """Answer `workspace/symbol`: the intents of all open roots that match the query.

        An intent matches if its id and name have the letters of the query in the same order, in
        upper or lower case. At most `SYMBOLS_AT_MOST` are returned.
        """
        return await self._tracked_documents.work.in_thread(self._symbols, params.query)

    def _symbols(self, query: str) -> list[lsp.WorkspaceSymbol]:
        found = []
        for open_root in self._tracked_documents.open_roots.roots:
            root, file = open_root.governance.root, open_root.governance.rules.current().file
            uri, lines = uri_of(root / INTENTS_FILE), _lines(root)
            for intent in file.intents:
                places = file.places.get(intent.id)
                if places is not None and has_in_order(f"{intent.id} {intent.name}", query):
                    found.append(
                        lsp.WorkspaceSymbol(
                            location=lsp.Location(
                                uri, span_range(lines, places.id, self._encoding)
                            ),
                            name=intent.label,
                            kind=lsp.SymbolKind.Event,
                            container_name=intent.status.value,
                        )
                    )
        return found[:SYMBOLS_AT_MOST]

    async def _explained(
        self, open_root: OpenRoot, intent_id: str, token: Token | None
    ) -> Sequence[Explained]:
        try:
            found = await lines_of_intent(
                self._tracked_documents, self._progress, open_root, intent_id, token
            )
        except IntentLspError as problem:
            _log.warning("the lines of %s cannot be told: %s", intent_id, problem)
            return ()
        # A refusal means that the intent is not in the saved file, and has no records.
        return found.files if isinstance(found, LinesFound) else ()

    def _places(self, root: Path, files: Sequence[Explained]) -> list[lsp.Location]:
        return [
            lsp.Location(
                uri_of(root / file.path),
                line_range(
                    file.blamed.lines or (), run.start_line - 1, run.end_line - 1, self._encoding
                ),
            )
            for file in files
            for run in file.runs
        ]


async def lines_of_intent(
    tracked_documents: TrackedDocuments,
    progress: ClientProgress,
    open_root: OpenRoot,
    intent_id: str,
    token: Token | None,
) -> LinesFound | CheckoutRefusal:
    """Return the lines of an intent, or a refusal if neither intents file nor ledger has it.

    The files in which they may be are searched, up to a limit (`WorkedFiles.truncated`).
    Progress is reported under the client's `token`, or, if that is None, under a new one once
    the search takes long. Raise LedgerUnavailableError if the ledger cannot be read.
    """
    for tracked in tracked_documents.all_tracked():
        await tracked.all_recorded.wait()
    in_thread, governance = tracked_documents.work.in_thread, open_root.governance
    asked = await in_thread(_worked, open_root, intent_id)
    if isinstance(asked, CheckoutRefusal):
        return asked
    found = []
    async with progress.shown(token, f"Finding the lines of {intent_id}") as report:
        for done, path in enumerate(asked.paths, 1):
            found.append(await in_thread(explained, governance.blaming, path, asked.names))
            report(done, len(asked.paths))
    return LinesFound(asked, tuple(each for each in found if each is not None))


def _worked(open_root: OpenRoot, intent_id: str) -> WorkedFiles | CheckoutRefusal:
    governance = open_root.governance
    rules, index = governance.rules.current(), governance.stores.ledger.index
    return worked_files(governance.root, index, rules, intent_id)


def _named_at(buffer: IntentsBuffer, position: lsp.Position) -> Intent | None:
    """Return the intent that is named at a position, else the one whose id is on that line.

    Return None if there is neither, or if the line differs from that in the text that parsed.
    """
    offset, structure = buffer.offset(position), buffer.structure
    if offset is None:
        return None
    named = named_at(structure, offset)
    if named is not None:
        return named.intent
    line = structure.places.position(offset).line
    for entry in structure.entries:
        node = entry.id_node
        if entry.intent and node and structure.places.position(node.start).line == line:
            return structure.intents.get(entry.intent.id)
    return None


def _saved_id(open_root: OpenRoot, names: Sequence[str]) -> str:
    """Return the first of an intent's `names` that the saved file knows, or else the first name."""
    rules = open_root.governance.rules.current()
    return next((name for name in names if rules.active(name) is not None), names[0])


def _lines(root: Path) -> list[str]:
    try:
        data = read_bytes(root / INTENTS_FILE, MAX_BYTES)
    except OSError:
        return []
    return lines_if_text(data)
