"""What is left of a ledger's end: read as it was written, and never out of anything else."""

from zlib import crc32

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.store.ledger.tail import TailNote, noted, read_note, spelled_note
from intent_lsp.store.locks.root_lock import NOTE_AT_MOST
from tests.support.ledgers import HASH, hashes

sizes = st.integers(0, 1 << 62)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
notes = st.builds(TailNote, sizes, sizes, st.binary(max_size=96), sizes, hashes, words, words)


@given(notes, st.binary(max_size=60))
def test_a_note_is_read_as_it_was_left(note: TailNote, behind: bytes) -> None:
    assert read_note(spelled_note(note) + behind) == note
    assert read_note(spelled_note(None) + spelled_note(note)[6:]) is None


@given(notes, st.data())
def test_a_changed_note_is_none(note: TailNote, data: st.DataObject) -> None:
    whole = bytearray(spelled_note(note))
    at = data.draw(st.integers(2, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    assert read_note(bytes(whole)) is None
    assert read_note(bytes(whole[:at])) is None


@given(st.binary(max_size=200))
@example(spelled_note(TailNote(1, 2, b"", 3, HASH, "", ""))[:6] + b"\xc1")
def test_anything_else_is_no_note(data: bytes) -> None:
    assert read_note(data) is None


def test_what_is_spelled_well_and_tells_of_something_else_is_no_note() -> None:
    told = b"\x93\x01\x02\x03"
    assert (
        read_note(len(told).to_bytes(2, "little") + crc32(told).to_bytes(4, "little") + told)
        is None
    )


@pytest.mark.parametrize(
    "trail",
    [
        ChainCursor(),
        ChainCursor({HASH: Head(HASH, 1, "s")}, 1, None),
        ChainCursor({}, 1, HASH),
    ],
)
def test_an_end_that_is_not_one_record_is_not_left(trail: ChainCursor) -> None:
    assert noted(trail, 1, 2, b"") is None


def test_what_has_no_room_is_not_left() -> None:
    def left(session: str) -> TailNote | None:
        return read_note(spelled_note(TailNote(1, 2, b"tail", 3, HASH, "", session)))

    assert left("s") is not None
    assert left("s" * NOTE_AT_MOST) is None
