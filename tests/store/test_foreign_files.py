"""A foreign file is read line by line, and no line is too long for the memory."""

import io
from pathlib import Path

import pytest

from intent_lsp.store.fs.files import MAX_LINE, foreign_lines
from intent_lsp.store.fs.write import new_file


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a\nb", [b"a\n", b"b"]),
        (b"a\r\n\n", [b"a\r\n", b"\n"]),
        (b"x" * (MAX_LINE - 1) + b"\n" + b"b\n", ["whole", b"b\n"]),
        (b"x" * MAX_LINE + b"\n" + b"b\n", [None, b"b\n"]),
        (b"x" * (3 * MAX_LINE) + b"\n" + b"b\n", [None, b"b\n"]),
        (b"x" * (2 * MAX_LINE), [None]),
    ],
    ids=range(7),
)
def test_lines_are_given_as_they_stand(data: bytes, lines: list[object]) -> None:
    found = list(foreign_lines(io.BytesIO(data)))
    assert [line if line is None or len(line) < MAX_LINE else "whole" for line in found] == lines


def test_a_new_file_holds_what_was_written(tmp_path: Path) -> None:
    with new_file(tmp_path / "a") as write:
        write(b"1\n")
        write(b"2\n")
    assert (tmp_path / "a").read_bytes() == b"1\n2\n"


def test_nothing_that_was_there_is_touched(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("a", "link"):
        with pytest.raises(FileExistsError), new_file(tmp_path / name) as write:
            write(b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert not (tmp_path / "nowhere").exists()


def test_half_an_export_does_not_stay(tmp_path: Path) -> None:
    def broken() -> None:
        with new_file(tmp_path / "a") as write:
            write(b"1\n")
            raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert list(tmp_path.iterdir()) == []
