"""The files of a ledger: which they are, in which order, and what is none of them."""

import os
from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, SEGMENT_ROOM, LedgerFiles, Strange

NAMES = (
    f"{ARCHIVE_ROOM}/agent_trace-1.jsonl",
    f"{ARCHIVE_ROOM}/agent_trace-2.jsonl",
    LEDGER_FILE,
    f"{SEGMENT_ROOM}/a.jsonl",
    f"{SEGMENT_ROOM}/b.jsonl",
)
OTHERS = (
    f"{ARCHIVE_ROOM}/other.jsonl",
    f"{ARCHIVE_ROOM}/.tmp-agent_trace-1.jsonl",
    f"{SEGMENT_ROOM}/a.json",
    ".orchestration/agent_trace.jsonl.orig",
)


def put(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(name))


def test_they_are_listed_in_reading_order(tmp_path: Path) -> None:
    put(tmp_path, *reversed(NAMES), *OTHERS)
    files = LedgerFiles(tmp_path)
    assert files.names() == NAMES
    assert tuple(stamp.file for stamp in files.stamp()) == NAMES
    assert tuple(files.strange()) == ()


def test_without_any_there_is_nothing_to_tell(tmp_path: Path) -> None:
    files = LedgerFiles(tmp_path)
    assert (files.names(), files.stamp(), tuple(files.strange())) == ((), (), ())


@pytest.mark.parametrize("name", NAMES)
def test_their_stamp_changes_with_each_of_them(tmp_path: Path, name: str) -> None:
    put(tmp_path, *NAMES)
    files = LedgerFiles(tmp_path)
    told = {files.stamp()}
    assert files.stamp() in told
    with (tmp_path / name).open("ab") as file:
        file.write(b"x")
    told.add(files.stamp())
    held = (tmp_path / name).read_bytes()
    (tmp_path / name).rename(tmp_path / "kept")
    told.add(files.stamp())
    (tmp_path / name).write_bytes(held)
    told.add(files.stamp())
    assert len(told) == 4


def test_what_has_the_main_files_name_is_listed_whatever_it_is(tmp_path: Path) -> None:
    (tmp_path / LEDGER_FILE).mkdir(parents=True)
    assert LedgerFiles(tmp_path).names() == (LEDGER_FILE,)


def test_a_name_that_is_no_text_is_told_in_another_spelling(tmp_path: Path) -> None:
    put(tmp_path, f"{SEGMENT_ROOM}/\udcff.jsonl")
    (strange,) = LedgerFiles(tmp_path).strange()
    assert strange.file == f"{SEGMENT_ROOM}/\\xff.jsonl"
    assert strange.problem == "its name is not UTF-8"
    assert LedgerFiles(tmp_path).names() == ()


def test_a_linked_directory_is_told_as_a_link(tmp_path: Path) -> None:
    (tmp_path / SEGMENT_ROOM).parent.mkdir()
    (tmp_path / SEGMENT_ROOM).symlink_to(tmp_path)
    (strange,) = LedgerFiles(tmp_path).strange()
    assert strange == Strange(SEGMENT_ROOM, "it is a symbolic link")
