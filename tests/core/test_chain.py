"""The links of a ledger: what a record is chained on, and which ends are loose."""

import pytest

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainCursor, ChainEnd, Link, draft
from tests.support.ledgers import edit


def test_an_event_is_drafted_onto_the_end_and_ties_the_other_heads() -> None:
    a, b = ContentHash("a"), ContentHash("b")
    record = draft(edit("x/\udcff"), id="1", timestamp="t", end=ChainEnd(b, (a, b)))
    assert record.integrity.prev_record_hash == b
    assert record.integrity.merges == (a,)
    assert record.files[0].relative_path == "x/%FF"
    assert record.tool_name == "editor/save"


class TestTrail:
    @pytest.fixture
    def trail(self) -> ChainCursor:
        return ChainCursor()

    def test_a_line_that_cannot_be_read_has_no_place_in_the_chain(self, trail: ChainCursor) -> None:
        trail.step(Link(ContentHash("a")))
        assert trail.step(Link()) == ()
        assert trail.end == ChainEnd(ContentHash("a"), (ContentHash("a"),))
        assert trail.lines == 2

    def test_two_branches_are_two_heads_until_they_are_tied(self, trail: ChainCursor) -> None:
        a, b, c, d = map(ContentHash, "abcd")
        assert trail.step(Link(a)) == ()
        assert trail.step(Link(b, prev=a)) == ()
        assert trail.step(Link(c, prev=a)) == (a,)
        assert tuple(trail.heads) == (b, c)
        assert trail.step(Link(d, prev=c, merges=(b,))) == ()
        assert tuple(trail.heads) == (d,)

    def test_a_copy_of_an_open_head_changes_nothing(self, trail: ChainCursor) -> None:
        a, b = map(ContentHash, "ab")
        for link in (Link(a), Link(b, prev=a)):
            trail.step(link)
        assert trail.step(Link(b, prev=a)) == ()
        assert tuple(trail.heads) == (b,)

    def test_a_copy_that_is_passed_over_is_the_last_line_and_no_head(
        self, trail: ChainCursor
    ) -> None:
        a, b = map(ContentHash, "ab")
        for link in (Link(a), Link(b, prev=a)):
            trail.step(link)
        trail.pass_over(Link(a, timestamp="3"))
        assert (tuple(trail.heads), trail.last, trail.lines) == ((b,), a, 3)

    def test_a_line_goes_on_where_it_follows_the_record_above(self, trail: ChainCursor) -> None:
        a, b = map(ContentHash, "ab")
        assert not trail.goes_on(Link(a))
        trail.step(Link(a))
        assert trail.goes_on(Link(b, prev=a))
        assert trail.goes_on(Link(b, bare=True))
        assert not trail.goes_on(Link(b))

    def test_a_clock_goes_back_only_against_the_record_right_before(
        self, trail: ChainCursor
    ) -> None:
        a, b = map(ContentHash, "ab")
        trail.step(Link(a, timestamp="2"))
        assert trail.goes_back(Link(b, timestamp="1", prev=a))
        assert not trail.goes_back(Link(b, timestamp="1", prev=None))
        assert not trail.goes_back(Link(b, timestamp="2", prev=a))
