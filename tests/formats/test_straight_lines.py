"""Lines followed by what they say of their place: the same end as line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import ContentHash
from intent_lsp.formats.ledger_jsonl import examine
from intent_lsp.formats.straight_lines import straight
from tests.support.ledgers import chained, stepped

LINES = 8
CHAIN = chained(map(str, range(LINES)))
ODD = (b"\n", b" \n", b"nonsense\n", b"{}\n", CHAIN[2][:-1] + CHAIN[3], CHAIN[3][:-1] + b" \n")


def hash_of(line: bytes) -> ContentHash:
    return examine(line).hash


@given(st.integers(1, LINES - 1), st.lists(st.sampled_from([*CHAIN, *ODD]), max_size=5))
def test_an_end_is_the_one_that_line_by_line_gives(start: int, odd: list[bytes]) -> None:
    for more in (list(CHAIN[start:]), odd, [*CHAIN[start : start + 2], *odd]):
        found = straight(b"".join(more), hash_of(CHAIN[start - 1]))
        link = None if found is None else found.link()
        if found is None or link is None:
            continue
        trail = stepped(list(CHAIN[:start]))
        trail.skip_to(link, found.lines)
        assert trail == stepped([*CHAIN[:start], *more])


@pytest.mark.parametrize("count", [1, 2, LINES - 1])
def test_lines_that_go_on_have_an_end(count: int) -> None:
    found = straight(b"".join(CHAIN[1 : 1 + count]), hash_of(CHAIN[0]))
    assert found == (count, CHAIN[count], hash_of(CHAIN[count]))
    assert found.link() == examine(CHAIN[count])


@pytest.mark.parametrize(
    "lines",
    [
        (),
        (CHAIN[2],),
        (CHAIN[1], CHAIN[3]),
        (CHAIN[1], b"\n", CHAIN[2]),
        (CHAIN[1][:-1] + CHAIN[2], b"\n"),
    ],
)
def test_others_have_none(lines: tuple[bytes, ...]) -> None:
    assert straight(b"".join(lines), hash_of(CHAIN[0])) is None


def test_a_last_line_that_lies_of_itself_is_no_link() -> None:
    changed = CHAIN[2].replace(b"editor/save", b"editor/sane")
    found = straight(CHAIN[1] + changed, hash_of(CHAIN[0]))
    assert found is not None
    assert found.link() is None
