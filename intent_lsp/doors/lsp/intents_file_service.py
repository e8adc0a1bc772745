"""What answers requests about the open intents file alone, as the server calls it."""

from typing import Protocol

from lsprotocol import types as lsp


class OutlineAnswers(Protocol):
    """Answers requests about the structure of an open intents file. Other files give None."""

    async def symbols(
        self, params: lsp.DocumentSymbolParams
    ) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation] | None:
        """Answer `textDocument/documentSymbol`: the intents, with their lists and items."""

    async def folding(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange] | None:
        """Answer `textDocument/foldingRange`: the runs of lines that can be hidden."""

    async def selections(self, params: lsp.SelectionRangeParams) -> list[lsp.SelectionRange] | None:
        """Answer `textDocument/selectionRange`: the ranges around each position."""


class LinkAnswers(Protocol):
    """Answers requests for where the parts of an open intents file lead. Other files give None."""

    async def links(self, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink] | None:
        """Answer `textDocument/documentLink`: the parts that name one existing file."""

    async def resolved(self, link: lsp.DocumentLink) -> lsp.DocumentLink:
        """Answer `documentLink/resolve`: the link with its target and, if shown, a tooltip."""

    async def definition(
        self, params: lsp.DefinitionParams
    ) -> list[lsp.Location] | list[lsp.LocationLink] | None:
        """Answer `textDocument/definition`: the files or the intent that a part leads to.

        Return None if it leads to none.
        """


class TokenAnswers(Protocol):
    """Answers requests for the semantic tokens of an open intents file. Other files give None."""

    async def full(self, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens | None:
        """Answer `textDocument/semanticTokens/full`: all tokens."""

    async def within(self, params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens | None:
        """Answer `textDocument/semanticTokens/range`: the tokens on the lines of a range."""


class NameAnswers(Protocol):
    """Answers requests about the names of intents in an open intents file. Other files give None.

    A name is the id of an intent, an alias, or a pointer such as `active_intent`.
    """

    async def prepared(
        self, params: lsp.PrepareRenameParams
    ) -> lsp.PrepareRenamePlaceholder | None:
        """Answer `textDocument/prepareRename`: the name at a position, and the intent's id."""

    async def renamed(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """Answer `textDocument/rename`: the edit that gives the intent another id.

        Raise JsonRpcException if the intent cannot be renamed.
        """

    async def highlights(
        self, params: lsp.DocumentHighlightParams
    ) -> list[lsp.DocumentHighlight] | None:
        """Answer `textDocument/documentHighlight`: all names of the intent at a position."""


class FormattingAnswers(Protocol):
    """Answers requests to format the open intents file. Other files give None.

    So does every file while the setting `format` is off.
    """

    async def document(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        """Answer `textDocument/formatting`: edits of white space alone."""

    async def within(self, params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        """Answer `textDocument/rangeFormatting`: those of these edits that are in a range."""
