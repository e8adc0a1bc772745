"""Contents found again by their hashes."""

import os
from pathlib import Path

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION
from intent_lsp.governance.contents import content_lookup
from intent_lsp.governance.contents.content_lookup import ContentLookup
from intent_lsp.store.state.blob_cache import BlobCache
from tests.support.repository import Repository

PATH = WorkspacePath("src/a.py")
OLD, NOW = b"old\n", b"now\n"


def found(root: Path, data: bytes, path: str = PATH, revision: str = UNKNOWN_REVISION) -> bool:
    given = ContentLookup(root).find(hash_content(data), WorkspacePath(path), revision)
    assert given in (None, data)
    return given is not None


def test_a_file_as_it_is_now_is_known(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    assert not found(tmp_path, NOW)
    (tmp_path / PATH).write_bytes(NOW)
    assert found(tmp_path, NOW)
    assert not found(tmp_path, OLD)


def test_what_was_kept_is_known(tmp_path: Path) -> None:
    (tmp_path / ".orchestration").mkdir()
    BlobCache(tmp_path).put(OLD)
    assert found(tmp_path, OLD)


def test_what_commits_hold_is_known(repository: Repository) -> None:
    repository.write(PATH, OLD)
    first = repository.commit()
    assert found(repository.root, OLD)
    repository.write(PATH, NOW)
    repository.commit()
    repository.write(PATH, b"dirty\n")
    assert found(repository.root, NOW)
    assert not found(repository.root, OLD)
    assert found(repository.root, OLD, revision=first)
    assert not found(repository.root, OLD, revision="f" * 40)
    assert not found(repository.root, OLD, revision="HEAD; rm -rf /")


def test_no_filter_is_started_to_find_a_content(repository: Repository) -> None:
    repository.write(PATH, OLD)
    repository.write(".gitattributes", "*.py filter=odd\n")
    repository.commit()
    repository.git("config", "filter.odd.smudge", "touch started; cat")
    (repository.root / PATH).unlink()
    assert not found(repository.root, OLD)
    assert not (repository.root / "started").exists()


@pytest.mark.parametrize("path", ["../secret", "/etc/hostname", "a\0b", "link", "x" * 5000, "src"])
def test_no_path_that_a_record_names_leads_out(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(OLD)
    (root / "link").symlink_to(tmp_path / "secret")
    for data in (OLD, Path("/etc/hostname").read_bytes()):
        assert not found(root, data, path)


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"1234")
    monkeypatch.setattr(content_lookup, "LARGEST", 3)
    assert not found(tmp_path, b"1234", "a")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(OLD)
    (tmp_path / "a").chmod(0)
    assert not found(tmp_path, OLD, "a")
