"""The parts of a connection that all its diagnostics are computed and published with."""

from msgspec import Struct

from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticsPublisher
from intent_lsp.doors.lsp.protocol.documents import Documents
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.settings import LiveSettings


class DiagnosticParts(Struct, frozen=True, kw_only=True):
    """What computes, encodes and publishes the diagnostics of one connection.

    `documents` are the documents that the editor has open.
    """

    work: BackgroundExecutor
    publisher: DiagnosticsPublisher
    spelling: LspEncoder
    settings: LiveSettings
    documents: Documents
