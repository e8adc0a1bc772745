"""Ends that were cut off: what is an alarm, what is news, and what is remembered."""

import pytest
from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Head
from intent_lsp.core.ledger.truncation import (
    Committed,
    EvidenceSearch,
    KnownHead,
    RecordCommit,
    remembered,
    with_cut_ends,
)
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Verification
from intent_lsp.core.paths import LEDGER_FILE

A, B, C = (hash_content(name) for name in (b"a", b"b", b"c"))
COMMIT = "0123456789abcdef0123"
NOWHERE = EvidenceSearch({}, whole=True)
UNSURE = EvidenceSearch({}, whole=False)
CURRENT = Committed(commit=COMMIT, heads=(A,), current=True)
EARLIER = replace(CURRENT, current=False)

ERROR, WARNING, NEWS = Severity.ERROR, Severity.WARNING, Severity.INFORMATION
TRUNCATED, ELSEWHERE = LedgerCode.TRUNCATED, LedgerCode.HEAD_ELSEWHERE


def verified(*anchors: Anchor, heads: tuple[Head, ...] | None = None) -> Verification:
    sound = (Head(C, 7, "s1", "2026-11-21T20:00:00.000Z", "trace/x.jsonl"),)
    return Verification(
        ok=True,
        records=7,
        segments=1,
        heads=sound if heads is None else heads,
        problems=(),
        anchors=anchors,
        proved="",
        conditional="",
        files=(LEDGER_FILE,),
    )


def lost(kind: AnchorKind, hash_: ContentHash = A) -> Anchor:
    name = COMMIT if kind is AnchorKind.COMMIT else ""
    return Anchor(hash=hash_, kind=kind, name=name)


def found_in(*, below: bool, named: bool = True) -> EvidenceSearch:
    return EvidenceSearch(
        {A: RecordCommit(commit=COMMIT, file=LEDGER_FILE, below=below, named=named)}, whole=True
    )


GIVEN, KNOWN = lost(AnchorKind.GIVEN), lost(AnchorKind.KNOWN_HEAD)
CHECKED, COMMITTED = lost(AnchorKind.CHECKPOINT), lost(AnchorKind.COMMIT)


@pytest.mark.parametrize(
    ("anchor", "known", "committed", "search", "told"),
    [
        pytest.param(GIVEN, (), None, NOWHERE, (TRUNCATED, ERROR), id="given"),
        # Whoever asks for a record wants it here, wherever else it is.
        pytest.param(GIVEN, (), None, found_in(below=False), (TRUNCATED, ERROR), id="elsewhere"),
        pytest.param(CHECKED, (), None, UNSURE, (TRUNCATED, ERROR), id="checkpoint"),
        pytest.param(COMMITTED, (), CURRENT, UNSURE, (TRUNCATED, ERROR), id="commit"),
        pytest.param(COMMITTED, (), EARLIER, UNSURE, None, id="taken-out-of-git"),
        pytest.param(KNOWN, (KnownHead(A),), None, NOWHERE, (TRUNCATED, ERROR), id="nowhere"),
        pytest.param(KNOWN, (KnownHead(A),), None, UNSURE, (TRUNCATED, WARNING), id="unsure"),
        pytest.param(
            KNOWN, (KnownHead(A),), None, found_in(below=True), (TRUNCATED, ERROR), id="below"
        ),
        pytest.param(
            KNOWN, (KnownHead(A),), None, found_in(below=False), (ELSEWHERE, NEWS), id="branch"
        ),
        # A branch that was deleted took its records with it, with everyone's knowledge.
        pytest.param(KNOWN, (KnownHead(A, committed=True),), None, NOWHERE, None, id="deleted"),
        pytest.param(
            KNOWN,
            (KnownHead(A, committed=True),),
            None,
            UNSURE,
            (TRUNCATED, WARNING),
            id="unsure-whether-deleted",
        ),
    ],
)
def test_each_missing_record_is_told_by_who_vouches_for_it(
    anchor: Anchor,
    known: tuple[KnownHead, ...],
    committed: Committed | None,
    search: EvidenceSearch,
    told: tuple[LedgerCode, Severity] | None,
) -> None:
    found = with_cut_ends(verified(anchor), known, committed, search)
    problems = [(problem.code, problem.severity) for problem in found.problems]
    assert problems == ([] if told is None else [told])
    assert found.ok == (told is None or told[1] is not ERROR)
    assert found.anchors == (() if told is None else (anchor,))


