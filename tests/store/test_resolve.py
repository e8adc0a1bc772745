"""Where a path leads, which root governs it, and what the local directory refuses."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.local_dir import (
    ensure_local_directory,
    find_local_directory,
    open_local_directory,
)
from intent_lsp.store.fs.resolve import ResolvedPath, case_sensitive, is_directory, resolve_below
from intent_lsp.store.fs.root_search import is_git_top
from intent_lsp.store.fs.roots import RootsBelow, governed_root


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


def place(path: str, real: str | None) -> ResolvedPath:
    return ResolvedPath(WorkspacePath(path), None if real is None else WorkspacePath(real))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    (made / "src").mkdir(parents=True)
    (made / "src/a.py").touch()
    (tmp_path / "outside").mkdir()
    return made


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//b/../a.py", "src/a.py"),
        ("src/new/deep", "src/new/deep"),
        ("é\udcff\n[x]", "é\udcff\n[x]"),
        ("x/" * 1999 + "y", "x/" * 1999 + "y"),
    ],
)
def test_a_plain_path_goes_where_it_says(root: Path, path: str, expected: str) -> None:
    assert resolve_below(root, path) == place(expected, expected)
    assert resolve_below(root, f"{root}/{path}") == place(expected, expected)


@pytest.mark.parametrize("path", ["", ".", "/", "..", "../outside", "/etc", "../" * 99, "nul\0"])
def test_what_is_outside_or_the_root_itself_has_no_place(root: Path, path: str) -> None:
    assert resolve_below(root, path) is None


def test_a_path_is_followed_to_where_its_bytes_go(root: Path) -> None:
    (root / "link.py").symlink_to("src/a.py")
    (root / "room").symlink_to("src")
    (root / "out").symlink_to("../outside")
    (root / "gone").symlink_to("src/later/new.py")
    assert resolve_below(root, "link.py") == place("link.py", "src/a.py")
    assert resolve_below(root, "room/new/x.py") == place("room/new/x.py", "src/new/x.py")
    assert resolve_below(root, "out/x.py") == place("out/x.py", None)
    assert resolve_below(root, "gone") == place("gone", "src/later/new.py")


def test_a_root_is_compared_as_given_and_as_resolved(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to("root")
    alias = tmp_path / "alias"
    expected = place("src/a.py", "src/a.py")
    assert resolve_below(alias, f"{alias}/src/a.py") == expected
    assert resolve_below(alias, f"{root}/src/a.py") == expected
    assert resolve_below(root, f"{alias}/src/a.py") is None


@given(st.text(alphabet=st.sampled_from("a./\\é\n\udc80\ud800~"), max_size=30))
def test_any_path_has_a_place_inside_or_none(path: str) -> None:
    found = resolve_below(Path("/some/root"), path)
    if found is not None:
        assert ".." not in found.path.split("/")
        assert found.real == found.path


def test_letter_case_counts_on_this_file_system(root: Path) -> None:
    probe = root / "SRC"
    assert case_sensitive(root) is not probe.exists()
    (root / "SRC").mkdir(exist_ok=True)
    assert case_sensitive(root) is (len(names(root)) == 2)


def test_where_nothing_can_be_asked_the_system_decides(root: Path) -> None:
    for name in ("1", "2\udcff"):
        (root / "outer" / name).mkdir(parents=True)
    assert case_sensitive(root / "outer")
    assert case_sensitive(root / "nowhere")
    (root / "outer" / ("x" * 255)).mkdir()
    assert case_sensitive(root / "outer")


def test_asking_for_letter_case_writes_nothing(root: Path) -> None:
    before = root.stat().st_mtime_ns
    case_sensitive(root)
    assert root.stat().st_mtime_ns == before


def govern(directory: Path) -> Path:
    (directory / ".orchestration").mkdir(parents=True, exist_ok=True)
    (directory / ".orchestration/active_intents.yaml").touch()
    return directory


def test_the_nearest_governed_ancestor_governs(root: Path) -> None:
    govern(root)
    inner = govern(root / "src/inner")
    assert governed_root(str(root / "src/a.py")) == root
    assert governed_root(str(root)) == root
    assert governed_root(f"{inner}/not/yet") == inner
    assert governed_root(f"{root}/.orchestration/active_intents.yaml") == root
    assert governed_root(f"{root}/src/\udcff\n/x") == root


@pytest.mark.parametrize("path", ["nul\0", "x" * 5000, "src/a.py/below", "y/" * 4000])
def test_odd_paths_are_governed_by_what_is_above_them(root: Path, path: str) -> None:
    govern(root)
    assert governed_root(f"{root}/{path}") == root


def test_nothing_on_the_way_up_is_dormant(root: Path) -> None:
    assert governed_root(str(root / "src/a.py")) is None


@pytest.mark.parametrize("ledger", ["agent_trace.jsonl", "trace/x.jsonl", "archive/x.jsonl"])
def test_a_ledger_without_intents_governs(root: Path, ledger: str) -> None:
    govern(root.parent)
    path = root / ".orchestration" / ledger
    path.parent.mkdir(parents=True)
    path.touch()
    assert governed_root(str(root / "src/a.py")) == root


def test_an_empty_control_room_governs_nothing(root: Path) -> None:
    (root / ".orchestration/trace").mkdir(parents=True)
    (root / ".orchestration/trace/README").touch()
    assert governed_root(str(root)) is None


def test_the_search_ends_at_a_git_top_level(root: Path) -> None:
    govern(root)
    inner = root / "vendor/lib"
    (inner / ".git").mkdir(parents=True)
    assert governed_root(str(inner / "x")) == root
    (inner / ".git/HEAD").touch()
    assert governed_root(str(inner / "x")) is None
    linked = root / "vendor/linked"
    linked.mkdir()
    (linked / ".git").write_text("gitdir: elsewhere\n")
    assert is_git_top(linked)
    assert governed_root(str(linked / "x")) is None
    govern(linked)
    assert governed_root(str(linked / "x")) == linked


def test_a_repository_too_deep_to_be_looked_into_begins_nowhere(root: Path) -> None:
    longest = os.pathconf(root, "PC_PATH_MAX") - 1
    deep = root
    while (left := longest - len(os.fspath(deep)) - len("/.git")) > 1:
        deep /= "x" * (min(left - 1, 200) if left > 202 else left - 1)
        deep.mkdir()
    (deep / ".git").mkdir()
    assert not is_git_top(deep)


def test_a_root_below_holds_what_is_below_it_and_itself(root: Path) -> None:
    govern(root)
    govern(root / "src/inner")
    (root / "lost/.orchestration").mkdir(parents=True)
    (root / "lost/.orchestration/agent_trace.jsonl").touch()
    (root / "vendor/lib/.git").mkdir(parents=True)
    (root / "vendor/lib/.git/HEAD").touch()
    (root / "linked").symlink_to(root / "src")
    (root / "again").symlink_to(root)
    others = RootsBelow(root)
    held = ["src/inner", "src/inner/not/yet", "lost/x", "linked/inner/a", "src/inner/.git/x"]
    held += ["again/src/inner/a"]
    ours = ["src", "src/a", "vendor/lib/x", ".orchestration/x", "no/such", "src/\udcff", "a\ud800"]
    ours += ["again", "again/a"]
    assert [path for path in held if not others.hold(WorkspacePath(path))] == []
    assert [path for path in ours if others.hold(WorkspacePath(path))] == []
    # What was asked once is known.
    (root / "src/inner/.orchestration/active_intents.yaml").unlink()
    assert others.hold(WorkspacePath("src/inner/other"))


def test_a_path_that_nobody_governs_is_dormant() -> None:
    assert governed_root("/no/such/place/on/this/machine") is None


def test_the_search_ends_at_the_home_directory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    govern(root)
    monkeypatch.setenv("HOME", str(root / "src"))
    assert governed_root(str(root / "src/a.py")) is None
    govern(root / "src")
    assert governed_root(str(root / "src/a.py")) == root / "src"


def test_a_user_without_a_home_is_governed_as_well(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    govern(root)
    assert governed_root(str(root)) == root


def test_the_local_room_is_made_private_and_ignored(root: Path) -> None:
    govern(root)
    assert find_local_directory(root) is None
    room = ensure_local_directory(root)
    assert room == root / ".orchestration/.local" == find_local_directory(root)
    assert room.stat().st_mode & 0o777 == 0o700
    assert (root / ".orchestration/.gitignore").read_text() == ".local/\n.tmp-*\nintent_map.md\n"
    room.chmod(0o755)
    assert open_local_directory(root) == room
    assert room.stat().st_mode & 0o777 == 0o700


def test_a_gitignore_of_the_team_is_left_as_it_is(root: Path) -> None:
    govern(root)
    (root / ".orchestration/.gitignore").write_text("mine\n")
    ensure_local_directory(root)
    assert (root / ".orchestration/.gitignore").read_text() == "mine\n"


def test_a_dormant_root_is_given_no_room(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert open_local_directory(root) is None
    assert "no directory for state and cache" in caplog.text
    assert names(root) == ["src"]


def test_what_stands_in_the_rooms_place_is_refused(root: Path, tmp_path: Path) -> None:
    govern(root)
    local = root / ".orchestration/.local"
    local.symlink_to(tmp_path / "outside")
    with pytest.raises(UnsafePathError):
        ensure_local_directory(root)
    assert find_local_directory(root) is None
    local.unlink()
    local.touch()
    with pytest.raises(UnsafePathError):
        ensure_local_directory(root)
    assert open_local_directory(root) is None


def test_a_control_room_outside_of_the_root_is_refused(root: Path, tmp_path: Path) -> None:
    (root / ".orchestration").symlink_to(tmp_path / "outside")
    with pytest.raises(UnsafePathError):
        ensure_local_directory(root)
    assert names(tmp_path / "outside") == []


def test_a_directory_is_one_by_its_root_relative_name(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "file").touch()
    assert is_directory(tmp_path, "src")
    names = ("file", "none", "..", "", "/", "a" * 300)
    assert not any(is_directory(tmp_path, name) for name in names)
