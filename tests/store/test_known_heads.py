"""The heads that this machine knows: noted with each append, never an alarm of their own."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.ledger.chain import Link
from intent_lsp.core.ledger.truncation import KnownHead
from intent_lsp.store.ledger.known_heads import HEADS_AT_MOST, KnownHeads

A, B, C, D = (hash_content(name) for name in (b"a", b"b", b"c", b"d"))


def link(hash_: ContentHash, prev: ContentHash | None = None, *merges: ContentHash) -> Link:
    return Link(hash_, prev=prev, merges=merges)


def noted(known: KnownHeads) -> list[str]:
    return [head.hash for head in known.heads()]


@pytest.fixture
def known(tmp_path: Path) -> KnownHeads:
    return KnownHeads(tmp_path)


def test_what_is_appended_takes_the_place_of_what_it_follows(
    known: KnownHeads, tmp_path: Path
) -> None:
    assert known.heads() == ()
    known.note([])
    assert list(tmp_path.iterdir()) == []
    known.note([link(A)])
    assert noted(known) == [A]
    known.note([link(B, A), link(C, B)])
    assert known.heads() == (KnownHead(C),)
    (file,) = tmp_path.iterdir()
    assert file.name == "known_heads"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_head_that_nothing_follows_stays(known: KnownHeads) -> None:
    known.note([link(A)])
    known.note([link(B)])
    assert noted(known) == [B, A]
    known.note([link(C, A)])
    assert noted(known) == [C, B]
    known.note([link(D, C, B)])
    assert noted(known) == [D]
    known.note([link(D, C)])
    assert noted(known) == [D]


def test_no_more_are_kept_than_so_many_the_newest_first(known: KnownHeads) -> None:
    many = [hash_content(bytes([n])) for n in range(HEADS_AT_MOST + 3)]
    for each in many:
        known.note([link(each)])
    assert noted(known) == many[: -HEADS_AT_MOST - 1 : -1]


def test_a_verification_settles_what_is_known(known: KnownHeads) -> None:
    known.note([link(A)])
    before = known.heads()
    known.settle(before, [KnownHead(C), KnownHead(A, committed=True)])
    assert known.heads() == (KnownHead(C), KnownHead(A, committed=True))
    known.settle(known.heads(), [])
    assert known.heads() == ()


def test_what_was_noted_during_a_verification_stays(known: KnownHeads) -> None:
    known.note([link(A)])
    before = known.heads()
    known.note([link(B, A)])
    known.settle(before, [KnownHead(C)])
    assert noted(known) == [B, C]


def test_settling_what_is_known_already_writes_nothing(known: KnownHeads, tmp_path: Path) -> None:
    known.settle((), [])
    assert list(tmp_path.iterdir()) == []
    known.note([link(A)])
    os.utime(tmp_path / "known_heads", ns=(1, 1))
    known.settle(known.heads(), [KnownHead(A)])
    assert (tmp_path / "known_heads").stat().st_mtime_ns == 1


def test_a_head_is_let_go_of(known: KnownHeads) -> None:
    known.note([link(A)])
    known.note([link(B)])
    known.forget([B, C])
    assert noted(known) == [A]


@given(st.integers(0, 200), st.integers(1, 255))
def test_a_line_that_a_crash_has_torn_is_no_head(
    tmp_path_factory: pytest.TempPathFactory, place: int, change: int
) -> None:
    local = tmp_path_factory.mktemp("local")
    known = KnownHeads(local)
    known.note([link(A)])
    known.note([link(B)])
    data = bytearray((local / "known_heads").read_bytes())
    data[place % len(data)] ^= change
    (local / "known_heads").write_bytes(data)
    assert set(known.heads()) < {KnownHead(A), KnownHead(B)}


@given(st.binary())
def test_any_file_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    local = tmp_path_factory.mktemp("local")
    (local / "known_heads").write_bytes(data)
    known = KnownHeads(local)
    assert known.heads() == ()
    known.note([link(A)])
    assert noted(known) == [A]


@pytest.mark.parametrize("kind", ["missing room", "directory", "link", "fifo"])
def test_what_stands_in_the_way_stops_no_append(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    local = tmp_path / "local"
    if kind != "missing room":
        local.mkdir()
    if kind == "directory":
        (local / "known_heads").mkdir()
    elif kind == "link":
        (tmp_path / "mine").write_text("mine")
        (local / "known_heads").symlink_to(tmp_path / "mine")
    elif kind == "fifo":
        os.mkfifo(local / "known_heads")
    known = KnownHeads(local)
    known.note([link(A)])
    known.note([link(B, A)])
    assert known.heads() == ()
    assert caplog.text.count("cannot be noted") == 1
    if kind == "link":
        assert (tmp_path / "mine").read_text() == "mine"


def test_writers_that_come_together_leave_only_heads_that_were_some(known: KnownHeads) -> None:
    chain = [hash_content(bytes([n])) for n in range(60)]

    def write(start: int) -> None:
        for place in range(start, len(chain), 3):
            known.note([link(chain[place], chain[place - 1] if place else None)])

    threads = [threading.Thread(target=write, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(noted(known)) <= set(chain)
    assert noted(known)
