"""Intents as workspace symbols, and references from an intent to its lines (protocol section 4).

Invariant: locations are those in the files as saved.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import lines_if_text
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.text import has_in_order
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.connection.progress import ClientProgress, Token
from intent_lsp.doors.lsp.diagnostics.lsp_convert import line_range, span_range, uri_of
from intent_lsp.doors.lsp.features.intent_lines import IntentLines, LinesFound
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.ledger.intent_lines import Explained
from intent_lsp.governance.root.rules import Rules
from intent_lsp.store.fs.files import read_bytes

_log: Final = logging.getLogger(__name__)

SYMBOLS_AT_MOST: Final = 200


class IntentSymbols:
    """Answers `textDocument/references` and `workspace/symbol` on one connection."""

    def __init__(self, connection: Connection, progress: ClientProgress) -> None:
        self._tracked_documents = connection.tracked_documents
        self._lines = IntentLines(connection.tracked_documents, progress)
        self._encoding = connection.spelling.encoding

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Answer `textDocument/references` on an intent's id: the lines attributed to the intent.

        At most FILES_AT_MOST files are searched. Return nothing if the line of the position has no
        intent's id in an intents file.
        """
        tracked = self._tracked_documents.tracked_at(params.text_document.uri)
        if tracked is None:
            return []
        # The document's root is looked up by a task that starts when the document is opened.
        await self._tracked_documents.settled(tracked.uri)
        place = tracked.place
        if tracked.open_root is None or place is None or place.path != INTENTS_FILE:
            return []
        open_root, line = tracked.open_root, params.position.line
        in_thread = self._tracked_documents.work.in_thread
        named = await in_thread(self._named_on, open_root, line)
        if named is None:
            return []
        intent, own = named
        files = await self._explained(open_root, intent, params.work_done_token)
        places = await in_thread(self._places, open_root.governance.root, files)
        return [own, *places] if params.context.include_declaration else places

    async def symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """Answer `workspace/symbol`: the intents of all open roots that match the query.

        An intent matches if its id and name have the letters of the query in the same order. At
        most `SYMBOLS_AT_MOST` are returned.
        """
        return await self._tracked_documents.work.in_thread(self._symbols, params.query)

    def _symbols(self, query: str) -> list[lsp.WorkspaceSymbol]:
        found = []
        for open_root in self._tracked_documents.open_roots.roots:
            rules, lines = open_root.governance.rules.current(), _lines(open_root.governance.root)
            for intent in rules.file.intents:
                place = self._declared(open_root, rules, intent, lines)
                if place is not None and has_in_order(f"{intent.id} {intent.name}", query):
                    name = f"{intent.id}: {intent.name}" if intent.name else intent.id
                    found.append(
                        lsp.WorkspaceSymbol(
                            location=place,
                            name=name,
                            kind=lsp.SymbolKind.Event,
                            container_name=intent.status.value,
                        )
                    )
        return found[:SYMBOLS_AT_MOST]

    async def _explained(
        self, open_root: OpenRoot, intent: Intent, token: Token | None
    ) -> Sequence[Explained]:
        try:
            found = await self._lines.of(open_root, intent.id, token)
        except IntentLspError as problem:
            _log.warning("the lines of %s cannot be told: %s", intent.id, problem)
            return ()
        # A refusal means that the intent was removed from the file meanwhile.
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

    def _named_on(self, open_root: OpenRoot, line: int) -> tuple[Intent, lsp.Location] | None:
        """Return the intent whose id is on a line of the intents file, and the id's location.

        `line` is counted from 0. Return None if there is no id on the line.
        """
        rules = open_root.governance.rules.current()
        intent = _named_on(rules, line)
        if intent is None:
            return None
        place = self._declared(open_root, rules, intent, _lines(open_root.governance.root))
        return None if place is None else (intent, place)

    def _declared(
        self, open_root: OpenRoot, rules: Rules, intent: Intent, lines: Sequence[str]
    ) -> lsp.Location | None:
        places = rules.file.places.get(intent.id)
        if places is None:
            return None
        uri = uri_of(open_root.governance.root / INTENTS_FILE)
        return lsp.Location(uri, span_range(lines, places.id, self._encoding))


def _named_on(rules: Rules, line: int) -> Intent | None:
    for intent in rules.file.intents:
        places = rules.file.places.get(intent.id)
        if places is not None and places.id.start.line <= line <= places.id.end.line:
            return intent
    return None


def _lines(root: Path) -> list[str]:
    try:
        data = read_bytes(root / INTENTS_FILE, MAX_BYTES)
    except OSError:
        return []
    return lines_if_text(data)
