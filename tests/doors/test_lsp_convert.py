"""Core values as the protocol's types: in the client's units, and only what it declares."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, Position, RelatedSpan, Severity, Span, TextChange
from intent_lsp.core.intents import IntentId
from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import path_of_uri
from intent_lsp.doors.lsp.diagnostics.lsp_convert import (
    LspEncoder,
    hunk_change,
    line_range,
    span_range,
    uri_of,
)
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.governance.violations.violation import RelatedPlace, Violation

UTF_8, UTF_16, UTF_32 = PositionEncoding.UTF_8, PositionEncoding.UTF_16, PositionEncoding.UTF_32
LINES = ["a\U0001f600b\r\n", "é\n", "last"]
EVERYTHING = ClientCapabilities(
    related_information=True, code_description=True, diagnostic_data=True, document_changes=True
)
SCOPE = Path("/work/.orchestration/active_intents.yaml")
PROBLEM = Violation(
    code="SCOPE_VIOLATION",
    message="No.",
    first_line=0,
    last_line=1,
    path="a.py",
    intent_id="INT-001",
    owners=(IntentId("INT-002"),),
    elsewhere=(
        RelatedPlace(path=SCOPE, span=Span(Position(0, 2), Position(0, 3)), message="The scope"),
    ),
)
FINDING = Finding(
    code=FileCode.DUPLICATE_ID,
    severity=Severity.ERROR,
    message="Twice.",
    span=Span(Position(0, 1), Position(0, 3)),
    related=(RelatedSpan(span=Span(Position(1, 0), Position(1, 1)), message="Here too"),),
)


def _range(first: int, start: int, last: int, end: int) -> lsp.Range:
    return lsp.Range(lsp.Position(first, start), lsp.Position(last, end))


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a/b.py", "file:///a/b.py"),
        ("/a b/é#?%", "file:///a%20b/%C3%A9%23%3F%25"),
        ("/\udcff", "file:///%FF"),
    ],
)
def test_a_path_is_spelled_as_a_uri(path: str, uri: str) -> None:
    assert uri_of(path) == uri
    assert path_of_uri(uri) == path


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name and b"/" not in name))
def test_any_file_name_comes_back(name: bytes) -> None:
    path = "/a/" + name.decode("utf-8", "surrogateescape")
    if name not in (b".", b".."):
        assert path_of_uri(uri_of(path)) == path


@pytest.mark.parametrize(("encoding", "end"), [(UTF_8, 6), (UTF_16, 4), (UTF_32, 3)])
def test_whole_lines_are_marked_without_their_terminator(
    encoding: PositionEncoding, end: int
) -> None:
    assert line_range(LINES, 0, 0, encoding) == _range(0, 0, 0, end)


@pytest.mark.parametrize(
    ("lines", "first", "last", "expected"),
    [
        (LINES, 1, 2, _range(1, 0, 2, 4)),
        (LINES, 2, 9, _range(2, 0, 2, 4)),
        (LINES, 8, 9, _range(2, 0, 2, 4)),
        ([], 0, 0, _range(0, 0, 0, 0)),
        (["\n"], 0, 0, _range(0, 0, 0, 0)),
    ],
)
def test_lines_beyond_the_text_are_its_last(
    lines: list[str], first: int, last: int, expected: lsp.Range
) -> None:
    assert line_range(lines, first, last, UTF_16) == expected


def test_a_span_is_in_the_clients_units() -> None:
    span = Span(Position(0, 1), Position(0, 2))
    assert span_range(LINES, span, UTF_8) == _range(0, 1, 0, 5)
    assert span_range(LINES, span, UTF_16) == _range(0, 1, 0, 3)
    assert span_range(LINES, span, UTF_32) == _range(0, 1, 0, 2)


def test_a_problem_carries_what_its_fixes_need() -> None:
    shown = LspEncoder(EVERYTHING, UTF_16).problem(
        PROBLEM, LINES, version=7, severity=Severity.WARNING, sources={SCOPE: ["\U0001f600xyz\n"]}
    )
    assert shown.range == _range(0, 0, 1, 1)
    assert (shown.code, shown.source, shown.message) == ("SCOPE_VIOLATION", "intent-lsp", "No.")
    assert shown.severity is lsp.DiagnosticSeverity.Warning
    assert shown.code_description is not None
    assert shown.code_description.href.startswith("file:///")
    assert shown.code_description.href.endswith("codes.md#scope_violation")
    assert shown.related_information == [
        lsp.DiagnosticRelatedInformation(
            lsp.Location("file:///work/.orchestration/active_intents.yaml", _range(0, 3, 0, 4)),
            "The scope",
        )
    ]
    assert shown.data == {
        "v": 1,
        "code": "SCOPE_VIOLATION",
        "path": "a.py",
        "intentId": "INT-001",
        "owners": ["INT-002"],
        "firstLine": 0,
        "lastLine": 1,
        "docVersion": 7,
    }


def test_a_client_gets_only_what_it_declares() -> None:
    shown = LspEncoder(ClientCapabilities(), UTF_16).problem(
        PROBLEM, LINES, version=None, severity=Severity.ERROR, sources={}
    )
    assert (shown.code_description, shown.related_information, shown.data) == (None, None, None)
    found = LspEncoder(ClientCapabilities(), UTF_16).finding(FINDING, LINES, "file:///a")
    assert (found.code_description, found.related_information) == (None, None)


def test_a_place_in_a_file_that_is_not_at_hand_is_its_start() -> None:
    shown = LspEncoder(EVERYTHING, UTF_16).problem(
        PROBLEM, LINES, version=None, severity=Severity.ERROR, sources={}
    )
    assert shown.related_information is not None
    assert shown.related_information[0].location.range == _range(0, 0, 0, 0)


def test_a_finding_points_at_its_other_place() -> None:
    shown = LspEncoder(EVERYTHING, UTF_16).finding(FINDING, LINES, "file:///a")
    assert shown.range == _range(0, 1, 0, 4)
    assert (shown.code, shown.severity) == ("DUPLICATE_ID", lsp.DiagnosticSeverity.Error)
    assert shown.related_information == [
        lsp.DiagnosticRelatedInformation(lsp.Location("file:///a", _range(1, 0, 1, 1)), "Here too")
    ]


def test_a_fix_is_edits_in_the_clients_units() -> None:
    fix = Fix("Quote it", (TextChange(Span(Position(0, 2), Position(0, 2)), '"'),))
    assert LspEncoder(ClientCapabilities(), UTF_16).edits(fix.changes, LINES) == [
        lsp.TextEdit(_range(0, 3, 0, 3), '"')
    ]


def test_edits_are_versioned_where_the_client_can_hold_them_to_it() -> None:
    edit = lsp.TextEdit(_range(0, 0, 0, 0), "x")
    versioned = LspEncoder(EVERYTHING, UTF_16).workspace_edit("file:///a", 3, [edit])
    document = lsp.OptionalVersionedTextDocumentIdentifier(uri="file:///a", version=3)
    assert versioned.document_changes == [lsp.TextDocumentEdit(document, [edit])]
    assert versioned.changes is None
    plain = LspEncoder(ClientCapabilities(), UTF_16).workspace_edit("file:///a", 3, [edit])
    assert (plain.changes, plain.document_changes) == ({"file:///a": [edit]}, None)


@pytest.mark.parametrize(
    ("hunk", "change"),
    [
        (
            Hunk(old_start=1, old_count=1, new_start=1, new_count=2),
            TextChange(Span(Position(1, 0), Position(3, 0)), "b\n"),
        ),
        (
            Hunk(old_start=1, old_count=2, new_start=1, new_count=0),
            TextChange(Span(Position(1, 0), Position(1, 0)), "b\nc"),
        ),
        (
            Hunk(old_start=0, old_count=0, new_start=0, new_count=1),
            TextChange(Span(Position(0, 0), Position(1, 0)), ""),
        ),
    ],
)
def test_a_run_is_put_back_to_what_the_reference_holds(hunk: Hunk, change: TextChange) -> None:
    assert hunk_change(hunk, ["a\n", "b\n", "c"]) == change
