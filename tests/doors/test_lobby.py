"""What a lobby takes for a control file, and how a connection reaches its root."""

from pathlib import Path

import pytest

from intent_lsp.core.findings import Severity
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from intent_lsp.doors.lsp.bootstrap import control_file
from intent_lsp.doors.lsp.runtime.reach import in_reach
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, Settings
from intent_lsp.store.fs.resolve import is_directory


@pytest.fixture
def governed(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / ".orchestration").mkdir(parents=True)
    (root / INTENTS_FILE).write_text("active_intents: []\n")
    return root


def test_the_intents_file_and_the_policy_of_a_governed_root_are_control_files(
    governed: Path,
) -> None:
    for name in (INTENTS_FILE, POLICY_FILE):
        assert control_file(str(governed / name), (str(governed),)) == (governed, name)
        assert control_file(str(governed / name), ()) == (governed, name)


@pytest.mark.parametrize("name", ["a.py", f"below/{INTENTS_FILE}", ".orchestration/other.yaml"])
def test_no_other_file_of_a_root_is_one(governed: Path, name: str) -> None:
    assert control_file(str(governed / name), ()) is None


def test_a_root_out_of_reach_and_a_path_without_governance_have_none(
    governed: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    assert control_file(str(governed / INTENTS_FILE), (str(elsewhere),)) is None
    assert control_file(str(elsewhere / INTENTS_FILE), ()) is None


def test_a_path_that_cannot_be_asked_for_is_none(governed: Path) -> None:
    assert control_file(f"{governed}/\0/{INTENTS_FILE}", (str(governed),)) is None
    assert control_file(f"{governed}/{'x' * 300}/{INTENTS_FILE}", (str(governed),)) is None


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


def test_the_newest_settings_say_how_loud_a_code_is() -> None:
    settings = LiveSettings(Settings())
    assert settings.severity("X", Severity.ERROR, "a.py") is Severity.ERROR
    settings.now = Settings(severity={"X": Severity.HINT, "Y": None}, exclude=("docs/**",))
    assert settings.severity("X", Severity.ERROR, "a.py") is Severity.HINT
    assert settings.severity("Y", Severity.ERROR, "a.py") is None
    assert settings.severity("X", Severity.ERROR, "docs/a.md") is None


def test_a_directory_is_one_by_its_root_relative_name(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "file").touch()
    assert is_directory(tmp_path, "src")
    assert not any(is_directory(tmp_path, name) for name in ("file", "none", "..", "", "/"))
