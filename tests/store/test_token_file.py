"""The token file: whom it may be read by, and what it may hold."""

import os
import stat
from pathlib import Path

import pytest

from intent_lsp.store.fs.token_file import TokenFileError, token_of


def test_a_file_that_is_not_there_is_made_with_a_fresh_token(tmp_path: Path) -> None:
    path = tmp_path / "token"
    before = os.umask(0)
    try:
        token = token_of(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == f"{token}\n"
    assert len(token) > 40
    assert token_of(path) == token
    assert token_of(tmp_path / "another") != token


@pytest.mark.parametrize("held", ["x" * 16, "  only-we-two-know-it\r\n", "y" * 1024 + "\n"])
def test_a_token_stands_alone_in_its_file(held: str, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(held)
    path.chmod(0o400)
    assert token_of(path) == held.strip()


@pytest.mark.parametrize(
    "held", [b"", b"\n", b"too-short", b"x" * 1025, b"x" * 9999, b"two words of it", b"\xff" * 20]
)
def test_what_is_no_token_is_refused_and_kept(held: bytes, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_bytes(held)
    path.chmod(0o600)
    with pytest.raises(TokenFileError, match="contains no token") as refused:
        token_of(path)
    assert "new token" in refused.value.cure
    assert path.read_bytes() == held


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o620, 0o601, 0o777])
def test_a_file_that_others_may_touch_is_refused(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("only-we-two-know-it")
    path.chmod(mode)
    with pytest.raises(TokenFileError, match="gives other users access") as refused:
        token_of(path)
    assert "chmod 600" in refused.value.cure


def test_what_is_no_file_of_its_own_is_refused(tmp_path: Path) -> None:
    real, link, dangling, pipe = (tmp_path / name for name in ("real", "link", "dangling", "pipe"))
    token_of(real)
    link.symlink_to(real)
    dangling.symlink_to(tmp_path / "nowhere")
    os.mkfifo(pipe, 0o600)
    for path, problem in (
        (link, "is a symbolic link"),
        (dangling, "is a symbolic link"),
        (pipe, "is not a regular file"),
        (tmp_path, "cannot be used|is not a regular file"),
        (tmp_path / "no" / "token", "cannot be used: No such file"),
    ):
        with pytest.raises(TokenFileError, match=problem):
            token_of(path)
    assert not (tmp_path / "nowhere").exists()
