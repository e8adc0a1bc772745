"""A file of a commit is named without being read, and by its name it is read."""

from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git import Git
from tests.support.repository import Repository

A = WorkspacePath("a.txt")


def opened(root: Path) -> Git:
    git = Git.open(root)
    assert git is not None
    return git


def test_one_content_has_one_version_in_every_commit(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    first = repository.commit()
    repository.write("b.txt", "b\n")
    repository.commit()
    git = opened(repository.root)
    version = git.head_version(A)
    assert version is not None
    assert git.version_at(first, A) == version
    assert git.version_bytes(version) == b"one\n"


def test_another_content_or_another_way_to_write_it_is_another_version(
    repository: Repository,
) -> None:
    repository.write("a.txt", "one\n")
    first = repository.commit()
    git = opened(repository.root)
    before = git.head_version(A)
    repository.write("a.txt", "two\n")
    repository.commit()
    assert git.head_version(A) != before
    repository.write(".gitattributes", "*.txt eol=crlf\n")
    assert before is not None
    crlf = git.version_at(first, A)
    assert crlf is not None
    assert (crlf.blob_id, crlf == before) == (before.blob_id, False)
    assert git.version_bytes(crlf) == b"one\r\n"


def test_what_no_commit_holds_has_no_version(repository: Repository) -> None:
    git = opened(repository.root)
    assert git.head_version(A) is None
    repository.write("a.txt", "one\n")
    commit = repository.commit()
    assert git.head_version(WorkspacePath("b.txt")) is None
    assert git.version_at("0" * 40, A) is None
    assert git.version_at(commit, A) is not None


def test_a_version_whose_blob_is_lost_is_not_read(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    repository.commit()
    git = opened(repository.root)
    version = git.head_version(A)
    assert version is not None
    name = version.blob_id
    lost = repository.root / ".git/objects" / name[:2] / name[2:]
    lost.chmod(0o600)
    lost.unlink()
    assert opened(repository.root).version_bytes(version) is None
