"""The closing statement: nothing is called proved without an anchor that is there."""

import pytest

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Extent, conditional, proved

HASH = ContentHash("sha256:" + "ab" * 32)

REWRITTEN = "someone with write access could have rewritten"


def anchor(kind: AnchorKind, records: int | None, name: str = "") -> Anchor:
    return Anchor(hash=HASH, kind=kind, name=name, records=records)


def extent(records: int, proven: int = 0, heads: int = 1, *, consistent: bool = True) -> Extent:
    return Extent(records=records, proven=proven, heads=heads, consistent=consistent)


@pytest.mark.parametrize(
    ("anchors", "said"),
    [
        ([], "nothing: there is no commit, checkpoint or other hash to compare with"),
        (
            [anchor(AnchorKind.GIVEN, None)],
            "nothing: the ledger has none of the hashes that it was compared with",
        ),
        (
            [anchor(AnchorKind.COMMIT, 4711, "c" * 40)],
            "the first 4,711 of 4,800 records are unchanged since commit cccccccccccc",
        ),
        (
            [anchor(AnchorKind.GIVEN, 4800)],
            "all 4,800 records are unchanged since the record with the hash sha256:abababababab",
        ),
        (
            [anchor(AnchorKind.CHECKPOINT, 1), anchor(AnchorKind.KNOWN_HEAD, 2)],
            (
                "the first 2 of 4,800 records are unchanged since the newest record that this"
                " machine knows; the first of 4,800 records is unchanged since the checkpoint"
            ),
        ),
        (
            [anchor(AnchorKind.COMMIT, 1, "c"), anchor(AnchorKind.COMMIT, 1, "c")],
            "the first of 4,800 records is unchanged since commit c",
        ),
    ],
    ids=["none", "elsewhere", "commit", "all", "largest first", "each once"],
)
def test_what_is_proved_is_said_with_whose_word_it_is(anchors: list[Anchor], said: str) -> None:
    assert proved(anchors, extent(4800)) == said


def test_no_more_anchors_are_named_than_can_be_read() -> None:
    many = [anchor(AnchorKind.COMMIT, number, f"{number}") for number in range(1, 6)]
    assert proved(many, extent(9)).endswith("commit 3; 2 more such proofs are not shown")
    assert proved(many[1:], extent(9)).endswith("commit 3; 1 more such proof is not shown")


def test_a_single_record_is_the_only_one() -> None:
    only = proved([anchor(AnchorKind.COMMIT, 1, "c")], extent(1))
    assert only == "the only record is unchanged since commit c"


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        (extent(9, consistent=False), "all records: the ledger has errors"),
        (extent(0), "nothing: the ledger has no record yet"),
        (extent(9, 9), "nothing: all records are proven"),
        (extent(9), f"{REWRITTEN} all 9 records"),
        (extent(9, 4), f"{REWRITTEN} the 5 records after that"),
        (extent(1), f"{REWRITTEN} the only record"),
        (extent(9, 8), f"{REWRITTEN} the record after that"),
        (
            extent(9, 4, 2),
            f"{REWRITTEN} the 5 records after that, and another branch of the ledger",
        ),
        (
            extent(9, 4, 3),
            f"{REWRITTEN} the 5 records after that, and 2 other branches of the ledger",
        ),
    ],
    ids=[
        *("broken", "empty", "all proved", "none proved", "some proved"),
        *("one", "one left", "branch", "branches"),
    ],
)
def test_what_is_not_proved_is_conditional(reach: Extent, said: str) -> None:
    assert conditional(reach) == said


def test_a_ledger_with_errors_proves_nothing() -> None:
    found = proved([anchor(AnchorKind.GIVEN, 4)], extent(9, 4, consistent=False))
    assert found == "nothing: the ledger has errors"
