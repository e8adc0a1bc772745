"""The edits between two contents: back from the newer one, on from the older one."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.blame.attribution import Edit
from intent_lsp.core.blame.edit_chains import earlier_edits, edit_chain, later_edits
from intent_lsp.core.content import ContentHash, content_of, hash_content
from intent_lsp.formats.diff import file_ranges

TEN = "".join(f"line {n}\n" for n in range(10))


def edits(*texts: str | None) -> list[Edit]:
    """Return an edit between each text and the next."""
    contents = [content_of(None if text is None else text.encode()) for text in texts]
    return [
        Edit(order=order, pre=old.hash, post=new.hash, talks=(file_ranges(old, new),))
        for order, (old, new) in enumerate(itertools.pairwise(contents))
    ]


def of(text: str) -> ContentHash:
    return hash_content(text.encode())


def without(text: str, *numbers: int) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(line for at, line in enumerate(lines) if at not in numbers)


def test_a_whole_chain_leads_from_one_content_to_the_other() -> None:
    second, third = TEN + "x\n", TEN + "x\ny\n"
    steps = edits(TEN, second, third)
    chain = edit_chain(steps, of(TEN), of(third), 12)
    assert (chain.orders, chain.whole) == ((1, 0), True)
    assert edit_chain(steps, of(second), of(third), 12).orders == (1,)
    assert not edit_chain(steps, of("other"), of(third), 12).whole
    assert edit_chain(steps, of(TEN), of("other"), 1).orders == ()


def test_edits_that_led_to_a_content_are_those_before_it() -> None:
    steps = edits("a\n", "b\n", "c\n", "d\n")
    assert earlier_edits(steps, of("c\n")) == {0, 1}
    assert earlier_edits(steps, of("a\n")) == set()
    assert earlier_edits(steps, None) == set()
    assert earlier_edits(edits("z\n", "a\n", "b\n", "a\n"), of("a\n")) == {0}


def test_equal_contents_need_no_edit() -> None:
    chain = edit_chain(edits("a\n", "b\n"), of("a\n"), of("a\n"), 1)
    assert (chain.orders, chain.whole) == ((), False)


def test_a_file_that_came_and_went() -> None:
    steps = edits(None, "a\n", None)
    assert edit_chain(steps, None, of("a\n"), 1).orders == (0,)
    assert edit_chain(steps, of("a\n"), None, 0).orders == (1,)


def test_a_round_trip_is_followed_once() -> None:
    steps = edits("a\n", "b\n", "a\n", "b\n")
    chain = edit_chain(steps, of("a\n"), of("b\n"), 1)
    assert (chain.orders, chain.whole) == ((2,), True)
    assert later_edits(steps, of("a\n"), 1).steps == tuple(steps)
    assert edit_chain(steps, of("z\n"), of("b\n"), 1).whole is False


def test_places_of_deletions_are_those_of_the_newest_content() -> None:
    second = without(TEN, 7)
    third = without(second, 2)
    chain = edit_chain(edits(TEN, second, third), of(TEN), of(third), 8)
    assert {place: set(orders) for place, orders in chain.deleted.items()} == {2: {1}, 6: {0}}


def test_lines_of_the_older_content_are_followed_on() -> None:
    second = without(TEN, 7)
    third = without(second, 2)
    later = later_edits(edits(TEN, second, third), of(TEN), 10)
    assert dict(later.deleted) == {7: 0, 2: 1}
    replaced = later_edits(edits(TEN, TEN.replace("line 4", "x")), of(TEN), 10)
    assert dict(replaced.deleted) == {4: 0}


def test_an_edit_that_does_not_say_what_it_replaced_ends_the_places() -> None:
    steps = edits(TEN, without(TEN, 2), without(TEN, 2, 7))
    unsaid = [Edit(order=0, pre=steps[0].pre, post=steps[0].post, talks=()), steps[1]]
    chain = edit_chain(unsaid, of(TEN), steps[1].post, 8)
    assert chain.whole
    assert set(chain.deleted) == {6}
    assert not later_edits(
        [Edit(order=0, pre=of(TEN), post=of("x"), told=False)], of(TEN), 10
    ).deleted


texts = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@given(st.lists(texts, min_size=2, max_size=6))
def test_every_deleted_line_has_a_place_and_an_edit(found: list[str]) -> None:
    steps = edits(*found)
    first, last = found[0], found[-1]
    chain = edit_chain(steps, of(first), of(last), last.count("\n"))
    assert all(0 <= place <= last.count("\n") for place in chain.deleted)
    assert set(chain.orders) <= {step.order for step in steps}
    later = later_edits(steps, of(first), first.count("\n"))
    assert all(0 <= line < first.count("\n") for line in later.deleted)
    if first != last:
        assert chain.whole
