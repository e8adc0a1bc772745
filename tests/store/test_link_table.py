"""What a verification remembers: the same answers as from lists in memory, whatever its size."""

import resource
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.ledger.chain import Link
from intent_lsp.store.ledger.verify.link_table import LinkTable, Packed, id_keys, key
from tests.support.ledgers import new_id

HASHES = [hash_content(bytes([number])) for number in range(12)]
IDS = [new_id() for _ in range(4)]

links = st.builds(
    Link,
    hash=st.sampled_from([*HASHES, ContentHash("")]),
    id=st.sampled_from([*IDS, "", "no UUID"]),
    prev=st.none() | st.sampled_from(HASHES),
    merges=st.lists(st.sampled_from(HASHES), max_size=3).map(tuple),
)
files = st.lists(st.lists(links, max_size=5), min_size=1, max_size=4)


def filled(remembered: LinkTable, told: list[list[Link]]) -> list[tuple[int, int, Link]]:
    """Remember the lines of some files; give each with its file and its line."""
    for lines in told:
        remembered.begin_file()
        for link in lines:
            remembered.add(link, link.prev)
    return [(at, line, link) for at, lines in enumerate(told) for line, link in enumerate(lines, 1)]


@given(files)
def test_rows_know_their_file_and_their_line(told: list[list[Link]]) -> None:
    with LinkTable() as remembered:
        for row, (file, line, _) in enumerate(filled(remembered, told)):
            assert (remembered.file_of(row), remembered.line_of(row)) == (file, line)


@given(files, st.sets(st.sampled_from(HASHES)))
def test_hashes_are_found_where_they_stand_first_and_in_another_file(
    told: list[list[Link]], sought: set[ContentHash]
) -> None:
    with LinkTable() as remembered:
        known = filled(remembered, told)
        found = remembered.places({key(each) for each in sought})
        for each in sought:
            at = [(row, file) for row, (file, _, link) in enumerate(known) if link.hash == each]
            others = [row for row, file in at if file != at[0][1]]
            expected = (at[0][0], others[0] if others else None) if at else None
            assert found.get(key(each)) == expected


@given(files)
def test_hashes_that_nothing_names_are_told(told: list[list[Link]]) -> None:
    with LinkTable() as remembered:
        known = filled(remembered, told)
        named = {each for _, _, link in known if link.hash for each in (link.prev, *link.merges)}
        expected = {key(each) for each in HASHES if each not in named}
        assert remembered.unnamed({key(each) for each in HASHES}) == expected


@given(files)
def test_ids_that_come_again_are_told(told: list[list[Link]]) -> None:
    with LinkTable() as remembered:
        firsts: dict[str, ContentHash] = {}
        again: list[tuple[int, bool]] = []
        for row, (_, _, link) in enumerate(filled(remembered, told)):
            if link.hash and link.id:
                again += [(row, firsts[link.id] == link.hash)] if link.id in firsts else []
                firsts.setdefault(link.id, link.hash)
        assert list(remembered.repeated()) == again


@given(st.permutations(range(8)), st.integers(1, 4), st.sets(st.integers(0, 7), min_size=1))
def test_what_an_end_follows_is_counted_in_whatever_order_the_files_are(
    order: list[int], size: int, ends: set[int]
) -> None:
    # A lattice: each record follows the one above, every second ties the one two above.
    lattice = [
        Link(
            hash=HASHES[at],
            id=new_id(),
            prev=HASHES[at - 1] if at else HASHES[11],
            merges=(HASHES[at - 2],) if at > 1 and at % 2 else (),
        )
        for at in range(8)
    ]
    told = [[lattice[at] for at in order[start : start + size]] for start in range(0, 8, size)]
    with LinkTable() as remembered:
        filled(remembered, told)
        reached = remembered.reach({key(HASHES[end]) for end in ends})
        assert reached == max(ends) + 1


@st.composite
def ledgers(draw: st.DrawFn) -> list[list[Link]]:
    """Draw files of records that follow others, with copies, gaps and lines without a record."""
    records = [
        Link(
            hash=hash_,
            id=new_id(),
            prev=HASHES[prev] if (prev := draw(st.integers(-1, at - 1))) >= 0 else None,
            merges=tuple(draw(st.sets(st.sampled_from(HASHES[:at]), max_size=2))) if at else (),
        )
        for at, hash_ in enumerate(HASHES)
    ]
    straight = st.tuples(st.integers(0, 11), st.integers(1, 12)).map(
        lambda run: records[run[0] : sum(run)]
    )
    runs = st.lists(straight | st.just([Link()]), max_size=4)
    lines = runs.map(lambda found: [*chain(*found)])
    return draw(st.lists(lines, min_size=1, max_size=3))


@given(ledgers(), st.sets(st.sampled_from(HASHES), min_size=1))
def test_a_record_that_is_reached_counts_once(
    told: list[list[Link]], anchors: set[ContentHash]
) -> None:
    known = {link.hash: link for lines in told for link in lines if link.hash}
    reached, wanted = set[ContentHash](), list(anchors)
    while wanted:
        link = known.get(wanted.pop())
        if link is not None and link.hash not in reached:
            reached.add(link.hash)
            wanted += [each for each in (link.prev, *link.merges) if each is not None]
    with LinkTable() as remembered:
        filled(remembered, told)
        assert remembered.reach({key(each) for each in anchors}) == len(reached)


def packed(ids: list[str], hashes: list[ContentHash], prev: ContentHash | None) -> Packed:
    first, last = Link(hash=hashes[0], id=ids[0], prev=prev), Link(hash=hashes[-1], id=ids[-1])
    return Packed(first, last, len(ids), id_keys(ids), b"".join(map(key, hashes)))


@given(st.integers(1, 9), st.none() | st.sampled_from(HASHES))
def test_lines_that_were_packed_are_remembered_alike(count: int, prev: ContentHash | None) -> None:
    ids, hashes = [new_id() for _ in range(count)], HASHES[:count]
    straight = [
        Link(hash=hash_, id=id_, prev=above)
        for id_, hash_, above in zip(ids, hashes, [prev, *hashes], strict=False)
    ]
    last = Link(hash=HASHES[11], id=new_id(), prev=hashes[-1])
    with LinkTable() as one, LinkTable() as other:
        filled(one, [[*straight, last]])
        other.begin_file()
        other.add_packed(packed(ids, hashes, prev))
        other.add(last, last.prev)
        everything = {key(each) for each in HASHES}
        for question in (LinkTable.places, LinkTable.unnamed, LinkTable.reach):
            assert question(one, everything) == question(other, everything)
        assert [*one.repeated(), *other.repeated()] == []
        assert other.line_of(count) == count + 1


def test_a_disk_that_is_full_is_told() -> None:
    def fill() -> None:
        with LinkTable() as remembered:
            for _ in range(100):
                remembered.add_packed(many)

    sizes = resource.getrlimit(resource.RLIMIT_FSIZE)
    many = packed([new_id()] * 10_000, HASHES[:1] * 10_000, None)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, sizes[1]))
    try:
        with pytest.raises(LedgerUnavailableError, match="temporary"):
            fill()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, sizes)


@given(st.text(), st.text())
def test_texts_that_differ_are_different_keys(one: str, other: str) -> None:
    assert len(key(ContentHash(one))) == 32
    assert (key(ContentHash(one)) == key(ContentHash(other))) == (one == other)
