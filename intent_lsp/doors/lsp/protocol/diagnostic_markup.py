"""Diagnostics whose message is Markdown, as LSP 3.18 has them and lsprotocol does not yet.

Invariant: only a client that declares `markupMessageSupport` is sent such messages, and may send
them back.
"""

from typing import Any

import attrs
from cattrs import Converter
from lsprotocol import types as lsp


@attrs.define
class MarkupDiagnosticCapabilities(lsp.DiagnosticClientCapabilities):
    """Capabilities for pulled diagnostics, with whether a message may be Markdown."""

    markup_message_support: bool | None = attrs.field(default=None)


@attrs.define(kw_only=True)
class MarkupDiagnostic(lsp.Diagnostic):
    """A diagnostic whose message is Markdown."""

    message: lsp.MarkupContent = attrs.field()  # type: ignore[assignment]  # 3.18 widens the type


def with_markup(found: lsp.Diagnostic, markdown: str) -> MarkupDiagnostic:
    """Return a diagnostic with another message, in Markdown."""
    message = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=markdown)
    return MarkupDiagnostic(**(attrs.asdict(found, recurse=False) | {"message": message}))


def know_markup(converter: Converter) -> None:
    """Let `converter` read the capability `textDocument.diagnostic.markupMessageSupport`.

    It counts as declared if it is exactly true.
    """
    read = converter.get_structure_hook(lsp.DiagnosticClientCapabilities)

    def capabilities(fields: Any, kind: Any) -> MarkupDiagnosticCapabilities:  # noqa: ANN401 - cattrs's types
        known = read(fields, kind)
        told = fields.get("markupMessageSupport") is True
        return MarkupDiagnosticCapabilities(
            **attrs.asdict(known, recurse=False), markup_message_support=told
        )

    converter.register_structure_hook(lsp.DiagnosticClientCapabilities, capabilities)


def accept_markup(converter: Converter) -> None:
    """Let `converter` read diagnostics that a client sends back, with their Markdown as text."""
    read = converter.get_structure_hook(lsp.Diagnostic)

    def diagnostic(fields: Any, kind: Any) -> lsp.Diagnostic:  # noqa: ANN401 - cattrs's types
        message = fields.get("message") if isinstance(fields, dict) else None
        if isinstance(message, dict):
            fields = {**fields, "message": message.get("value")}
        found: lsp.Diagnostic = read(fields, kind)
        return found

    converter.register_structure_hook(lsp.Diagnostic, diagnostic)
