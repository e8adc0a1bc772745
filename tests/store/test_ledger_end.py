"""The end of a ledger's file, followed while others append: as if each line were stepped."""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.chain import Trail
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger_end import LedgerEnd
from intent_lsp.store.ledger_file import Disk, LedgerFile
from intent_lsp.store.ledger_index import Index
from tests.support.ledgers import chained, stepped

LINES = 8
CHAIN = chained(map(str, range(LINES)))
LYING = CHAIN[3].replace(b"editor/save", b"editor/sane")
BRANCH = chained(["a", "b"])
ODD = (b"\n", b"nonsense\n", BRANCH[0], BRANCH[1], CHAIN[2])

Look = tuple[Sequence[bytes], bool]
"""What others append, and whether it is looked ahead then or followed."""


def followed(first: Sequence[bytes], looks: Sequence[Look]) -> Trail | None:
    """Find an end, let others append, look each time; None: it has to be found anew."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        path = root / LEDGER_FILE
        path.parent.mkdir()
        path.write_bytes(b"".join(first))
        file = LedgerFile(path, Disk())
        index = Index(path.with_name("index.sqlite3"), root)
        end = LedgerEnd.find(file, LEDGER_FILE, root, clock=lambda: datetime.now(UTC), index=index)
        index.close()
        for lines, is_look in looks:
            with path.open("ab") as ledger:
                ledger.writelines(lines)
            if is_look:
                end.look_ahead(file)
            elif not end.follow(file):
                return None
        return end.trail if end.follow(file) else None


def looks(lines: Sequence[bytes], cuts: Sequence[int], kinds: int) -> list[Look]:
    """Cut lines to pieces; each bit of `kinds` says how one is looked at."""
    at = sorted({0, *(cut for cut in cuts if cut < len(lines)), len(lines)})
    pieces = [list(lines[start:end]) for start, end in pairwise(at)]
    return [(piece, bool(kinds >> number & 1)) for number, piece in enumerate(pieces)]


@given(
    st.integers(1, LINES - 1),
    st.lists(st.sampled_from(ODD), max_size=3),
    st.lists(st.integers(0, LINES + 3), max_size=5),
    st.integers(0, 63),
)
def test_looking_ahead_changes_nothing_of_what_is_found(
    known: int, odd: list[bytes], cuts: list[int], kinds: int
) -> None:
    more = [*CHAIN[known:], *odd]
    found = followed(CHAIN[:known], looks(more, cuts, kinds))
    assert found is not None
    expected = stepped([*CHAIN[:known], *more])
    assert (found.lines, found.last_time, found.end) == (
        expected.lines,
        expected.last_time,
        expected.end,
    )


@given(st.integers(0, 3), st.integers(0, 15), st.lists(st.sampled_from(ODD), max_size=2))
def test_a_line_that_lies_is_not_appended_to_by_what_it_says(
    cut: int, kinds: int, odd: list[bytes]
) -> None:
    more = [*CHAIN[1:3], LYING, *odd]
    found = followed(CHAIN[:1], looks(more, [cut], kinds))
    assert found is None or found.last == stepped([CHAIN[0], *more]).last


def test_an_end_that_was_found_to_lie_is_not_used_again() -> None:
    lie: Look = ([*CHAIN[1:3], LYING], True)
    assert followed(CHAIN[:1], [lie]) is None
    assert followed(CHAIN[:1], [lie, ([b"nonsense\n"], True), ((), True)]) is None
