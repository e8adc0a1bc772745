"""The publisher: diagnostics are pushed or pulled, never both (requirements section 8)."""

import asyncio
from collections.abc import Callable
from functools import partial

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticsPublisher

A, B = "file:///a", "file:///b"
RANGE = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
ONE = lsp.Diagnostic(RANGE, "one")
TWO = lsp.Diagnostic(RANGE, "two \ud800")


class Board:
    """A publisher, with what it sent."""

    def __init__(self, *, pull: bool) -> None:
        self.pushed: list[lsp.PublishDiagnosticsParams] = []
        self.refreshed = asyncio.Event()
        self.refreshes = 0
        self.publisher = DiagnosticsPublisher(
            pull=pull, publish=self._publish, refresh=self._refresh
        )

    def _publish(self, shown: lsp.PublishDiagnosticsParams) -> Callable[[], None]:
        return partial(self.pushed.append, shown)

    def _refresh(self) -> None:
        self.refreshes += 1
        self.refreshed.set()


def _full(report: object) -> lsp.RelatedFullDocumentDiagnosticReport:
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    return report


def test_problems_are_pushed_with_their_version_and_cleared_once() -> None:
    board = Board(pull=False)
    board.publisher.post(A, 1, [])
    board.publisher.post(A, 2, [ONE])
    board.publisher.post(A, None, [])
    board.publisher.post(A, None, [])
    assert board.pushed == [
        lsp.PublishDiagnosticsParams(uri=A, version=2, diagnostics=[ONE]),
        lsp.PublishDiagnosticsParams(uri=A, version=None, diagnostics=[]),
    ]


async def test_a_client_that_pulls_is_asked_once_for_several_causes() -> None:
    board = Board(pull=True)
    board.publisher.post(A, 1, [ONE])
    board.publisher.post(B, 1, [TWO])
    await asyncio.wait_for(board.refreshed.wait(), 10)
    assert board.refreshes == 1
    assert board.pushed == []


async def test_a_client_that_has_it_is_not_asked_again() -> None:
    board = Board(pull=True)
    board.publisher.post(A, 1, [])
    board.publisher.post(B, 1, [ONE])
    await asyncio.wait_for(board.refreshed.wait(), 10)
    board.refreshed.clear()
    board.publisher.document(B, None)
    board.publisher.post(B, 2, [ONE])
    board.publisher.post(A, 1, [])
    # The next cause is the next question.
    board.publisher.post(B, 3, [])
    await asyncio.wait_for(board.refreshed.wait(), 10)
    assert board.refreshes == 2


async def test_a_document_is_answered_whole_and_then_as_unchanged() -> None:
    board = Board(pull=True)
    empty = _full(board.publisher.document(A, None))
    assert list(empty.items) == []
    unchanged = board.publisher.document(A, empty.result_id)
    assert isinstance(unchanged, lsp.RelatedUnchangedDocumentDiagnosticReport)
    board.publisher.post(A, 1, [ONE])
    full = _full(board.publisher.document(A, empty.result_id))
    assert list(full.items) == [ONE]
    assert board.publisher.items(A) == (ONE,)
    assert board.publisher.document(A, full.result_id) == (
        lsp.RelatedUnchangedDocumentDiagnosticReport(result_id=full.result_id or "")
    )
    board.publisher.post(A, 2, [TWO])
    assert _full(board.publisher.document(A, full.result_id)).result_id != full.result_id


async def test_the_workspace_is_every_file_with_problems_and_those_that_had_them() -> None:
    board = Board(pull=True)
    board.publisher.post(A, 1, [ONE])
    board.publisher.post(B, None, [TWO])
    first = board.publisher.workspace([])
    assert [(report.uri, report.version) for report in first.items] == [(A, 1), (B, None)]
    known = [lsp.PreviousResultId(report.uri, report.result_id or "") for report in first.items]
    board.publisher.post(A, 2, [])
    second = board.publisher.workspace(known)
    reports = {report.uri: report for report in second.items}
    cleared, same = reports[A], reports[B]
    assert isinstance(cleared, lsp.WorkspaceFullDocumentDiagnosticReport)
    assert list(cleared.items) == []
    assert isinstance(same, lsp.WorkspaceUnchangedDocumentDiagnosticReport)
    assert board.publisher.items(A) == ()


def test_what_others_add_stays_beside_what_is_posted() -> None:
    board = Board(pull=False)
    board.publisher.post(A, 1, [ONE])
    board.publisher.add("first", A, [TWO])
    board.publisher.add("second", A, [ONE])
    board.publisher.post(A, 2, [])
    assert board.publisher.items(A) == (TWO, ONE)
    board.publisher.add("first", A, [])
    assert board.publisher.items(A) == (ONE,)
    board.publisher.add("second", A, [])
    assert [(each.version, each.diagnostics) for each in board.pushed] == [
        (1, [ONE]),
        (1, [ONE, TWO]),
        (1, [ONE, TWO, ONE]),
        (2, [TWO, ONE]),
        (2, [ONE]),
        (2, []),
    ]


async def test_what_others_add_is_pulled_with_the_rest() -> None:
    board = Board(pull=True)
    board.publisher.post(A, 1, [ONE])
    board.publisher.add("other", A, [TWO])
    await asyncio.wait_for(board.refreshed.wait(), 10)
    assert _full(board.publisher.document(A, None)).items == [ONE, TWO]
