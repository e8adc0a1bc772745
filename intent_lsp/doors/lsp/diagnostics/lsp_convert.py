"""Conversion of positions, spans, violations, findings and text changes to LSP types.

Invariant: positions are in the negotiated encoding. Optional members are sent only to a client that
declares them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Finding, Position, RelatedSpan, Severity, Span, TextChange
from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import WorkspacePath, file_uri
from intent_lsp.doors.lsp.protocol.positions import (
    ClientPosition,
    PositionEncoding,
    count_units,
    from_client,
    to_client,
)
from intent_lsp.doors.lsp.protocol.structuring import with_markup
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.formats.diff import line_hunks
from intent_lsp.formats.markdown.editor_text import LinkedText, ViolationText, violation_markdown
from intent_lsp.formats.params.requests import WireRange
from intent_lsp.governance.violations.violation import RelatedPlace, Violation
from intent_lsp.store.packaged_files import codes_page

SOURCE: Final = "intent-lsp"
DATA_VERSION: Final = 1


def uri_of(path: str | Path) -> str:
    """Return the `file:` URI of an absolute path."""
    return file_uri(str(path))


def position(lines: Sequence[str], place: Position, encoding: PositionEncoding) -> lsp.Position:
    """Return `place`, in code points, as an LSP position in the client's encoding.

    `lines` is the text in which it lies.
    """
    found = to_client(lines, place, encoding)
    return lsp.Position(found.line, found.character)


def place_of(lines: Sequence[str], place: lsp.Position, encoding: PositionEncoding) -> Position:
    """Return a client's position in code points. `lines` is the text in which it lies."""
    return from_client(lines, ClientPosition(place.line, place.character), encoding)


def span_range(lines: Sequence[str], span: Span, encoding: PositionEncoding) -> lsp.Range:
    """Return `span`, in code points, as an LSP range in the client's encoding.

    `lines` is the text in which it lies.
    """
    return lsp.Range(position(lines, span.start, encoding), position(lines, span.end, encoding))


def part_range(
    lines: Sequence[str], line: int, columns: tuple[int, int], encoding: PositionEncoding
) -> lsp.Range:
    """Return the LSP range of a part of one line: of `columns`, in code points, the end excluded.

    `lines` is the text in which it lies.
    """
    start, end = columns
    return span_range(lines, Span(Position(line, start), Position(line, end)), encoding)


def line_range(
    lines: Sequence[str], first: int, last: int, encoding: PositionEncoding
) -> lsp.Range:
    """Return the LSP range of whole lines `first` to `last`, without the last line's terminator.

    They are counted from 0, and `last` is included. `lines` is the text. A line beyond it means its
    last line; in an empty text the range is empty.
    """
    if not lines:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    first, last = min(first, len(lines) - 1), min(last, len(lines) - 1)
    width = count_units(line_body(lines[last]), encoding)
    return lsp.Range(lsp.Position(first, 0), lsp.Position(last, width))


def lines_of(range_: lsp.Range | WireRange) -> tuple[int, int]:
    """Return the first and last line of a range, counted from 0 and included.

    A range of several lines that ends at (n, 0) excludes line n.
    """
    start, end = range_.start, range_.end
    return start.line, end.line - (end.line > start.line and not end.character)


def range_wire(range_: lsp.Range) -> dict[str, object]:
    """Return an LSP range as the JSON object that is sent."""
    start, end = range_.start, range_.end
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def files_at(*paths: WorkspacePath) -> list[lsp.TextDocumentFilterPattern]:
    """Return a selector of the files whose path ends in one of `paths`, for a registration."""
    return [lsp.TextDocumentFilterPattern(scheme="file", pattern=f"**/{path}") for path in paths]


def registration(method: str, options: object) -> lsp.Registration:
    """Return the registration of a method at the client. Its id is the method's name."""
    return lsp.Registration(id=method, method=method, register_options=options)


def document_edit(
    uri: str, version: int | None, edits: Sequence[lsp.TextEdit]
) -> lsp.TextDocumentEdit:
    """Return edits of the document at `uri` as one LSP edit.

    `version` is the document version that they fit, or None for a file that is not open.
    """
    document = lsp.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return lsp.TextDocumentEdit(text_document=document, edits=list(edits))


