"""Intents found by their names, and the lines that they explain (protocol section 4).

Invariant: places are those of the files as they are saved.
"""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.attached import Attached
from intent_lsp.doors.lsp.connection import Connection
from intent_lsp.doors.lsp.types import line_range, span_range, uri_of
from intent_lsp.governance.explained_lines import Explained, explained_lines
from intent_lsp.governance.rules import Rules
from intent_lsp.store.files import read_bytes

_log: Final = logging.getLogger(__name__)

SYMBOLS_AT_MOST: Final = 200


class IntentPlaces:
    """Answers for references of intents and for symbols of the workspace on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._workplace = connection.workplace
        self._encoding = connection.spelling.encoding

    async def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Answer `textDocument/references` on an intent's id: every line of its records."""
        tracked = self._workplace.tracked_at(params.text_document.uri)
        if tracked is None:
            return []
        # Who governs a document is found out after it is opened.
        await self._workplace.settled(tracked.uri)
        place = tracked.place
        if tracked.attached is None or place is None or place.path != INTENTS_FILE:
            return []
        return await self._workplace.work.in_thread(
            self._of_intent,
            tracked.attached,
            params.position.line,
            declared=params.context.include_declaration,
        )

    async def symbols(self, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
        """Answer `workspace/symbol`: the intents whose id or name holds the letters, in order."""
        return await self._workplace.work.in_thread(self._symbols, params.query)

    def _symbols(self, query: str) -> list[lsp.WorkspaceSymbol]:
        found = []
        for attached in self._workplace.desks.attached:
            rules, lines = attached.desk.rules.current(), _lines(attached.desk.root)
            for intent in rules.file.intents:
                place = self._declared(attached, rules, intent, lines)
                if place is not None and _holds(f"{intent.id} {intent.name}", query):
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

    def _of_intent(self, attached: Attached, line: int, *, declared: bool) -> list[lsp.Location]:
        desk = attached.desk
        rules = desk.rules.current()
        intent = _named_on(rules, line)
        if intent is None:
            return []
        try:
            past = desk.stores.past
            found = [*explained_lines(past, desk.blaming, rules.file.intents, intent)]
        except IntentLspError as problem:
            _log.warning("the lines of %s cannot be told: %s", intent.id, problem)
            found = []
        own = self._declared(attached, rules, intent, _lines(desk.root)) if declared else None
        places = [place for each in found for place in self._places(desk.root, each)]
        return places if own is None else [own, *places]

    def _places(self, root: Path, found: Explained) -> Iterator[lsp.Location]:
        uri, lines = uri_of(root / found.path), found.blamed.lines or ()
        for run in found.runs:
            yield lsp.Location(
                uri, line_range(lines, run.start_line - 1, run.end_line - 1, self._encoding)
            )

    def _declared(
        self, attached: Attached, rules: Rules, intent: Intent, lines: Sequence[str]
    ) -> lsp.Location | None:
        places = rules.file.places.get(intent.id)
        if places is None:
            return None
        uri = uri_of(attached.desk.root / INTENTS_FILE)
        return lsp.Location(uri, span_range(lines, places.id, self._encoding))


def _named_on(rules: Rules, line: int) -> Intent | None:
    """Give the intent whose id stands on a line of the intents file."""
    for intent in rules.file.intents:
        places = rules.file.places.get(intent.id)
        if places is not None and places.id.start.line <= line <= places.id.end.line:
            return intent
    return None


def _lines(root: Path) -> list[str]:
    try:
        data = read_bytes(root / INTENTS_FILE)
    except OSError:
        return []
    text = None if data is None else decode(data)
    return [] if text is None else split_lines(text.text)


def _holds(text: str, query: str) -> bool:
    """Find out whether a text holds the letters of another in their order, whatever their case."""
    left = iter(text.casefold())
    return all(letter in left for letter in query.casefold())