def test_what_a_file_holds_is_no_problem() -> None:
    anchors = tuple(replace(each, records=3) for each in (GIVEN, KNOWN, COMMITTED))
    found = verified(*anchors)
    assert with_cut_ends(found, (KnownHead(A, committed=True),), EARLIER, NOWHERE) == found


def test_the_problem_stands_where_the_ledger_ends() -> None:
    (problem,) = with_cut_ends(verified(COMMITTED), (), CURRENT, found_in(below=True)).problems
    assert (problem.file, problem.line) == ("trace/x.jsonl", 7)
    assert problem.message == (
        f"record {A[7:19]}, which commit 0123456789ab contains, is in no file of the ledger: it"
        " was cut off, or the ledger was written anew; commit 0123456789ab still has the record"
    )
    (problem,) = with_cut_ends(verified(GIVEN, heads=()), (), None, NOWHERE).problems
    assert (problem.file, problem.line) == (LEDGER_FILE, 1)
    assert problem.message == (
        f"record {A[7:19]}, whose hash was given, is in no file of the ledger: it was cut off, or"
        " the ledger was written anew or never had it"
    )


def test_a_place_that_git_forgets_is_called_so() -> None:
    known = (KnownHead(A),)
    search = found_in(below=False, named=False)
    (problem,) = with_cut_ends(verified(KNOWN), known, None, search).problems
    assert "which only a stash or a reflog keeps, still has the record" in problem.message


def test_many_cut_ends_are_one_problem_of_each_code() -> None:
    known = (KnownHead(B), KnownHead(A))
    anchors = (lost(AnchorKind.KNOWN_HEAD, B), KNOWN, GIVEN)
    found = with_cut_ends(verified(*anchors), known, None, found_in(below=False))
    assert [problem.code for problem in found.problems] == [TRUNCATED, ELSEWHERE]
    assert found.problems[0].message.endswith("(and 1 more of this kind)")
    both = with_cut_ends(verified(KNOWN, GIVEN), known, None, UNSURE)
    # The loudest is told.
    assert [problem.severity for problem in both.problems] == [ERROR]


def test_what_a_verification_saw_is_remembered() -> None:
    early = Head(B, 3, "s1", "2026-11-21T19:00:00.000Z", LEDGER_FILE)
    found = verified(KNOWN, heads=(early, *verified().heads))
    known = (KnownHead(A),)
    assert remembered(found, known, None, NOWHERE) == (KnownHead(C), KnownHead(B), KnownHead(A))
    in_commit = replace(CURRENT, heads=(C,))
    told = remembered(found, known, in_commit, found_in(below=False))
    assert told == (KnownHead(C, committed=True), KnownHead(B), KnownHead(A, committed=True))
    told = remembered(found, known, None, found_in(below=False, named=False))
    assert told[-1] == KnownHead(A)


def test_a_head_that_others_follow_is_let_go_of_and_so_is_one_of_a_deleted_branch() -> None:
    followed = verified(replace(KNOWN, records=3))
    assert remembered(followed, (KnownHead(A),), None, NOWHERE) == (KnownHead(C),)
    gone = verified(KNOWN)
    known = (KnownHead(A, committed=True),)
    assert remembered(gone, known, None, NOWHERE) == (KnownHead(C),)
    assert remembered(gone, known, None, UNSURE) == (KnownHead(C), *known)


def test_a_broken_chain_teaches_nothing() -> None:
    broken = replace(verified(KNOWN), ok=False)
    assert remembered(broken, (KnownHead(A),), None, NOWHERE) == (KnownHead(A),)
