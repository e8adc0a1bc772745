"""What each intent touched last, asked of the index: whole, or since a mark (ledger section 4)."""

import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import Record, RecordFile
from intent_lsp.store.ledger.index.queries import Query, TouchedFiles
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.raw.files import SEGMENT_ROOM
from tests.support.ledgers import HASH, edit, ledger_at, lines_of, put_lines

NAMES = st.sampled_from(["a.py", "b.py", "ö/\udcff.py"])
INTENTS = st.sampled_from(["INT-1", "INT-2", None])
STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.tuples(NAMES, INTENTS), max_size=4)), max_size=8
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_at(tmp_path)


def put(ledger: Ledger, path: str, intent_id: str | None = "INT-1") -> Record:
    return ledger.append(edit(path, intent_id=intent_id))


def newest_records(found: TouchedFiles) -> dict[tuple[str, str], str]:
    return {(each.intent_id, each.path): each.record.id for each in found.files}


def test_an_empty_ledger_has_no_mark(ledger: Ledger) -> None:
    assert ledger.index.touched_files(None) == TouchedFiles((), whole=True, mark=None)


def test_the_newest_record_of_each_intent_for_each_file_is_told(ledger: Ledger) -> None:
    put(ledger, "a.py")
    put(ledger, "nobody.py", None)
    newest = put(ledger, "a.py"), put(ledger, "b.py"), put(ledger, "a.py", "INT-2")
    found = ledger.index.touched_files(None)
    assert found.whole
    assert newest_records(found) == {
        ("INT-1", "a.py"): newest[0].id,
        ("INT-1", "b.py"): newest[1].id,
        ("INT-2", "a.py"): newest[2].id,
    }


def test_since_a_mark_only_what_is_new_is_told(ledger: Ledger) -> None:
    for name in ("a.py", "b.py", "c.py"):
        put(ledger, name)
    mark = ledger.index.touched_files(None).mark
    same = ledger.index.touched_files(mark)
    assert same == TouchedFiles((), whole=False, mark=mark)
    newest = put(ledger, "b.py")
    found = ledger.index.touched_files(mark)
    assert not found.whole
    assert newest_records(found) == {("INT-1", "b.py"): newest.id}
    assert ledger.index.touched_files(found.mark).files == ()


def test_both_names_of_a_rename_are_touched(ledger: Ledger) -> None:
    moved = RecordFile(
        relative_path="new.py", previous_path="old.py", pre_hash=HASH, post_hash=HASH
    )
    record = ledger.append(edit("x", intent_id="INT-1", files=(moved,)))
    assert newest_records(ledger.index.touched_files(None)) == {
        ("INT-1", "new.py"): record.id,
        ("INT-1", "old.py"): record.id,
    }


def test_another_ledger_in_its_place_is_told_whole(ledger: Ledger, tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        put(ledger, name)
    mark = ledger.index.touched_files(None).mark
    put_lines(tmp_path, lines_of(tmp_path)[:-1])
    put(ledger, "d.py")
    # As many records as before, and another one at the end.
    found = ledger.index.touched_files(mark)
    assert found.whole
    assert {path for _, path in newest_records(found)} == {"a.py", "b.py", "d.py"}


def test_older_records_from_another_branch_are_told_whole(ledger: Ledger, tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        put(ledger, name)
    lines = lines_of(tmp_path)
    put_lines(tmp_path, lines[1:])
    mark = ledger.index.touched_files(None).mark
    put_lines(tmp_path, lines)
    found = ledger.index.touched_files(mark)
    assert found.whole
    assert {path for _, path in newest_records(found)} == {"a.py", "b.py", "c.py"}


def test_names_that_are_not_utf_8_are_given_as_the_disk_has_them(ledger: Ledger) -> None:
    put(ledger, "odd\udcff.py")
    assert list(newest_records(ledger.index.touched_files(None))) == [("INT-1", "odd\udcff.py")]


@given(STEPS)
def test_whatever_files_come_and_go_the_newest_are_told(
    steps: list[tuple[int, list[tuple[str, str | None]]]],
) -> None:
    """Each step puts another segment in the place of one of three, an empty one takes it away."""
    with tempfile.TemporaryDirectory() as directory:
        root, elsewhere = Path(directory, "root"), Path(directory, "elsewhere")
        elsewhere.mkdir()
        (root / SEGMENT_ROOM).mkdir(parents=True)
        with closing(ledger_at(root)) as ledger, closing(ledger_at(elsewhere)) as other:
            for number, touched in steps:
                segment = root / SEGMENT_ROOM / f"{number}.jsonl"
                segment.unlink(missing_ok=True)
                before = len(lines_of(elsewhere)) if (elsewhere / LEDGER_FILE).exists() else 0
                for name, intent_id in touched:
                    put(other, name, intent_id)
                if touched:
                    segment.write_bytes(b"".join(lines_of(elsewhere)[before:]))
                assert newest_records(ledger.index.touched_files(None)) == newest(ledger)


def newest(ledger: Ledger) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for record in ledger.index.query(Query(), limit=999).records:
        for file in record.files if record.intent_id is not None else ():
            found.setdefault((record.intent_id or "", file.path), record.id)
    return found
