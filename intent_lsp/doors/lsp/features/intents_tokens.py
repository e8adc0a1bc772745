"""Semantic tokens of the open intents file (protocol section 4).

Invariant: in a text that does not parse, only what is on unchanged lines has tokens.
"""

from collections.abc import Iterator
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.core.content import line_body
from intent_lsp.core.intents import Status
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.scope.glob_parts import GlobPartKind
from intent_lsp.doors.lsp.diagnostics.lsp_convert import files_at
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer
from intent_lsp.doors.lsp.protocol.positions import count_units
from intent_lsp.doors.lsp.wire.names import TOKEN_LEGEND, TOKEN_MODIFIERS, TOKEN_TYPES
from intent_lsp.formats.intents.structure.lookup import IntentsToken, PartKind, tokens_of

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


class _PlacedToken(Struct, frozen=True, kw_only=True):
    """One token at its place in the client's units, with its numbers in the legend."""

    line: int
    character: int
    length: int
    kind: int
    modifiers: int


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
    return lsp.Registration(
        id=_SEMANTIC_TOKENS,
        method=_SEMANTIC_TOKENS,
        register_options=lsp.SemanticTokensRegistrationOptions(
            document_selector=files_at(INTENTS_FILE), legend=TOKEN_LEGEND, full=True, range=True
        ),
    )


def _encoded(buffer: IntentsBuffer, shown: lsp.Range | None) -> lsp.SemanticTokens:
    """Return the tokens on the lines of the range `shown`, or all of them if that is None.

    Each is encoded as five numbers, with its place relative to the token before.
    """
    data: list[int] = []
    line = character = 0
    for token in _placed(buffer):
        if shown is not None and not shown.start.line <= token.line <= shown.end.line:
            continue
        if token.line > line:
            character = 0
        data += (token.line - line, token.character - character, token.length)
        data += (token.kind, token.modifiers)
        line, character = token.line, token.character
    return lsp.SemanticTokens(data=data)


def _placed(buffer: IntentsBuffer) -> Iterator[_PlacedToken]:
    structure = buffer.structure
    for token in tokens_of(structure):
        place = structure.places.position(token.start)
        line = buffer.places.forward_line(place.line)
        if line is None:
            continue
        text, end = line_body(buffer.lines[line]), place.character + token.end - token.start
        yield _PlacedToken(
            line=line,
            character=count_units(text[: place.character], buffer.encoding),
            length=count_units(text[place.character : end], buffer.encoding),
            kind=_NUMBERS[token.kind],
            modifiers=_modifiers(token),
        )


def _modifiers(token: IntentsToken) -> int:
    """Return the bits of a token's modifiers in the legend."""
    bits = _DECLARATION if token.kind is PartKind.ID else 0
    if token.status is Status.IN_PROGRESS:
        bits |= _MODIFICATION
    if token.status is not None and token.status.closed:
        bits |= _DEPRECATED
    return bits
