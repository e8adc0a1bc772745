"""The legend of semantic tokens: the types and modifiers of the standard that are used."""

from typing import Final

from lsprotocol import types as lsp

TYPES: Final = (
    lsp.SemanticTokenTypes.Property,
    lsp.SemanticTokenTypes.Event,
    lsp.SemanticTokenTypes.EnumMember,
    lsp.SemanticTokenTypes.String,
    lsp.SemanticTokenTypes.Operator,
    lsp.SemanticTokenTypes.Regexp,
    lsp.SemanticTokenTypes.Keyword,
)
MODIFIERS: Final = (
    lsp.SemanticTokenModifiers.Declaration,
    lsp.SemanticTokenModifiers.Modification,
    lsp.SemanticTokenModifiers.Deprecated,
)
LEGEND: Final = lsp.SemanticTokensLegend(
    token_types=[name.value for name in TYPES],
    token_modifiers=[name.value for name in MODIFIERS],
)
