"""A ledger's lines examined in ranges, by one process or by several: always the same is found."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks.support.ledger_maker import lines, write_ledger
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.ledger.chain import Flaw, Link
from intent_lsp.core.ledger.verification import LedgerProblem
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.store.ledger.raw.file import read_at
from intent_lsp.store.ledger.verify.link_check import LinkCheck, Piece
from intent_lsp.store.ledger.verify.link_table import LinkTable, Packed, key
from intent_lsp.store.ledger.verify.scan import LARGE, RANGE, scan, scan_widely
from intent_lsp.store.ledger.verify.verify import no_past

SCAN = "intent_lsp.store.ledger.verify.scan"


@pytest.fixture(name="ledger")
def large_ledger(tmp_path: Path) -> Path:
    """Write a ledger of ten ranges, with a changed line in its middle and a torn end."""
    path = tmp_path / "ledger.jsonl"
    write_ledger(path, 900)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[450] = lines[450].replace(b"BUG_FIX", b"BUG_FIY")
    path.write_bytes(b"".join(lines) + b'{"id"')
    return path


@pytest.fixture(name="file")
def opened_ledger(ledger: Path) -> Iterator[tuple[int, int]]:
    fd = os.open(ledger, os.O_RDONLY)
    yield fd, os.fstat(fd).st_size
    os.close(fd)


def found_in(file: tuple[int, int]) -> list[Piece]:
    fd, size = file
    return list(scan(partial(read_at, fd), size))


def heads_of(found: Iterable[Piece]) -> tuple[object, ...]:
    """Follow what was found; give all that a verification tells of it."""
    with LinkTable() as remembered:
        followed = LinkCheck(remembered, no_past)
        followed.follow_file("ledger", found)
        anchors = {
            head.file: remembered.reach({key(hash_)}) for hash_, head in followed.heads.items()
        }
        followed.close()
    return followed.records, followed.heads, followed.problems.first(), anchors


def problems_of(found: Iterable[Piece]) -> list[LedgerProblem]:
    with LinkTable() as remembered:
        followed = LinkCheck(remembered, no_past)
        followed.follow_file("ledger", found)
    return followed.problems.first()


def test_what_is_found_together_is_what_is_found_line_by_line(
    ledger: Path, file: tuple[int, int]
) -> None:
    *lines, torn = ledger.read_bytes().splitlines(keepends=True)
    message = (
        f"the last line is incomplete or damaged ({len(torn)} bytes) and counts as no"
        " record; `intent-lsp trace recover` adds the record if a copy is left"
    )
    alone = [*map(examine, lines), Link(flaw=Flaw(LedgerCode.TORN_TAIL, message))]
    found = found_in(file)
    assert heads_of(found) == heads_of(alone)
    assert sum(isinstance(piece, Packed) for piece in found) > 3


def test_a_line_that_says_nothing_of_its_place_is_wrong_below_lines_that_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dialects = Path(__file__).parent.parent / "formats/data/dialects"
    bare = (dialects / "nested_bare.jsonl").read_bytes().splitlines(keepends=True)[0]
    sealed = b"".join(lines(3))
    data = sealed + bare
    monkeypatch.setattr(f"{SCAN}.RANGE", len(sealed))
    found = list(scan(lambda start, end: data[start:end], len(data)))
    assert [isinstance(piece, Packed) for piece in found] == [True, False]
    assert LedgerCode.BAD_RECORD in [problem.code for problem in problems_of(found)]


@pytest.mark.parametrize("size", [0, 1, RANGE - 1, RANGE, RANGE + 1, 2 * RANGE + 7])
def test_a_line_of_any_length_is_one_line(size: int) -> None:
    data = b"x" * size + b"\n" + b"y" * RANGE + b"\nz\n"
    found = list(scan(lambda start, end: data[start:end], len(data)))
    assert [piece.flaw and piece.flaw.code for piece in found if not isinstance(piece, Packed)] == [
        LedgerCode.BAD_JSON
    ] * 3


def test_a_line_that_fills_a_range_leaves_the_next_where_it_begins() -> None:
    data = b"x" * (RANGE - 1) + b"\n" + b"yy\n"
    found = list(scan(lambda start, end: data[start:end], len(data)))
    assert len(found) == 2


def test_a_file_that_shrinks_while_it_is_read_ends_where_it_ends() -> None:
    data = b"x" * (RANGE + 10)
    found = list(scan(lambda start, end: data[start:end], 4 * RANGE))
    assert [piece.flaw and piece.flaw.code for piece in found if not isinstance(piece, Packed)] == [
        LedgerCode.TORN_TAIL
    ]


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_several_processes_find_what_one_finds(
    file: tuple[int, int], monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(f"{SCAN}.PART", 2 * RANGE)
    assert list(scan_widely(*file, workers)) == found_in(file)


def test_a_small_file_is_examined_by_this_process_alone(
    file: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert file[1] < LARGE
    assert list(scan_widely(*file)) == found_in(file)


@pytest.mark.parametrize("missing", ["", "sched_getaffinity"])
def test_a_large_file_is_shared_as_the_system_allows(
    file: tuple[int, int], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(f"{SCAN}.LARGE", 1)
    monkeypatch.setattr(f"{SCAN}.PART", 2 * RANGE)
    if missing:
        monkeypatch.delattr(os, missing)
    assert list(scan_widely(*file)) == found_in(file)


@pytest.mark.parametrize(
    "program",
    [
        "exit 1",
        "echo this is no message, but long enough to be one; exec sleep 60",
        '{python} "$@" | head -c 2000',
        r"printf '\220'",
        "exec sleep 60",
        '{python} "$@" | {{ head -c 2000; exec sleep 3; }}',
    ],
    ids=["ends", "babbles", "dies", "says too little", "stalls", "stalls within a message"],
)
def test_a_process_that_fails_changes_nothing(
    file: tuple[int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: str,
) -> None:
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\n{program.format(python=shlex.quote(sys.executable))}\n")
    script.chmod(0o755)
    expected = found_in(file)
    monkeypatch.setattr(sys, "executable", str(script))
    monkeypatch.setattr(f"{SCAN}._PATIENCE_SECONDS", 1)
    assert list(scan_widely(*file, 1)) == expected


def test_a_process_that_cannot_start_changes_nothing(
    file: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert list(scan_widely(*file, 2)) == found_in(file)


def test_a_module_in_the_current_directory_is_not_run(
    file: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("msgspec", "struct", "intent_lsp"):
        (tmp_path / f"{name}.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)
    assert list(scan_widely(*file, 1)) == found_in(file)
    assert not (tmp_path / "run").exists()
