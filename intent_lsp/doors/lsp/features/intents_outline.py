"""Structure of the open intents file: symbols, folding, selection, semantic tokens (protocol 4).

Invariant: in a text that does not parse, only what is on unchanged lines is shown.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import line_body
from intent_lsp.core.intents import Status
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.scope.glob_parts import GlobPartKind
from intent_lsp.doors.lsp.diagnostics.lsp_convert import (
    files_at,
    position,
    registration,
    span_range,
)
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer
from intent_lsp.doors.lsp.protocol.positions import count_units, end_of
from intent_lsp.doors.lsp.wire.names import TOKEN_LEGEND, TOKEN_MODIFIERS, TOKEN_TYPES
from intent_lsp.formats.intents.structure.folding import carried_runs, enclosing, folded_runs
from intent_lsp.formats.intents.structure.lookup import IntentsToken, PartKind, tokens_of
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
_SEMANTIC_TOKENS: Final = "textDocument/semanticTokens"
"""The method under which tokens are registered; it is no request."""

_TYPES: Final = {
    PartKind.KEY: lsp.SemanticTokenTypes.Property,
    PartKind.ID: lsp.SemanticTokenTypes.Event,
    PartKind.ALIAS: lsp.SemanticTokenTypes.Event,
    PartKind.POINTER: lsp.SemanticTokenTypes.Event,
    PartKind.STATUS: lsp.SemanticTokenTypes.EnumMember,
    GlobPartKind.NAME: lsp.SemanticTokenTypes.String,
    GlobPartKind.SEPARATOR: lsp.SemanticTokenTypes.Operator,
    GlobPartKind.WILDCARD: lsp.SemanticTokenTypes.Regexp,
    GlobPartKind.BRACE: lsp.SemanticTokenTypes.Operator,
    GlobPartKind.EXCLUSION: lsp.SemanticTokenTypes.Keyword,
}


_NUMBERS: Final = {kind: TOKEN_TYPES.index(name) for kind, name in _TYPES.items()}


def _bit(name: lsp.SemanticTokenModifiers) -> int:
    return 1 << TOKEN_MODIFIERS.index(name)


_DECLARATION: Final = _bit(lsp.SemanticTokenModifiers.Declaration)
_MODIFICATION: Final = _bit(lsp.SemanticTokenModifiers.Modification)
_DEPRECATED: Final = _bit(lsp.SemanticTokenModifiers.Deprecated)


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

    These are a value, its item, its list, the pair of the list and its key, the intent, and so on
    up to the file. On a changed line of a text that does not parse there is only the file.
    """
    return [_selection(buffer, asked) for asked in params.positions]


def all_tokens(buffer: IntentsBuffer, _: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    """Answer `textDocument/semanticTokens/full`."""
    return _encoded(buffer, None)


def tokens_within(
    buffer: IntentsBuffer, params: lsp.SemanticTokensRangeParams
) -> lsp.SemanticTokens:
    """Answer `textDocument/semanticTokens/range`: the tokens on the lines of a range."""
    return _encoded(buffer, params.range)


def tokens_registration() -> lsp.Registration:
    """Return the registration of semantic tokens for intents files alone."""
    options = lsp.SemanticTokensRegistrationOptions(
        document_selector=files_at(INTENTS_FILE), legend=TOKEN_LEGEND, full=True, range=True
    )
    return registration(_SEMANTIC_TOKENS, options)


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


def _selection(buffer: IntentsBuffer, asked: lsp.Position) -> lsp.SelectionRange:
    """Return the smallest range around a position, with the larger ones as its parents.

    The outermost is the whole text.
    """
    offset = buffer.offset(asked)
    spans = () if offset is None else enclosing(buffer.structure, offset)[:-1]
    last = position(buffer.lines, end_of(buffer.lines), buffer.encoding)
    found = lsp.SelectionRange(range=lsp.Range(lsp.Position(0, 0), last))
    for start, end in reversed(spans):
        place = buffer.range(start, end)
        if place is not None and place != found.range:
            found = lsp.SelectionRange(range=place, parent=found)
    return found


def _encoded(buffer: IntentsBuffer, shown: lsp.Range | None) -> lsp.SemanticTokens:
    """Return the tokens on the lines of the range `shown`, or all of them if that is None.

    Each token is encoded as five numbers. Its place is relative to that of the previous token.
    """
    data: list[int] = []
    line = character = 0
    for at, start, *rest in _placed(buffer):
        if shown is None or shown.start.line <= at <= shown.end.line:
            data += (at - line, start - (character if at == line else 0), *rest)
            line, character = at, start
    return lsp.SemanticTokens(data=data)


def _placed(buffer: IntentsBuffer) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield the line, character and length of each token, and its type and modifiers as numbers.

    Character and length are in the client's units.
    """
    structure = buffer.structure
    for token in tokens_of(structure):
        place = structure.places.position(token.start)
        line = buffer.places.forward_line(place.line)
        if line is None:
            continue
        text, end = line_body(buffer.lines[line]), place.character + token.end - token.start
        character = count_units(text[: place.character], buffer.encoding)
        length = count_units(text[place.character : end], buffer.encoding)
        yield line, character, length, _NUMBERS[token.kind], _modifiers(token)


def _modifiers(token: IntentsToken) -> int:
    """Return the bits of a token's modifiers in the legend."""
    bits = _DECLARATION if token.kind is PartKind.ID else 0
    if token.status is Status.IN_PROGRESS:
        bits |= _MODIFICATION
    if token.status is not None and token.status.closed:
        bits |= _DEPRECATED
    return bits
