"""Structure of the open intents file: symbols, folding and selection (protocol section 4).

Invariant: in a text that does not parse, only what is on unchanged lines is shown.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import span_range, text_range
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.formats.intents.structure.folding import carried_runs, folded_runs
from intent_lsp.formats.intents.structure.outline import (
    IntentsSymbol,
    OutlineKind,
    carried,
    outlined,
)
from intent_lsp.formats.intents.structure.selection import enclosing

_KINDS: Final = {
    OutlineKind.INTENT: lsp.SymbolKind.Event,
    OutlineKind.LIST: lsp.SymbolKind.Array,
    OutlineKind.FILE: lsp.SymbolKind.File,
    OutlineKind.SENTENCE: lsp.SymbolKind.String,
}


class IntentsOutline:
    """Answers requests about the structure of intents files on one connection."""

    def __init__(self, connection: Connection, buffers: IntentsBuffers) -> None:
        self._buffers = buffers
        self._in_thread = connection.tracked_documents.work.in_thread
        self._trees = connection.client.symbol_trees

    async def symbols(
        self, params: lsp.DocumentSymbolParams
    ) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation] | None:
        """Answer `textDocument/documentSymbol`: the intents, with their lists and items.

        They are nested if the client declares that, else one list. Return None for any other file.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        if buffer is None:
            return None
        # Tens of thousands of symbols are converted: too many for the event loop.
        return await self._in_thread(_tree if self._trees else _list, buffer)

    async def folding(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange] | None:
        """Answer `textDocument/foldingRange`: intents, lists, other values and comments.

        Return None for any other file, so that the editor folds it as it would without an answer.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        if buffer is None:
            return None
        return await self._in_thread(_folding, buffer)

    async def selections(self, params: lsp.SelectionRangeParams) -> list[lsp.SelectionRange] | None:
        """Answer `textDocument/selectionRange`: the ranges around each position.

        They are a value, its item, its list, the pair of the list and its key, the intent, and so
        on up to the file. On a changed line of a text that does not parse it is the file alone.
        Return None for any other file.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        if buffer is None:
            return None
        return await self._in_thread(
            lambda: [_selection(buffer, position) for position in params.positions]
        )


def _tree(buffer: IntentsBuffer) -> list[lsp.DocumentSymbol]:
    return [_nested(buffer, symbol) for symbol in _outline(buffer)]


def _list(buffer: IntentsBuffer) -> list[lsp.SymbolInformation]:
    return list(_flat(buffer, _outline(buffer), None))


def _outline(buffer: IntentsBuffer) -> tuple[IntentsSymbol, ...]:
    return carried(outlined(buffer.structure), buffer.places)


def _folding(buffer: IntentsBuffer) -> list[lsp.FoldingRange]:
    return [
        lsp.FoldingRange(
            start_line=run.first,
            end_line=run.last,
            kind=lsp.FoldingRangeKind.Comment if run.comment else None,
        )
        for run in carried_runs(folded_runs(buffer.structure), buffer.places)
    ]


def _nested(buffer: IntentsBuffer, symbol: IntentsSymbol) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=symbol.name,
        detail=symbol.detail or None,
        kind=_KINDS[symbol.kind],
        range=span_range(buffer.lines, symbol.span, buffer.encoding),
        selection_range=span_range(buffer.lines, symbol.named, buffer.encoding),
        children=[_nested(buffer, child) for child in symbol.children],
    )


def _flat(
    buffer: IntentsBuffer, symbols: Iterable[IntentsSymbol], container: str | None
) -> Iterator[lsp.SymbolInformation]:
    for symbol in symbols:
        place = span_range(buffer.lines, symbol.span, buffer.encoding)
        yield lsp.SymbolInformation(
            name=symbol.name,
            kind=_KINDS[symbol.kind],
            location=lsp.Location(buffer.uri, place),
            container_name=container,
        )
        yield from _flat(buffer, symbol.children, symbol.name)


def _selection(buffer: IntentsBuffer, position: lsp.Position) -> lsp.SelectionRange:
    """Return the smallest range around a position, with the larger ones as its parents.

    The outermost is the whole text.
    """
    offset = buffer.offset(position)
    spans = () if offset is None else enclosing(buffer.structure, offset)[:-1]
    found = lsp.SelectionRange(range=text_range(buffer.lines, buffer.encoding))
    for start, end in reversed(spans):
        place = buffer.range(start, end)
        if place is not None and place != found.range:
            found = lsp.SelectionRange(range=place, parent=found)
    return found
