"""The names that the server declares, such as those of its requests and commands.

Specified in protocol sections 2 and 4.
"""

from enum import StrEnum
from typing import Final

from lsprotocol import types as lsp

FIX_ALL: Final = "source.fixAll.intent-lsp"
"""The kind of the code action *Fix all*, which an editor can be set to run at each save."""

TOKEN_TYPES: Final = (
    lsp.SemanticTokenTypes.Property,
    lsp.SemanticTokenTypes.Event,
    lsp.SemanticTokenTypes.EnumMember,
    lsp.SemanticTokenTypes.String,
    lsp.SemanticTokenTypes.Operator,
    lsp.SemanticTokenTypes.Regexp,
    lsp.SemanticTokenTypes.Keyword,
)
TOKEN_MODIFIERS: Final = (
    lsp.SemanticTokenModifiers.Declaration,
    lsp.SemanticTokenModifiers.Modification,
    lsp.SemanticTokenModifiers.Deprecated,
)
TOKEN_LEGEND: Final = lsp.SemanticTokensLegend(
    token_types=[name.value for name in TOKEN_TYPES],
    token_modifiers=[name.value for name in TOKEN_MODIFIERS],
)
"""The legend of semantic tokens: the types and modifiers of the standard that are used."""


class RequestName(StrEnum):
    """The name of a request, without the prefix `intent/`.

    A command of the same name has the prefix `intent.`.
    """

    LIST = "list"
    SELECT = "select"
    CLEAR = "clear"
    STATUS = "status"
    OWNERS = "owners"
    INIT = "init"
    TRACE = "trace"
    CHANGE = "change"
    BLAME = "blame"
    LINES = "lines"
    VERIFY = "verify"
    DRAFTS = "drafts"
    BEGIN_TURN = "beginTurn"
    RECORD_READ = "recordRead"
    VALIDATE_EDIT = "validateEdit"
    RECORD_EDIT = "recordEdit"
    APPLY_EDIT = "applyEdit"
    EXPLAIN = "explain"
    CREATE = "create"
    COMPLETE = "complete"
    REQUEST_SCOPE_EXPANSION = "requestScopeExpansion"
    RECORD_VERIFICATION = "recordVerification"


class CommandName(StrEnum):
    """The name of a command that has no request of the same name, without the prefix `intent.`."""

    SHOW_WHY = "showWhy"
    REVERT = "revert"
    RESTORE_DRAFT = "restoreDraft"
    SHOW_FILES = "showFiles"
    SHOW_RECORDS = "showRecords"
    SHOW_CODES = "showCodes"
    SHOW_RECORD = "showRecord"
    SHOW_DISK = "showDisk"
