"""What two sequences have in common at their ends."""

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.line_diff import common_head, common_tail

TEXTS = st.text(st.sampled_from("ab"), max_size=12)


def alike(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_all_that_is_common_is_counted_once(head: str, old: str, new: str, tail: str) -> None:
    one, other = head + old + tail, head + new + tail
    first = common_head(one, other)
    last = common_tail(one, other, first)
    assert first == alike(one, other)
    assert last == alike(one[first:][::-1], other[first:][::-1])
    assert (common_head([*one], [*other]), common_tail([*one], [*other], first)) == (first, last)
    spelled = one.encode(), other.encode()
    assert (common_head(*spelled), common_tail(*spelled, first)) == (first, last)