class LspEncoder:
    """Encodes violations, findings and edits as LSP types for one client."""

    def __init__(self, client: ClientCapabilities, encoding: PositionEncoding) -> None:
        self.client = client
        self.encoding = encoding
        page = codes_page()
        self._page = None if page is None else uri_of(page)

    def problem(
        self,
        problem: Violation,
        lines: Sequence[str],
        *,
        version: int | None,
        severity: Severity,
        sources: Mapping[Path, Sequence[str]],
    ) -> lsp.Diagnostic:
        """Return the violation `problem` as a diagnostic.

        `lines` is the text of the document. `version` is the document's, or None if it is closed.
        `sources` has the lines of other files, to convert positions in these.
        """
        data = {
            "v": DATA_VERSION,
            "code": problem.code,
            "path": problem.path,
            "intentId": problem.intent_id,
            "owners": list(problem.owners),
            "firstLine": problem.first_line,
            "lastLine": problem.last_line,
            "docVersion": version,
        }
        related = [
            (uri_of(place.path), sources.get(place.path, ()), place) for place in problem.elsewhere
        ]
        found = lsp.Diagnostic(
            range=line_range(lines, problem.first_line, problem.last_line, self.encoding),
            message=problem.message,
            severity=lsp.DiagnosticSeverity(severity.value),
            code=problem.code,
            code_description=self._href(problem.code),
            source=SOURCE,
            related_information=self._related(related),
            data=data if self.client.diagnostic_data else None,
        )
        return with_markup(found, _markup(problem)) if self.client.markup_messages else found

    def finding(self, finding: Finding, lines: Sequence[str], uri: str) -> lsp.Diagnostic:
        """Return a finding in a control file as a diagnostic.

        `lines` is the file's text, and `uri` its URI.
        """
        related = [(uri, lines, place) for place in finding.related]
        return lsp.Diagnostic(
            range=span_range(lines, finding.span, self.encoding),
            message=finding.message,
            severity=lsp.DiagnosticSeverity(finding.severity.value),
            code=finding.code.value,
            code_description=self._href(finding.code.value),
            source=SOURCE,
            related_information=self._related(related),
        )

    def edits(self, changes: Iterable[TextChange], lines: Sequence[str]) -> list[lsp.TextEdit]:
        """Return changes of the text `lines` as LSP edits, with positions in that text."""
        return [
            lsp.TextEdit(span_range(lines, change.span, self.encoding), change.new_text)
            for change in changes
        ]

    def turning_edits(self, lines: Sequence[str], wanted: Sequence[str]) -> list[lsp.TextEdit]:
        """Return the edits that turn the text `lines` into the text `wanted`, line by line.

        Equal lines are not touched, so that cursors stay in place. Only if no diff can be computed,
        one edit replaces everything.
        """
        hunks = line_hunks(wanted, lines)
        if hunks is None:
            whole = Hunk(old_start=0, old_count=len(wanted), new_start=0, new_count=len(lines))
            hunks = (whole,)
        return self.edits((hunk_change(hunk, wanted) for hunk in hunks), lines)

    def workspace_edit(
        self, uri: str, version: int | None, edits: Sequence[lsp.TextEdit]
    ) -> lsp.WorkspaceEdit:
        """Return edits of the document at `uri` as a WorkspaceEdit.

        `version` is the document version that they fit, or None for a file that is not open. It is
        left out if the client does not support versions.
        """
        return self.joined_edit([document_edit(uri, version, edits)])

    def joined_edit(
        self,
        steps: Sequence[lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile],
    ) -> lsp.WorkspaceEdit:
        """Return changes of several files and documents as one WorkspaceEdit, in this order.

        If the client does not support versions, only the text edits are kept, without versions.
        """
        if self.client.document_changes:
            return lsp.WorkspaceEdit(document_changes=list(steps))
        changes: dict[str, list[lsp.TextEdit]] = {}
        for step in steps:
            if isinstance(step, lsp.TextDocumentEdit):
                edits = [edit for edit in step.edits if isinstance(edit, lsp.TextEdit)]
                changes.setdefault(step.text_document.uri, []).extend(edits)
        return lsp.WorkspaceEdit(changes=changes)

    def codes_uri(self, code: str | None = None) -> str | None:
        """Return the URI of a code's section in the page of codes.

        If `code` is None, the section is the one on the codes of edits. Return None if the page is
        not installed.
        """
        section = "on-an-edit" if code is None else code.lower()
        return None if self._page is None else f"{self._page}#{section}"

    def _href(self, code: str) -> lsp.CodeDescription | None:
        href = self.codes_uri(code) if self.client.code_description else None
        return None if href is None else lsp.CodeDescription(href=href)

    def _related(
        self, places: Sequence[tuple[str, Sequence[str], RelatedPlace | RelatedSpan]]
    ) -> list[lsp.DiagnosticRelatedInformation] | None:
        """Return places as LSP information, each given with the URI and the lines of its text.

        Return None if there is no place, or if the client does not support such information.
        """
        if not places or not self.client.related_information:
            return None
        return [
            lsp.DiagnosticRelatedInformation(
                lsp.Location(uri, span_range(lines, place.span, self.encoding)), place.message
            )
            for uri, lines, place in places
        ]


def _markup(problem: Violation) -> str:
    """Return the message of a violation as Markdown, with links into the intents file."""
    scope = next(iter(problem.elsewhere), None)
    told = ViolationText(
        code=problem.code,
        message=problem.message,
        intent_id=problem.intent_id,
        scope=problem.scope,
        scope_uri=None if scope is None else _line_uri(scope),
        owners=[LinkedText(place.message, _line_uri(place)) for place in problem.owner_places],
    )
    return violation_markdown(told)


def _line_uri(place: RelatedPlace) -> str:
    """Return the URI of a place, with its line as the fragment in which editors look for it."""
    return f"{uri_of(place.path)}#L{place.span.start.line + 1}"


def hunk_change(hunk: Hunk, reference: Sequence[str]) -> TextChange:
    """Return the change of the new text that undoes a hunk.

    It replaces the hunk's new lines by its old lines, which are taken from the old text
    `reference`.
    """
    old = "".join(reference[hunk.old_start : hunk.old_start + hunk.old_count])
    start = Position(hunk.new_start, 0)
    return TextChange(Span(start, Position(hunk.new_start + hunk.new_count, 0)), old)
