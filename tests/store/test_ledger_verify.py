"""Verification: every tampering is named by its line, and honest histories are no error."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.chain import End, draft
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.findings import Severity
from intent_lsp.core.records import Event
from intent_lsp.core.verification import Verification
from intent_lsp.formats.ledger_jsonl import examine, seal
from intent_lsp.store.ledger_verify import verify
from tests.support.ledgers import edit, events, new_id

LINES = 8


def line_after(end: End, event: Event, second: int = 0, record_id: str = "") -> bytes:
    moment = f"2026-11-21T20:27:{second:02}.000Z"
    return seal(draft(event, id=record_id or new_id(), timestamp=moment, end=end))[1]


def end_of(line: bytes) -> End:
    head = examine(line).hash
    return End(head, (head,))


def chain_of(count: int, *, after: End | None = None, mark: str = "a") -> list[bytes]:
    lines, end = [], after or End()
    start = 10 if after else 0
    for number in range(count):
        lines.append(line_after(end, edit(f"{mark}/{number}"), start + number))
        end = end_of(lines[-1])
    return lines


CHAIN = tuple(chain_of(LINES))


def check(lines: list[bytes]) -> Verification:
    data = b"".join(lines)
    return verify(lambda start, end: data[start:end], len(data), "trace.jsonl")


def found(lines: list[bytes]) -> list[tuple[str, int]]:
    return [(problem.code.value, problem.line) for problem in check(lines).problems]


def test_an_honest_ledger_is_consistent_and_proves_nothing_by_itself() -> None:
    outcome = check(list(CHAIN))
    assert (outcome.ok, outcome.records, outcome.segments) == (True, LINES, 1)
    assert outcome.problems == ()
    assert [head.line for head in outcome.heads] == [LINES]
    assert outcome.proved.startswith("nothing")
    assert f"all {LINES} records" in outcome.conditional


def test_an_empty_ledger_is_consistent() -> None:
    outcome = check([])
    assert (outcome.ok, outcome.records, outcome.segments, outcome.heads) == (True, 0, 0, ())


@given(st.data())
def test_a_change_of_any_byte_is_named_by_its_line(data: st.DataObject) -> None:
    whole = b"".join(CHAIN)
    at = data.draw(st.integers(0, len(whole) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[at]))
    outcome = check([whole[:at], bytes([byte]), whole[at + 1 :]])
    line = whole[:at].count(b"\n") + 1
    assert not outcome.ok
    assert line in {problem.line for problem in outcome.problems}


@given(st.integers(0, LINES - 2))
def test_a_removed_line_breaks_the_link_of_the_next(at: int) -> None:
    lines = [*CHAIN[:at], *CHAIN[at + 1 :]]
    assert not check(lines).ok
    assert ("BROKEN_LINK", at + 1) in found(lines)


@given(st.lists(st.integers(0, LINES - 1), min_size=2, max_size=2, unique=True).map(sorted))
def test_two_swapped_lines_break_a_link(pair: list[int]) -> None:
    first, second = pair
    lines = list(CHAIN)
    lines[first], lines[second] = lines[second], lines[first]
    assert not check(lines).ok
    assert any(code == "BROKEN_LINK" and first < line <= second + 1 for code, line in found(lines))


@given(st.integers(0, LINES), events)
def test_a_forged_line_that_names_nothing_here_breaks_its_link(at: int, event: Event) -> None:
    forged = line_after(End(hash_content(b"nowhere")), event)
    lines = [*CHAIN[:at], forged, *CHAIN[at:]]
    assert not check(lines).ok
    assert ("BROKEN_LINK", at + 1) in found(lines)


@given(st.integers(1, LINES - 1))
def test_a_forged_line_that_is_linked_well_is_named_as_a_loose_end(at: int) -> None:
    lines = [*CHAIN[:at], line_after(end_of(CHAIN[at - 1]), edit("forged")), *CHAIN[at:]]
    outcome = check(lines)
    assert ("UNTIED_HEADS", at + 1) in found(lines)
    assert "1 untied heads" in outcome.conditional


@given(st.integers(0, LINES - 2))
def test_a_line_that_was_changed_and_sealed_again_breaks_the_next_link(at: int) -> None:
    end = end_of(CHAIN[at - 1]) if at else End()
    lines = list(CHAIN)
    lines[at] = line_after(end, edit("changed"), at)
    assert not check(lines).ok
    assert ("BROKEN_LINK", at + 2) in found(lines)


def test_a_line_that_was_changed_but_not_sealed_again_has_a_bad_hash() -> None:
    lines = list(CHAIN)
    lines[3] = lines[3].replace(b"a/3", b"a/9")
    assert found(lines)[:1] == [("BAD_HASH", 4)]


def test_a_whole_middle_that_was_made_anew_does_not_fit_its_end() -> None:
    anew = chain_of(5, after=end_of(CHAIN[0]), mark="forged")
    lines = [CHAIN[0], *anew, *CHAIN[6:]]
    assert ("BROKEN_LINK", 7) in found(lines)


def test_a_second_record_of_one_id_is_named() -> None:
    same = examine(CHAIN[2]).id
    lines = [*CHAIN, line_after(end_of(CHAIN[-1]), edit("other"), 9, same)]
    assert found(lines) == [("DUPLICATE_ID", LINES + 1)]
    assert not check(lines).ok


def test_the_same_line_twice_is_no_error_and_no_second_head() -> None:
    for lines in ([*CHAIN, CHAIN[3]], [*CHAIN[:5], CHAIN[3], *CHAIN[5:]], [*CHAIN, CHAIN[-1]]):
        outcome = check(lines)
        assert (outcome.ok, outcome.problems, len(outcome.heads)) == (True, (), 1)


def respelled(line: bytes) -> bytes:
    return json.dumps(json.loads(line), ensure_ascii=False).encode() + b"\n"


def outside_schema(line: bytes) -> bytes:
    wire = json.loads(line)
    wire["tool_name"] = ""
    wire["integrity"].pop("record_hash")
    wire["integrity"]["record_hash"] = hash_content(rfc8785.dumps(wire))
    return msgspec.json.encode(wire) + b"\n"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda line: line[:-3] + b"\n", "BAD_JSON"),
        (lambda _: b"\n", "BAD_JSON"),
        (respelled, "BAD_FORM"),
        (outside_schema, "BAD_RECORD"),
        (lambda line: line.replace(b"src", b"bin").replace(b"a/", b"b/"), "BAD_HASH"),
    ],
    ids=["cut", "empty", "spelling", "schema", "content"],
)
def test_each_flaw_of_a_line_is_named_once_with_how_many_follow(
    change: Callable[[bytes], bytes], code: str
) -> None:
    lines = list(CHAIN)
    lines[2], lines[5] = change(lines[2]), change(lines[5])
    outcome = check(lines)
    (problem,) = [each for each in outcome.problems if each.code == code]
    assert not outcome.ok
    assert (problem.file, problem.line) == ("trace.jsonl", 3)
    assert problem.severity is Severity.ERROR
    assert "1 more" in problem.message
    assert outcome.conditional.startswith("nothing")


def test_a_torn_tail_is_a_warning() -> None:
    outcome = check([*CHAIN, b'{"id'])
    assert outcome.ok
    assert [(each.code, each.line, each.severity) for each in outcome.problems] == [
        (LedgerCode.TORN_TAIL, LINES + 1, Severity.WARNING)
    ]
    assert check([b"{"]).problems[0].line == 1


def test_a_clock_that_goes_back_breaks_nothing_and_is_told() -> None:
    lines = [*CHAIN, line_after(end_of(CHAIN[-1]), edit(), 0)]
    outcome = check(lines)
    assert outcome.ok
    assert found(lines) == [("CLOCK_BACKWARDS", LINES + 1)]


class TestBranches:
    """Two branches that `merge=union` joined."""

    common = CHAIN[:3]
    ours = tuple(chain_of(2, after=end_of(CHAIN[2]), mark="ours"))
    theirs = tuple(chain_of(3, after=end_of(CHAIN[2]), mark="theirs"))

    def test_are_a_tree_with_two_heads(self) -> None:
        lines = [*self.common, *self.ours, *self.theirs]
        outcome = check(lines)
        assert outcome.ok
        assert [head.line for head in outcome.heads] == [5, 8]
        assert found(lines) == [("UNTIED_HEADS", 5)]
        assert "session s1" in outcome.problems[0].message

    def test_are_one_chain_once_a_record_ties_them(self) -> None:
        joined = [*self.common, *self.ours, *self.theirs]
        heads = tuple(examine(line).hash for line in (self.ours[-1], self.theirs[-1]))
        lines = [*joined, line_after(End(heads[1], heads), edit("tie"), 59)]
        outcome = check(lines)
        assert (outcome.ok, outcome.problems, len(outcome.heads)) == (True, (), 1)

    def test_show_when_a_tied_branch_was_removed(self) -> None:
        heads = tuple(examine(line).hash for line in (self.ours[-1], self.theirs[-1]))
        lines = [*self.common, *self.theirs, line_after(End(heads[1], heads), edit("tie"), 59)]
        assert found(lines) == [("BROKEN_LINK", 7)]

    def test_may_both_have_begun_a_ledger(self) -> None:
        outcome = check([*chain_of(2, mark="ours"), *chain_of(2, mark="theirs")])
        assert outcome.ok
        assert [head.line for head in outcome.heads] == [2, 4]

    def test_name_no_more_loose_ends_than_can_be_read(self) -> None:
        root = end_of(CHAIN[0])
        lines = [CHAIN[0], *(line_after(root, edit(f"{number}")) for number in range(50))]
        outcome = check(lines)
        assert outcome.ok
        assert len(outcome.heads) == 50
        assert len(outcome.problems) == 20


def test_a_ledger_longer_than_the_memory_kept_for_it_is_verified_alike(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in (("_IN_MEMORY", 100), ("_IDS_AT_ONCE", 2), ("_CHUNK", 700)):
        monkeypatch.setattr(f"intent_lsp.store.ledger_verify.{name}", value)
    assert check(list(CHAIN)).ok
    same = examine(CHAIN[2]).id
    doubled = [line_after(end_of(CHAIN[-1]), edit("x"), 9, same)]
    assert found([*CHAIN, *doubled]) == [("DUPLICATE_ID", LINES + 1)]
    assert ("BROKEN_LINK", 5) in found([*CHAIN[:4], *CHAIN[5:]])
    assert not list(tmp_path.iterdir())


def test_hashes_are_typed() -> None:
    assert examine(CHAIN[1]).prev == ContentHash(examine(CHAIN[0]).hash)
