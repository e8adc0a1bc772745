"""Paths that no intent needs to own."""

from pathlib import Path

import pytest

from intent_lsp.store.unowned_places import is_temporary


def _no_user(_uid: int) -> None:
    raise KeyError("uid not found")


def test_a_user_may_have_no_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", _no_user)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    assert is_temporary(tmp_path / "root", str(tmp_path / "temporary" / "file"))
    assert not is_temporary(tmp_path / "root", str(tmp_path / "root" / "file"))
