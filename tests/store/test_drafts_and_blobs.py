"""Drafts, which are never lost, and snapshots, which may be."""

import json
import os
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import EMPTY_HASH, ContentHash, hash_content
from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state.blob_cache import BlobCache
from intent_lsp.store.state.drafts import Draft, Drafts

NOON = datetime(2026, 2, 16, 12, tzinfo=UTC)
PATH = WorkspacePath("src/a.py")
UNREADABLE = Path("/proc/self/mem")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".orchestration").mkdir()
    return tmp_path


def write(drafts: Drafts, text: str = "text", *, at: datetime = NOON, path: str = PATH) -> Draft:
    return drafts.write(
        Draft(
            path=WorkspacePath(path),
            base_hash=EMPTY_HASH,
            text=text,
            session_id="one",
            code="SCOPE_VIOLATION",
            intent_id="INT-001",
            created_at=timestamp(at),
        )
    )


def test_a_draft_is_given_back_as_it_was_written(root: Path) -> None:
    drafts = Drafts(root)
    draft = write(drafts, "a\r\n\0é\ud800", path="odd\udcff\n")
    assert drafts.get(draft.id) == draft
    assert drafts.list() == (draft,)
    path = root / f".orchestration/.local/drafts/{draft.id}.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(path.read_text())) == {
        "path",
        "base_hash",
        "text",
        "session_id",
        "code",
        "intent_id",
        "created_at",
    }
    assert draft.id.startswith("20260216T120000Z-")


def test_a_draft_of_a_new_file_without_an_intent_is_kept(root: Path) -> None:
    drafts = Drafts(root)
    draft = drafts.write(
        Draft(
            path=PATH,
            base_hash=None,
            text="",
            session_id="",
            code="",
            intent_id=None,
            created_at=timestamp(NOON),
        )
    )
    assert drafts.get(draft.id) == draft


