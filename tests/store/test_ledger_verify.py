"""Verification: every tampering is named by its line, and honest histories are no error."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.ledger.truncation import RecordCommit
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Verification
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import Event
from intent_lsp.formats.ledger.jsonl import examine, seal
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, SEGMENT_ROOM, Strange
from intent_lsp.store.ledger.verify.link_check import Piece
from intent_lsp.store.ledger.verify.link_table import Packed, id_keys, key
from intent_lsp.store.ledger.verify.scan import scan
from intent_lsp.store.ledger.verify.verify import VerifiedFile, verify
from tests.support.ledgers import edit, events, new_id, on_another_branch

LINES = 8


def line_after(end: ChainEnd, event: Event, second: int = 0, record_id: str = "") -> bytes:
    moment = f"2026-11-21T20:27:{second:02}.000Z"
    return seal(draft(event, id=record_id or new_id(), timestamp=moment, end=end))[1]


def end_of(line: bytes) -> ChainEnd:
    head = examine(line).hash
    return ChainEnd(head, (head,))


def chain_of(count: int, *, after: ChainEnd | None = None, mark: str = "a") -> list[bytes]:
    lines, end = [], after or ChainEnd()
    start = 10 if after else 0
    for number in range(count):
        lines.append(line_after(end, edit(f"{mark}/{number}"), start + number))
        end = end_of(lines[-1])
    return lines


CHAIN = tuple(chain_of(LINES))


def part(lines: Sequence[bytes], file: str = LEDGER_FILE) -> VerifiedFile:
    data = b"".join(lines)
    return VerifiedFile(file, [*scan(lambda start, end: data[start:end], len(data))])


def check(lines: list[bytes]) -> Verification:
    return verify([part(lines)])


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


def broken_at(row: int) -> str:
    """Name what is wrong with a row that follows nothing: before the first a file may be gone."""
    return "BROKEN_LINK" if row else "MISSING_SEGMENT"


@given(st.integers(0, LINES - 2))
def test_a_removed_line_breaks_the_link_of_the_next(at: int) -> None:
    lines = [*CHAIN[:at], *CHAIN[at + 1 :]]
    assert not check(lines).ok
    assert (broken_at(at), at + 1) in found(lines)


@given(st.lists(st.integers(0, LINES - 1), min_size=2, max_size=2, unique=True).map(sorted))
def test_two_swapped_lines_break_a_link(pair: list[int]) -> None:
    first, second = pair
    lines = list(CHAIN)
    lines[first], lines[second] = lines[second], lines[first]
    assert not check(lines).ok
    assert any(code == "BROKEN_LINK" and first < line <= second + 1 for code, line in found(lines))


@given(st.integers(0, LINES), events)
def test_a_forged_line_that_names_nothing_here_breaks_its_link(at: int, event: Event) -> None:
    forged = line_after(ChainEnd(hash_content(b"nowhere")), event)
    lines = [*CHAIN[:at], forged, *CHAIN[at:]]
    assert not check(lines).ok
    assert (broken_at(at), at + 1) in found(lines)


@given(st.integers(1, LINES - 1))
def test_a_forged_line_that_is_linked_well_is_named_as_a_loose_end(at: int) -> None:
    lines = [*CHAIN[:at], line_after(end_of(CHAIN[at - 1]), edit("forged")), *CHAIN[at:]]
    outcome = check(lines)
    assert ("UNTIED_HEADS", at + 1) in found(lines)
    assert "another branch of the ledger" in outcome.conditional


@given(st.integers(0, LINES - 2))
def test_a_line_that_was_changed_and_sealed_again_breaks_the_next_link(at: int) -> None:
    end = end_of(CHAIN[at - 1]) if at else ChainEnd()
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
    assert (problem.file, problem.line) == (LEDGER_FILE, 3)
    assert problem.severity is Severity.ERROR
    assert "1 more" in problem.message
    assert outcome.conditional == "all records: the ledger has errors"


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
        lines = [*joined, line_after(ChainEnd(heads[1], heads), edit("tie"), 59)]
        outcome = check(lines)
        assert (outcome.ok, outcome.problems, len(outcome.heads)) == (True, (), 1)

    def test_show_when_a_tied_branch_was_removed(self) -> None:
        heads = tuple(examine(line).hash for line in (self.ours[-1], self.theirs[-1]))
        lines = [*self.common, *self.theirs, line_after(ChainEnd(heads[1], heads), edit("tie"), 59)]
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


def test_a_ledger_of_many_ranges_is_verified_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intent_lsp.store.ledger.verify.scan.RANGE", 700)
    assert check(list(CHAIN)).ok
    same = examine(CHAIN[2]).id
    doubled = [line_after(end_of(CHAIN[-1]), edit("x"), 9, same)]
    assert found([*CHAIN, *doubled]) == [("DUPLICATE_ID", LINES + 1)]
    assert ("BROKEN_LINK", 5) in found([*CHAIN[:4], *CHAIN[5:]])


def test_hashes_are_typed() -> None:
    assert examine(CHAIN[1]).prev == ContentHash(examine(CHAIN[0]).hash)


class TestManyFiles:
    """Archives, the main file and segments, read as one ledger."""

    archive = f"{ARCHIVE_ROOM}/agent_trace-1.jsonl"
    main = CHAIN[3:]
    segment = tuple(chain_of(2, after=end_of(CHAIN[-1]), mark="segment"))

    def files(
        self,
        archive: Sequence[bytes] = CHAIN[:3],
        main: Sequence[bytes] = CHAIN[3:],
        segment: Sequence[bytes] = (),
        name: str = f"{SEGMENT_ROOM}/b.jsonl",
    ) -> list[VerifiedFile]:
        named = ((self.archive, archive), (LEDGER_FILE, main), (name, segment))
        return [part(lines, file) for file, lines in named if lines]

    def found(self, parts: list[VerifiedFile]) -> list[tuple[str, str, int]]:
        return [(each.code.value, each.file, each.line) for each in verify(parts).problems]

    def test_are_one_chain(self) -> None:
        outcome = verify(self.files(segment=self.segment))
        assert (outcome.ok, outcome.problems, outcome.records) == (True, (), LINES + 2)
        assert outcome.segments == 3
        (head,) = outcome.heads
        assert (head.file, head.line) == (f"{SEGMENT_ROOM}/b.jsonl", 2)

    def test_may_follow_one_another_in_any_order(self) -> None:
        later = chain_of(1, after=end_of(self.segment[-1]), mark="later")
        parts = [*self.files(segment=self.segment, name=f"{SEGMENT_ROOM}/z.jsonl")]
        parts.insert(2, part(later, f"{SEGMENT_ROOM}/a.jsonl"))
        outcome = verify(parts)
        assert (outcome.ok, outcome.problems) == (True, ())
        assert [head.file for head in outcome.heads] == [f"{SEGMENT_ROOM}/a.jsonl"]

    @given(st.integers(0, LINES), st.integers(0, LINES))
    def test_may_hold_the_same_lines_twice(self, archived: int, kept: int) -> None:
        begin = min(archived, kept)
        outcome = verify(self.files(CHAIN[:archived], CHAIN[begin:]))
        assert (outcome.ok, outcome.problems) == (True, ())
        assert (outcome.records, len(outcome.heads)) == (LINES, 1)

    def test_show_which_of_them_is_missing(self) -> None:
        segment = f"{SEGMENT_ROOM}/b.jsonl"
        for parts, file in (
            (self.files(archive=(), segment=self.segment), LEDGER_FILE),
            (self.files(main=(), segment=self.segment), segment),
            ([part(self.segment, segment)], segment),
        ):
            assert ("MISSING_SEGMENT", file, 1) in self.found(parts)
            assert not verify(parts).ok

    def test_tell_a_missing_file_from_a_removed_line(self) -> None:
        codes = [code for code, _, _ in self.found(self.files(main=[CHAIN[3], *CHAIN[5:]]))]
        assert codes == ["BROKEN_LINK", "UNTIED_HEADS"]
        # The sole archive, or the beginning of the file: without git nobody can tell.
        assert self.found([part(CHAIN[1:])]) == [("MISSING_SEGMENT", LEDGER_FILE, 1)]

    def test_of_another_branch_are_not_missing(self) -> None:
        asked: list[ContentHash] = []

        def past(hashes: Collection[ContentHash]) -> Mapping[ContentHash, RecordCommit]:
            asked.extend(hashes)
            return on_another_branch(hashes)

        parts = [part(self.segment, f"{SEGMENT_ROOM}/b.jsonl")]
        outcome = verify(parts, past=past)
        assert outcome.ok
        assert [each.code for each in outcome.problems] == [LedgerCode.HEAD_ELSEWHERE]
        assert asked == [examine(CHAIN[-1]).hash]

    def test_name_the_file_and_the_line_of_what_was_changed(self) -> None:
        for at, file, line in ((1, self.archive, 2), (4, LEDGER_FILE, 2)):
            lines = list(CHAIN)
            lines[at] = lines[at].replace(b"a/", b"b/")
            parts = self.files(lines[:3], lines[3:])
            assert ("BAD_HASH", file, line) in self.found(parts)

    def test_may_not_repeat_an_id(self) -> None:
        again = line_after(end_of(CHAIN[-1]), edit("other"), 9, examine(CHAIN[0]).id)
        found = self.found(self.files(segment=[again]))
        assert found == [("DUPLICATE_ID", f"{SEGMENT_ROOM}/b.jsonl", 1)]

    def test_in_whose_place_something_else_stands_are_named(self) -> None:
        outcome = verify(self.files(), strange=[Strange("x.jsonl", "it is not a regular file")])
        assert not outcome.ok
        assert [(each.code, each.file) for each in outcome.problems] == [
            (LedgerCode.UNREADABLE_FILE, "x.jsonl")
        ]

    def test_each_have_an_end_until_one_ties_them(self) -> None:
        other = chain_of(2, after=end_of(CHAIN[-1]), mark="other")
        parts = [*self.files(segment=self.segment), part(other, f"{SEGMENT_ROOM}/c.jsonl")]
        outcome = verify(parts)
        assert (outcome.ok, len(outcome.heads)) == (True, 2)
        heads = tuple(head.hash for head in outcome.heads)
        tie = line_after(ChainEnd(heads[0], heads), edit("tie"), 59)
        outcome = verify([*parts, part([tie], f"{SEGMENT_ROOM}/d.jsonl")])
        assert (outcome.ok, outcome.problems, len(outcome.heads)) == (True, (), 1)


class TestAnchors:
    """Hashes that somebody proves, and how far they reach."""

    def anchor(self, line: bytes, kind: AnchorKind = AnchorKind.GIVEN, name: str = "") -> Anchor:
        return Anchor(hash=examine(line).hash, kind=kind, name=name)

    @given(st.integers(0, LINES - 1), st.integers(0, LINES))
    def test_prove_a_record_and_all_that_it_follows_in_whatever_files(
        self, at: int, cut: int
    ) -> None:
        names = (f"{SEGMENT_ROOM}/z.jsonl", f"{SEGMENT_ROOM}/a.jsonl")
        parts = [part(CHAIN[:cut], names[0]), part(CHAIN[cut:], names[1])]
        for order in (parts, parts[::-1]):
            outcome = verify(order, [self.anchor(CHAIN[at])])
            assert [anchor.records for anchor in outcome.anchors] == [at + 1]

    def test_say_what_is_proved_and_what_is_not(self) -> None:
        anchors = [
            self.anchor(CHAIN[4], AnchorKind.COMMIT, "a" * 40),
            self.anchor(CHAIN[1], AnchorKind.CHECKPOINT),
        ]
        outcome = verify([part(CHAIN)], anchors)
        assert outcome.proved.startswith(f"the first 5 of {LINES} records are unchanged since")
        assert "commit aaaaaaaaaaaa; the first 2 of" in outcome.proved
        assert outcome.conditional.endswith("the 3 records after that")

    def test_of_the_last_record_prove_all(self) -> None:
        outcome = verify([part(CHAIN)], [self.anchor(CHAIN[-1])])
        assert outcome.proved.startswith(f"all {LINES} records are unchanged since the record")
        assert outcome.conditional == "nothing: all records are proven"

    def test_that_this_machine_alone_knows_are_looked_for_and_prove_nothing(self) -> None:
        outcome = verify([part(CHAIN)], [self.anchor(CHAIN[-1], AnchorKind.KNOWN_HEAD)])
        assert [anchor.records for anchor in outcome.anchors] == [LINES]
        assert outcome.proved.startswith("nothing")
        assert f"all {LINES} records" in outcome.conditional

    def test_that_no_file_holds_prove_nothing(self) -> None:
        nowhere = Anchor(hash=hash_content(b"nowhere"), kind=AnchorKind.GIVEN)
        outcome = verify([part(CHAIN)], [nowhere])
        assert outcome.anchors == (nowhere,)
        assert outcome.proved.startswith("nothing")
        assert outcome.ok

    def test_prove_each_branch_and_both_together(self) -> None:
        ours = chain_of(2, after=end_of(CHAIN[2]), mark="ours")
        theirs = chain_of(3, after=end_of(CHAIN[2]), mark="theirs")
        ends = (end_of(ours[-1]).last, end_of(theirs[-1]).last)
        tie = line_after(ChainEnd(ends[0], tuple(end for end in ends if end)), edit("tie"), 59)
        lines = [*CHAIN[:3], *ours, *theirs, tie]
        anchors = [self.anchor(line) for line in (ours[-1], theirs[-1], tie)]
        outcome = verify([part(lines)], anchors)
        assert [anchor.records for anchor in outcome.anchors] == [5, 6, 9]
        outcome = verify([part(lines)], anchors[:2])
        assert "the record after that" in outcome.conditional

    @given(st.integers(0, LINES - 2))
    def test_do_not_prove_what_was_changed_and_sealed_again(self, at: int) -> None:
        lines = list(CHAIN)
        lines[at] = line_after(end_of(CHAIN[at - 1]) if at else ChainEnd(), edit("changed"), at)
        outcome = verify([part(lines)], [self.anchor(CHAIN[-1])])
        assert [anchor.records for anchor in outcome.anchors] == [LINES - at - 1]
        assert not outcome.ok


def judged(lines: Sequence[bytes]) -> list[Piece]:
    """Judge lines one by one."""
    return [examine(line) for line in lines]


def judged_in_pairs(lines: Sequence[bytes]) -> Iterator[Piece]:
    """Judge lines as a process of its own would, two at a time where that can be."""
    links = [examine(line) for line in lines]
    while links:
        first = links.pop(0)
        if links and links[0].prev == first.hash and not (first.flaw or links[0].flaw):
            second = links.pop(0)
            ids, hashes = id_keys([first.id, second.id]), key(first.hash) + key(second.hash)
            yield Packed(first, second, 2, ids, hashes)
        else:
            yield first


def judged_in_stretches(lines: Sequence[bytes]) -> Iterator[Piece]:
    """Judge as many lines at a time as go on."""
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and examine(lines[end]).prev == examine(lines[end - 1]).hash:
            end += 1
        data = b"".join(lines[start:end])
        yield from scan(lambda first, last, held=data: held[first:last], len(data))
        start = end


@given(
    st.lists(
        st.tuples(st.integers(0, LINES - 1), st.integers(1, LINES)).map(
            lambda run: CHAIN[run[0] : sum(run)]
        ),
        max_size=4,
    )
)
def test_stretches_that_are_copied_are_found_as_their_lines_are(
    stretches: list[Sequence[bytes]],
) -> None:
    lines = [line for stretch in stretches for line in stretch]
    one = verify([VerifiedFile(LEDGER_FILE, judged(lines))])
    assert verify([VerifiedFile(LEDGER_FILE, judged_in_stretches(lines))]) == one


@given(st.lists(st.sampled_from(CHAIN) | st.just(b"nonsense\n"), max_size=12), st.integers(0, 12))
def test_lines_that_are_judged_together_are_found_alike(lines: list[bytes], cut: int) -> None:
    files = ((f"{ARCHIVE_ROOM}/agent_trace-1.jsonl", lines[:cut]), (LEDGER_FILE, lines[cut:]))
    anchors = [Anchor(hash=examine(CHAIN[5]).hash, kind=AnchorKind.GIVEN)]
    one = verify([VerifiedFile(file, judged(held)) for file, held in files], anchors)
    other = verify([VerifiedFile(file, judged_in_pairs(held)) for file, held in files], anchors)
    assert one == other
