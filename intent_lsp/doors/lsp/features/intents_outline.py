"""Structure of the open intents file: symbols, folding and selection (protocol section 4).

Invariant: in a text that does not parse, only what is on unchanged lines is shown.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.lsp_convert import span_range, text_range
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer
from intent_lsp.formats.intents.structure.folding import carried_runs, enclosing, folded_runs
from intent_lsp.formats.intents.structure.outline import (
    IntentsSymbol,
    OutlineKind,
    carried,
    outlined,
)

_KINDS: Final = {
    OutlineKind.INTENT: lsp.SymbolKind.Event,
    OutlineKind.LIST: lsp.SymbolKind.Array,
    OutlineKind.FILE: lsp.SymbolKind.File,
    OutlineKind.SENTENCE: lsp.SymbolKind.String,
}


def symbol_tree(buffer: IntentsBuffer, _: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    """Answer `textDocument/documentSymbol`: the intents, with their lists and items below them."""
    return [_nested(buffer, symbol) for symbol in _outline(buffer)]


def symbol_list(buffer: IntentsBuffer, _: lsp.DocumentSymbolParams) -> list[lsp.SymbolInformation]:
    """Answer `textDocument/documentSymbol` as one list: each intent, then its lists and items."""
    return list(_flat(buffer, _outline(buffer), None))


def folding(buffer: IntentsBuffer, _: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    """Answer `textDocument/foldingRange`: intents, lists, other values and comments."""
    return [
        lsp.FoldingRange(
            start_line=run.first,
            end_line=run.last,
            kind=lsp.FoldingRangeKind.Comment if run.comment else None,
        )
        for run in carried_runs(folded_runs(buffer.structure), buffer.places)
    ]


def selections(buffer: IntentsBuffer, params: lsp.SelectionRangeParams) -> list[lsp.SelectionRange]:
    """Answer `textDocument/selectionRange`: the ranges around each position.

    They are a value, its item, its list, the pair of the list and its key, the intent, and so on up
    to the file. On a changed line of a text that does not parse it is the file alone.
    """
    return [_selection(buffer, position) for position in params.positions]


def _outline(buffer: IntentsBuffer) -> tuple[IntentsSymbol, ...]:
    return carried(outlined(buffer.structure), buffer.places)


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