@given(st.lists(st.text(max_size=50), max_size=4))
def test_every_text_is_kept(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    root = tmp_path_factory.mktemp("drafts")
    (root / ".orchestration").mkdir()
    drafts = Drafts(root)
    written = {write(drafts, text) for text in texts}
    assert set(drafts.list()) == written


def test_drafts_are_listed_by_path_the_newest_first(root: Path) -> None:
    drafts = Drafts(root)
    assert drafts.list() == ()
    old = write(drafts, at=NOON - timedelta(hours=1))
    new = write(drafts)
    other = write(drafts, at=NOON + timedelta(hours=1), path="b")
    assert drafts.list() == (other, new, old)
    assert drafts.list(PATH) == (new, old)


def test_a_restored_draft_is_deleted(root: Path) -> None:
    drafts = Drafts(root)
    draft = write(drafts)
    assert drafts.delete(draft.id)
    assert not drafts.delete(draft.id)
    assert drafts.get(draft.id) is None


@pytest.mark.parametrize("draft_id", ["../../active_intents", "", "20260216T120000Z-0", "a\0b"])
def test_an_id_that_is_none_leads_nowhere(root: Path, draft_id: str) -> None:
    (root / ".orchestration/active_intents.json").write_text("{}")
    drafts = Drafts(root)
    write(drafts)
    assert drafts.get(draft_id) is None
    assert not drafts.delete(draft_id)


def test_drafts_older_than_thirty_days_are_pruned(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    drafts = Drafts(root)
    assert drafts.prune(NOON) == 0
    write(drafts, at=NOON - timedelta(days=31))
    kept = write(drafts, at=NOON - timedelta(days=29))
    assert drafts.prune(NOON) == 1
    assert drafts.list() == (kept,)
    (root / ".orchestration/.local/drafts/20000101T000000Z-00000000.json").mkdir()
    assert drafts.prune(NOON) == 0
    assert "cannot be removed" in caplog.text


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"{}", b'{"path": 1}', b"\xff", b"[" * 100_000, b'"\\ud800"'],
    ids=lambda content: repr(content[:12]),
)
def test_a_damaged_draft_is_logged_and_left_out(
    root: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    drafts = Drafts(root)
    draft = write(drafts)
    name = "20260217T120000Z-0123abcd"
    (root / f".orchestration/.local/drafts/{name}.json").write_bytes(content)
    assert drafts.list() == (draft,)
    assert f"draft {name} cannot be read" in caplog.text
    assert drafts.get(name) is None
    assert drafts.list(PATH) == (draft,)


def test_files_that_are_no_drafts_are_left_alone(root: Path) -> None:
    drafts = Drafts(root)
    draft = write(drafts)
    (root / ".orchestration/.local/drafts/notes.txt").write_text("mine")
    (root / ".orchestration/.local/drafts/20260217T120000Z-0123abcd.json").mkdir()
    assert drafts.list() == (draft,)


def test_a_draft_that_cannot_be_kept_is_an_error(root: Path, tmp_path: Path) -> None:
    (root / ".orchestration/.local").touch()
    with pytest.raises(UnsafePathError):
        write(Drafts(root))
    with pytest.raises(FileNotFoundError):
        write(Drafts(tmp_path / "nowhere"))


def test_a_name_that_is_always_taken_is_an_error(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda size: "0" * (2 * size))
    drafts = Drafts(root)
    write(drafts)
    with pytest.raises(FileExistsError):
        write(drafts)


# Larger than what is packed here, and yet something that could be unpacked.
PACKED_BY_ITS_AUTHOR = zlib.compress(b"x" * 100_000, 0)


@pytest.mark.parametrize(
    "data",
    [b"", b"a\r\n\0\xff", b"x" * 100_000, zlib.compress(b"data"), PACKED_BY_ITS_AUTHOR],
    ids=len,
)
def test_a_content_is_given_back_by_its_hash(root: Path, data: bytes) -> None:
    snapshots = BlobCache(root)
    found = snapshots.put(data)
    assert found == hash_content(data)
    assert snapshots.put(data) == found
    assert snapshots.get(found) == data
    assert BlobCache(root).get(found) == data


@pytest.mark.parametrize("name", ["", "sha256:../x", "../../x", "sha256:" + "0" * 64])
def test_what_was_never_kept_is_not_there(root: Path, name: str) -> None:
    assert BlobCache(root).get(ContentHash(name)) is None


def kept(root: Path) -> list[Path]:
    return sorted((root / ".orchestration/.local/snapshots").iterdir())


LARGE = b"0123456789\n" * 20_000


def place_of(root: Path, content_hash: ContentHash) -> Path:
    (path,) = (file for file in kept(root) if content_hash.endswith(file.name))
    return path


def cut(stored: bytes) -> bytes:
    return stored[:-1]


def turned(stored: bytes) -> bytes:
    return bytes([stored[0] ^ 1]) + stored[1:]


def emptied(_stored: bytes) -> bytes:
    return b""


def replaced(_stored: bytes) -> bytes:
    return zlib.compress(b"other")


@pytest.mark.parametrize("data", [b"data", LARGE], ids=len)
@pytest.mark.parametrize("damage", [cut, turned, emptied, replaced])
def test_a_damaged_content_is_dropped_and_can_be_kept_again(
    root: Path,
    data: bytes,
    damage: Callable[[bytes], bytes],
    caplog: pytest.LogCaptureFixture,
) -> None:
    snapshots = BlobCache(root)
    found = snapshots.put(data)
    path = place_of(root, found)
    path.write_bytes(damage(path.read_bytes()))
    assert snapshots.get(found) is None
    assert "damaged" in caplog.text
    assert kept(root) == []
    assert snapshots.put(data) == found
    assert snapshots.get(found) == data


def test_a_damaged_content_is_not_given_out_although_it_was_put_again(root: Path) -> None:
    snapshots = BlobCache(root)
    found = snapshots.put(b"data")
    place_of(root, found).write_bytes(b"rubbish")
    snapshots.put(b"data")
    assert snapshots.get(found) in (None, b"data")
    # Whoever was told that it is not there can keep it again.
    snapshots.put(b"data")
    assert snapshots.get(found) == b"data"


@pytest.mark.skipif(not UNREADABLE.exists(), reason="no file that cannot be read")
def test_a_content_that_cannot_be_read_is_dropped_and_can_be_kept_again(root: Path) -> None:
    snapshots = BlobCache(root)
    found = snapshots.put(b"data")
    path = place_of(root, found)
    path.unlink()
    path.symlink_to(UNREADABLE)
    assert snapshots.get(found) is None
    assert kept(root) == []
    snapshots.put(b"data")
    assert snapshots.get(found) == b"data"


def test_a_file_that_a_lost_disk_has_left_empty_is_written_again(root: Path) -> None:
    snapshots = BlobCache(root)
    found = snapshots.put(b"data")
    place_of(root, found).write_bytes(b"")
    snapshots.put(b"data")
    assert snapshots.get(found) == b"data"


@pytest.mark.parametrize("data", [b"data", LARGE], ids=len)
def test_what_is_kept_is_not_written_again(root: Path, data: bytes) -> None:
    found = BlobCache(root).put(data)
    before = place_of(root, found).stat()
    assert BlobCache(root).put(data) == found
    after = place_of(root, found).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_hash_that_is_known_is_taken_and_a_wrong_one_leads_to_nothing(root: Path) -> None:
    snapshots = BlobCache(root)
    known = hash_content(b"data")
    assert snapshots.put(b"data", known) == known
    assert snapshots.get(known) == b"data"
    wrong = snapshots.put(b"more", hash_content(b"less"))
    assert snapshots.get(wrong) is None


def test_what_cannot_be_written_over_is_reported(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    snapshots = BlobCache(root)
    path = place_of(root, snapshots.put(b"data"))
    path.unlink()
    path.mkdir()
    assert snapshots.get(snapshots.put(b"data")) is None
    assert "not kept" in caplog.text


@pytest.mark.parametrize("name", [".local/snapshots", ".local"])
def test_nothing_is_kept_through_a_link_that_took_the_rooms_place(
    root: Path,
    name: str,
    tmp_path_factory: pytest.TempPathFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    snapshots = BlobCache(root)
    snapshots.put(b"data")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "snapshots").mkdir()
    room = root / ".orchestration" / name
    room.rename(root / "moved")
    room.symlink_to(outside)
    found = snapshots.put(b"more")
    assert "not kept" in caplog.text
    assert snapshots.get(found) is None
    assert [path for path in outside.rglob("*") if path.is_file()] == []


def test_the_oldest_contents_make_room(root: Path) -> None:
    snapshots = BlobCache(root, max_bytes=5_000)
    hashes = []
    for number in range(8):
        found = snapshots.put(os.urandom(1_000))
        hashes.append(found)
        (path,) = (file for file in kept(root) if found.endswith(file.name))
        os.utime(path, (number, number))
    assert snapshots.get(hashes[0]) is None
    assert snapshots.get(hashes[-1]) is not None
    assert sum(path.stat().st_size for path in kept(root)) <= 5_000
    again = BlobCache(root, max_bytes=1_500)
    newest = again.put(os.urandom(1_000))
    assert [path.name for path in kept(root)] == [newest.removeprefix("sha256:")]


def test_room_is_made_a_few_contents_at_a_time(root: Path) -> None:
    snapshots = BlobCache(root, max_bytes=41_000)
    counts = []
    for number in range(50):
        found = snapshots.put(os.urandom(1_000))
        (path,) = (file for file in kept(root) if found.endswith(file.name))
        os.utime(path, (number, number))
        counts.append(len(kept(root)))
    assert max(counts) == 40
    assert min(counts[40:]) < 36
    assert all(later - earlier >= 1 - 4 for earlier, later in pairwise(counts))


def test_what_is_kept_again_does_not_go_with_the_old(root: Path) -> None:
    snapshots = BlobCache(root, max_bytes=41_000)
    contents = [os.urandom(1_000) for _ in range(41)]
    for number, data in enumerate(contents):
        found = snapshots.put(data)
        (path,) = (file for file in kept(root) if found.endswith(file.name))
        os.utime(path, (number, number))
    again = snapshots.put(contents[5])
    for _ in range(4):
        snapshots.put(os.urandom(1_000))
    assert snapshots.get(again) == contents[5]
    assert snapshots.get(hash_content(contents[6])) is None


def test_a_content_larger_than_the_room_is_not_kept(root: Path) -> None:
    snapshots = BlobCache(root, max_bytes=500)
    assert snapshots.get(snapshots.put(os.urandom(1_000))) is None


def test_a_room_that_goes_away_is_made_again(root: Path) -> None:
    snapshots = BlobCache(root)
    found = snapshots.put(b"data")
    for path in kept(root):
        path.unlink()
    (root / ".orchestration/.local/snapshots").rmdir()
    assert snapshots.get(found) is None
    assert snapshots.get(snapshots.put(b"data")) == b"data"


def test_where_nothing_can_be_kept_the_hash_is_given_all_the_same(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (root / ".orchestration/.local").touch()
    snapshots = BlobCache(root)
    found = snapshots.put(b"data")
    assert found == hash_content(b"data")
    assert snapshots.get(found) is None
    assert "not kept" in caplog.text
