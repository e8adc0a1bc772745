"""How a connection reaches a root: by its workspace folders."""

from pathlib import Path

import pytest

from intent_lsp.doors.lsp.runtime.open_root import in_reach


@pytest.mark.parametrize(
    ("root", "folder", "near"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b", "/a", True),
        ("/a", "/a/b", True),
        ("/a/b", "/a/c", False),
        ("/a/b", "/a/bc", False),
    ],
)
def test_a_root_is_in_reach_of_the_folders_that_it_lies_in_or_above(
    tmp_path: Path, root: str, folder: str, near: object
) -> None:
    assert in_reach(f"{tmp_path}{root}", (f"{tmp_path}{folder}",)) is near
    assert in_reach(f"{tmp_path}{root}", ())


def test_a_folder_is_compared_as_it_really_is_too(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert in_reach(f"{tmp_path}/real", (f"{tmp_path}/link",))
