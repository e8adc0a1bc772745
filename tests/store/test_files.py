"""Files are read and replaced whole, whatever is in their place."""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from intent_lsp.core.errors import FileChangedError, UnsafePathError
from intent_lsp.store import clock
from intent_lsp.store.fs import files, write

NAMES = ("plain", "sp ace [x]", "new\nline", "not\udcffutf8", "é", "x" * 255)
LONG = Path(*["d" * 200] * 18)


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_every_name_can_be_created_read_replaced_and_removed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert files.read_bytes(path) is None
    assert files.stamp(path) is None
    assert write.create_file(path, b"one")
    assert not write.create_file(path, b"two")
    assert files.read_bytes(path) == b"one"
    write.replace_file(path, b"two\0", root=tmp_path, expected=b"one")
    assert files.read_bytes(path) == b"two\0"
    assert write.remove_file(path)
    assert not write.remove_file(path)
    assert names(tmp_path) == []


def test_a_path_of_nearly_four_thousand_characters_works(tmp_path: Path) -> None:
    room = tmp_path / LONG
    room.mkdir(parents=True)
    write.replace_file(room / "f", b"x", root=tmp_path)
    assert files.read_bytes(room / "f") == b"x"


@pytest.mark.parametrize("name", ["x" * 5000, "nul\0", "file/below", "loop", "directory", "pipe"])
def test_what_is_no_regular_file_does_not_exist(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert files.read_bytes(tmp_path / name) is None
    assert files.stamp(tmp_path / name) is None


def test_a_stamp_tells_two_states_of_a_file_apart(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write.create_file(path, b"one")
    before = files.stamp(path)
    assert before is not None
    assert before.size == 3
    assert files.stamp(path) == before
    write.replace_file(path, b"two", root=tmp_path)
    after = files.stamp(path)
    assert after is not None
    assert after.identity != before.identity


def test_the_mode_stays_and_a_new_file_obeys_the_mask(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    path.chmod(0o751)
    write.replace_file(path, b"y", root=tmp_path)
    assert path.stat().st_mode & 0o777 == 0o751
    mask = os.umask(0o027)
    try:
        write.replace_file(tmp_path / "new", b"y", root=tmp_path)
        write.create_file(tmp_path / "private", b"y", mode=0o600)
    finally:
        os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


def test_the_owner_stays_where_we_may_give_files_away(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    path = tmp_path / "a"
    path.write_bytes(b"x")
    os.chown(path, 12345, 12346)
    write.replace_file(path, b"y", root=tmp_path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12346)


def test_a_link_stays_and_its_target_inside_the_root_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a").write_bytes(b"one")
    (tmp_path / "link").symlink_to("real/a")
    (tmp_path / "room").symlink_to("real")
    write.replace_file(tmp_path / "link", b"two", root=tmp_path, expected=b"one")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/a").read_bytes() == b"two"
    write.replace_file(tmp_path / "room/a", b"three", root=tmp_path)
    assert (tmp_path / "real/a").read_bytes() == b"three"
    (tmp_path / "dangling").symlink_to("real/new")
    write.replace_file(tmp_path / "dangling", b"four", root=tmp_path, expected=None)
    assert (tmp_path / "real/new").read_bytes() == b"four"


def test_a_link_that_leaves_the_root_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_bytes(b"theirs")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to("..")
    for name in ("link", "up/outside"):
        with pytest.raises(UnsafePathError) as caught:
            write.replace_file(root / name, b"ours", root=root)
        assert caught.value.cure
    assert (tmp_path / "outside").read_bytes() == b"theirs"


def test_a_root_that_is_a_link_itself_is_still_a_root(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "alias").symlink_to("root")
    write.replace_file(tmp_path / "alias/a", b"x", root=tmp_path / "alias")
    assert (tmp_path / "root/a").read_bytes() == b"x"


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    with pytest.raises(UnsafePathError):
        write.replace_file(tmp_path / "directory", b"x", root=tmp_path)


def test_a_file_that_somebody_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"theirs")
    for expected in (b"ours", b"", None):
        with pytest.raises(FileChangedError):
            write.replace_file(path, b"new", root=tmp_path, expected=expected)
    path.unlink()
    with pytest.raises(FileChangedError):
        write.replace_file(path, b"new", root=tmp_path, expected=b"theirs")
    assert names(tmp_path) == []


def test_a_read_only_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write.replace_file(path, b"y", root=tmp_path)
    assert path.read_bytes() == b"x"
    assert names(tmp_path) == ["a"]


def test_a_missing_directory_is_an_error_of_the_world(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write.replace_file(tmp_path / "no/a", b"x", root=tmp_path)
    with pytest.raises(FileNotFoundError):
        write.create_file(tmp_path / "no/a", b"x")


def test_nothing_is_left_behind_when_the_disk_fills_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(_descriptor: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="full"):
        write.replace_file(path, b"new", root=tmp_path)
    with pytest.raises(OSError, match="full"):
        write.create_file(tmp_path / "b", b"new")
    with pytest.raises(OSError, match="full"):
        write.create_cache_file(tmp_path / "c", b"new", mode=0o600)
    assert names(tmp_path) == ["a"]
    assert path.read_bytes() == b"old"


def test_a_file_system_without_hard_links_still_creates_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_arguments: object, **_options: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    path = tmp_path / "a"
    assert write.create_file(path, b"one", mode=0o600)
    assert not write.create_file(path, b"two")
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["a"]


def test_a_file_system_without_hard_links_keeps_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = os.write

    def full(_descriptor: int, _data: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    def refused(*_arguments: object, **_options: object) -> None:
        monkeypatch.setattr(os, "write", full)
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(OSError, match="full"):
        write.create_file(tmp_path / "a", b"one")
    assert names(tmp_path) == []
    monkeypatch.setattr(os, "write", written)
    (tmp_path / "a").write_bytes(b"theirs")
    assert not write.create_file(tmp_path / "a", b"one")
    assert (tmp_path / "a").read_bytes() == b"theirs"


def test_a_file_that_a_block_could_not_fill_is_removed(tmp_path: Path) -> None:
    def half() -> None:
        with write.new_file(tmp_path / "a") as append:
            append(b"one")
            raise FileExistsError

    with pytest.raises(FileExistsError):
        half()
    assert names(tmp_path) == []
    (tmp_path / "a").write_bytes(b"theirs")
    with pytest.raises(FileExistsError), write.new_file(tmp_path / "a"):
        pass
    assert (tmp_path / "a").read_bytes() == b"theirs"


def test_a_dangling_link_is_in_the_way_of_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert not write.create_file(tmp_path / "link", b"x")
    assert not (tmp_path / "nowhere").exists()


def test_a_cache_file_takes_the_place_of_another(tmp_path: Path) -> None:
    write.create_cache_file(tmp_path / "a", b"one", mode=0o600)
    write.create_cache_file(tmp_path / "a", b"two", mode=0o600)
    assert (tmp_path / "a").read_bytes() == b"two"
    (tmp_path / "d/x").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        write.create_cache_file(tmp_path / "d", b"x", mode=0o600)
    assert names(tmp_path) == ["a", "d"]


def test_a_directory_is_made_with_its_mode_or_refused(tmp_path: Path) -> None:
    write.make_directory(tmp_path / "a", mode=0o700)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    (tmp_path / "a").chmod(0o755)
    write.make_directory(tmp_path / "a", mode=0o700)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("a")
    for name in ("file", "link"):
        with pytest.raises(UnsafePathError):
            write.make_directory(tmp_path / name, mode=0o700)


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    contents = (b"a" * 100_000, b"b" * 200_000)
    path.write_bytes(contents[0])
    done = threading.Event()
    wrong: list[int] = []

    def read() -> None:
        while not done.is_set():
            data = files.read_bytes(path)
            if data not in contents:
                wrong.append(-1 if data is None else len(data))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(100):
        write.replace_file(path, contents[turn % 2], root=tmp_path)
    done.set()
    reader.join()
    assert wrong == []


def test_a_process_without_rights_is_told_so(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    tmp_path.chmod(0o755)
    path = tmp_path / "a"
    path.write_bytes(b"x")
    path.chmod(0o600)
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from intent_lsp.store.fs import files, write\n"
        "path = Path(sys.argv[1])\n"
        "os.chdir('/'); os.setgroups([]); os.setgid(12345); os.setuid(12345)\n"
        "for work in (lambda: files.read_bytes(path),\n"
        "             lambda: write.create_file(path.with_name('b'), b'x'),\n"
        "             lambda: write.replace_file(path, b'y', root=path.parent)):\n"
        "    try: print(work())\n"
        "    except PermissionError: print('refused')\n"
    )
    for above in list(tmp_path.parents)[:3]:
        above.chmod(above.stat().st_mode | 0o055)
    done = subprocess.run(
        [sys.executable, "-c", program, os.fspath(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["refused"] * 3


def test_the_clock_is_aware_and_ids_are_fresh() -> None:
    assert clock.now().utcoffset() is not None
    first, second = clock.new_id(), clock.new_id()
    assert first != second
    assert len(first) == 36
    assert first[14] == "4"
