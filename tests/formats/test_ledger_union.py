"""The union of two ledgers: nothing dropped, nothing doubled, nothing glued."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.formats.ledger.jsonl import encode, examine, read
from intent_lsp.formats.ledger.union import Conflict, ConflictPart, Union, union_of
from tests.support.ledgers import chained


def joined(ours: Sequence[bytes], theirs: Sequence[bytes]) -> tuple[list[bytes], Union]:
    union, lines = union_of(("ours", lambda: ours), ("theirs", lambda: theirs))
    return list(lines), union


BASE = chained(["base 1", "base 2"])
OURS = chained(["ours 1", "ours 2"], BASE)
THEIRS = chained(["theirs 1", "theirs 2"], BASE)


def test_ours_come_first_then_what_theirs_alone_have() -> None:
    lines, union = joined(OURS, THEIRS)
    assert lines == [*OURS, *THEIRS[2:]]
    assert (union.taken, union.odd, union.aside) == (6, [], [])


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([], [], []),
        (OURS, [], OURS),
        ([], THEIRS, THEIRS),
        (OURS, OURS, OURS),
        (BASE, THEIRS, THEIRS),
        (OURS, BASE, OURS),
        ([*OURS, *OURS], THEIRS, [*OURS, *THEIRS[2:]]),
    ],
)
def test_each_record_is_there_once(
    ours: list[bytes], theirs: list[bytes], expected: list[bytes]
) -> None:
    assert joined(ours, theirs)[0] == expected


def test_what_ours_moved_into_an_archive_stays_before_what_names_it() -> None:
    lines, _ = joined(OURS[1:], THEIRS)
    assert lines == [*OURS, *THEIRS[2:]]


def test_two_ledgers_that_have_nothing_in_common_stand_one_behind_the_other() -> None:
    other = chained(["other"])
    assert joined(OURS, other)[0] == [*OURS, *other]


def test_lines_that_are_no_records_are_kept_and_named() -> None:
    nonsense = [b"nonsense\n", b"\n", b"{}\n", b"\xff\n"]
    lines, union = joined([*OURS, *nonsense[:2]], [*THEIRS, *nonsense[2:]])
    assert lines == [*OURS, *nonsense[:2], *THEIRS[2:], *nonsense[2:]]
    assert [(odd.place.side, odd.place.line) for odd in union.odd] == [
        ("ours", 5),
        ("ours", 6),
        ("theirs", 5),
        ("theirs", 6),
    ]
    assert all(odd.message for odd in union.odd)


def test_a_changed_record_stands_beside_the_one_it_was_made_of() -> None:
    forged = OURS[-1].replace(b"ours 2", b"ours 3")
    lines, union = joined(OURS, [*OURS[:-1], forged])
    assert lines == [*OURS, forged]
    assert [odd.message for odd in union.odd] == ["the record was changed after it was written"]


def test_a_misspelled_copy_of_a_record_is_no_other_record() -> None:
    crlf = [line[:-1] + b"\r\n" for line in THEIRS]
    lines, union = joined([*BASE, *THEIRS[2:]], crlf)
    assert (lines, union.odd) == (THEIRS, [])
    # Where only the misspelled one is there it stays, and is named.
    lines, union = joined(BASE, crlf)
    assert lines == [*BASE, *crlf[2:]]
    assert [odd.place.line for odd in union.odd] == [3, 4]


def test_the_right_spelling_is_never_given_up_for_a_wrong_one() -> None:
    crlf = OURS[2][:-1] + b"\r\n"
    assert joined([*BASE, crlf], OURS)[0] == [*BASE, crlf, *OURS[2:]]


@pytest.mark.parametrize(
    "torn",
    [b"{", OURS[-1][:100], b"\xff", OURS[-1].replace(b"2", b"3")[:-1]],
    ids=["brace", "part", "no text", "changed"],
)
def test_a_torn_last_line_is_set_aside_and_glued_to_nothing(torn: bytes) -> None:
    for ours, theirs, side, line in (
        ([*BASE, torn], THEIRS, "ours", 3),
        (THEIRS, [*BASE, torn], "theirs", 3),
    ):
        lines, union = joined(ours, theirs)
        assert lines == THEIRS
        ((aside),) = union.aside
        assert (aside.place.side, aside.place.line, aside.text) == (side, line, torn)


def test_a_last_record_that_lacks_nothing_but_its_end_is_ended() -> None:
    whole = [*OURS[:-1], OURS[-1][:-1]]
    assert joined(whole, THEIRS)[0] == [*OURS, *THEIRS[2:]]
    assert joined(whole, OURS)[0] == OURS
    assert joined(THEIRS, whole)[0] == [*THEIRS, *OURS[2:]]


def branches() -> st.SearchStrategy[tuple[list[bytes], list[bytes]]]:
    names = st.lists(st.sampled_from("abc"), max_size=3)
    junk = st.lists(st.sampled_from([b"\n", b"x\n", b"{}\n"]), max_size=2)

    def build(
        base: list[str], one: list[str], other: list[str], odd: list[bytes]
    ) -> tuple[list[bytes], list[bytes]]:
        common = chained(base)
        return [*chained(one, common), *odd], chained(other, [*odd, *common])

    return st.builds(build, names, names, names, junk)


@given(branches(), st.sampled_from([b"", b"{", b'{"id"']))
def test_the_union_has_every_line_once_and_every_link_joins(
    sides: tuple[list[bytes], list[bytes]], torn: bytes
) -> None:
    ours, theirs = sides
    lines, union = joined(ours, [*theirs, torn] if torn else theirs)
    assert sorted(lines) == sorted({*ours, *theirs})
    assert union.taken == len(lines)
    seen: set[str] = set()
    for line in lines:
        link = examine(line)
        assert {link.prev, *link.merges} - {None} <= seen
        seen.add(link.hash)
    assert joined(lines, theirs)[0] == lines
    assert joined(lines, ours)[0] == lines
    assert sorted(joined(theirs, ours)[0]) == sorted(lines)


def parts(text: str) -> tuple[list[tuple[str, ConflictPart]], Conflict]:
    conflict = Conflict()
    lines = text.encode().splitlines(keepends=True)
    return [(line.decode().strip(), part) for _, line, part in conflict.parts(lines)], conflict


KEPT, MARKER, INSIDE = ConflictPart.KEPT, ConflictPart.MARKER, ConflictPart.BASE


@pytest.mark.parametrize(
    ("text", "expected", "conflicts"),
    [
        ("a\nb\n", [("a", KEPT), ("b", KEPT)], 0),
        (
            "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n",
            [
                ("a", KEPT),
                ("<<<<<<< HEAD", MARKER),
                ("b", KEPT),
                ("=======", MARKER),
                ("c", KEPT),
                (">>>>>>> topic", MARKER),
                ("d", KEPT),
            ],
            1,
        ),
        (
            "<<<<<<<\r\n||||||| 1f2e\r\nb\r\n=======\r\nc\r\n>>>>>>>\r\n",
            [
                ("<<<<<<<", MARKER),
                ("||||||| 1f2e", MARKER),
                ("b", INSIDE),
                ("=======", MARKER),
                ("c", KEPT),
                (">>>>>>>", MARKER),
            ],
            1,
        ),
        (
            # What both sides began from is itself in conflict, under longer markers.
            "<<<<<<< o\n||||||| b\n<<<<<<<<< 1\nx\n=========\ny\n>>>>>>>>> 2\n=======\n>>>>>>> t\n",
            [
                ("<<<<<<< o", MARKER),
                ("||||||| b", MARKER),
                ("<<<<<<<<< 1", INSIDE),
                ("x", INSIDE),
                ("=========", INSIDE),
                ("y", INSIDE),
                (">>>>>>>>> 2", INSIDE),
                ("=======", MARKER),
                (">>>>>>> t", MARKER),
            ],
            1,
        ),
        (
            # As long as .gitattributes may want them: a shorter one is none.
            "<<<<<<<<< o\na\n=======\n=========\nb\n>>>>>>> t\n>>>>>>>>> t\n",
            [
                ("<<<<<<<<< o", MARKER),
                ("a", KEPT),
                ("=======", KEPT),
                ("=========", MARKER),
                ("b", KEPT),
                (">>>>>>> t", KEPT),
                (">>>>>>>>> t", MARKER),
            ],
            1,
        ),
        ("=======\n>>>>>>> t\n", [("=======", KEPT), (">>>>>>> t", KEPT)], 0),
        ("<<<<<<\n<<<<<<<x\n", [("<<<<<<", KEPT), ("<<<<<<<x", KEPT)], 0),
    ],
)
def test_a_conflict_is_taken_apart_at_its_markers(
    text: str, expected: list[tuple[str, ConflictPart]], conflicts: int
) -> None:
    found, conflict = parts(text)
    assert (found, conflict.conflicts, conflict.open_at) == (expected, conflicts, None)


@pytest.mark.parametrize(
    "text", ["<<<<<<< o\n", "a\n<<<<<<< o\nb\n=======\n", "<<<<<<< o\n>>>>>>> t\n"]
)
def test_a_conflict_that_does_not_end_is_told_by_its_line(text: str) -> None:
    _, conflict = parts(text)
    assert (conflict.conflicts, conflict.open_at) == (0, 1 + text.startswith("a"))


def test_no_record_looks_like_a_marker() -> None:
    record = read(OURS[0])
    assert record is not None
    hostile = replace(record, session_id="<<<<<<< HEAD\n=======\n>>>>>>> x")
    line = encode(hostile)
    assert line.count(b"\n") == 1
    assert [part for _, _, part in Conflict().parts([line])] == [KEPT]
