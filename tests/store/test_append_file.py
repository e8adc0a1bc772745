"""Lines appended to a file that people read: whole, at its end, and to a file alone.

Specified in requirements section 2.
"""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.store.append_file import append_text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"line\n"),
        (b"", b"line\n"),
        (b"old\n", b"old\nline\n"),
        (b"old\r\n", b"old\r\nline\n"),
        (b"old\r", b"old\rline\n"),
        (b"torn", b"torn\nline\n"),
        (b"\n\n", b"\n\nline\n"),
        (b"\xff\xfe torn\0", b"\xff\xfe torn\0\nline\n"),
    ],
)
def test_a_line_begins_where_the_last_one_ends(
    tmp_path: Path, before: bytes | None, after: bytes
) -> None:
    path = tmp_path / "file.md"
    if before is not None:
        path.write_bytes(before)
    append_text(path, "line\n")
    assert path.read_bytes() == after


def test_what_is_no_text_becomes_a_question_mark(tmp_path: Path) -> None:
    path = tmp_path / "file.md"
    append_text(path, "é\ud800\udcff日\n")
    assert path.read_text() == "é??日\n"


def test_mode_and_file_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "file.md"
    path.write_text("old\n")
    path.chmod(0o640)
    os.link(path, tmp_path / "second")
    append_text(path, "line\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "second").read_text() == "old\nline\n"


def a_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def a_dangling_link(path: Path, outside: Path) -> None:
    path.symlink_to(outside.with_name("nowhere"))


def a_loop(path: Path, _outside: Path) -> None:
    path.symlink_to(path)


def a_directory(path: Path, _outside: Path) -> None:
    path.mkdir()


def a_link_to_a_directory(path: Path, outside: Path) -> None:
    path.symlink_to(outside.parent)


def a_pipe(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    "stand", [a_link, a_dangling_link, a_loop, a_directory, a_link_to_a_directory, a_pipe]
)
def test_what_is_no_plain_file_is_refused(
    tmp_path: Path, stand: Callable[[Path, Path], None]
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("theirs\n")
    path = tmp_path / "file.md"
    stand(path, outside)
    with pytest.raises(UnsafePathError, match="is not a regular file"):
        append_text(path, "line\n")
    assert outside.read_text() == "theirs\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file.md", "outside.md"]


@pytest.mark.parametrize("name", ["missing/file.md", "x" * 300])
def test_a_name_that_cannot_be_is_the_systems_own_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"No such file|too long"):
        append_text(tmp_path / name, "line\n")


def test_a_write_in_pieces_is_written_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def few(descriptor: int, data: Any) -> int:
        return real(descriptor, bytes(data[:3]))

    monkeypatch.setattr(os, "write", few)
    append_text(tmp_path / "file.md", "a whole line\n")
    assert (tmp_path / "file.md").read_text() == "a whole line\n"


def test_after_a_full_disk_the_next_line_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def full(descriptor: int, data: Any) -> int:
        if len(data) < 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, bytes(data[:7]))

    path = tmp_path / "file.md"
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            append_text(path, "a whole line\n")
    append_text(path, "another\n")
    assert path.read_text() == "a whole\nanother\n"


def test_lines_of_many_writers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "file.md"
    program = (
        "import sys; from pathlib import Path\n"
        "from intent_lsp.store.append_file import append_text\n"
        "for n in range(50): append_text(Path(sys.argv[1]), 'process ' * 500 + '\\n')\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(path)]) as process:
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: append_text(path, "thread " * 500 + "\n"), range(50)))
        assert process.wait() == 0
    lines = path.read_text().splitlines()
    assert sorted(set(lines)) == ["process " * 500, "thread " * 500]
    assert len(lines) == 100
