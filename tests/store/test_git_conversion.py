"""Which blobs are their files, and which git converts: held against what git checks out."""

import subprocess

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.repository import Git
from tests.support.repository import Repository, create

ATTRIBUTES = (
    "",
    "text",
    "-text",
    "text=auto",
    "text=input",
    "text=strange",
    "eol=crlf",
    "eol=lf",
    "text eol=crlf",
    "text=auto eol=crlf",
    "text=auto eol=lf",
    "-text eol=crlf",
    "text=input eol=crlf",
    "crlf",
    "-crlf",
    "crlf=input",
    "!text crlf",
    "binary",
    "ident",
    "ident text",
    "-ident",
    "filter",
    "-filter",
)
SETTINGS = (
    (),
    (("core.autocrlf", "true"),),
    (("core.autocrlf", "input"),),
    (("core.autocrlf", "false"), ("core.eol", "crlf")),
    (("core.autocrlf", "input"), ("core.eol", "crlf")),
    (("core.eol", "native"),),
)
CONTENTS = (b"", b"a $Id$ $Id: x $\nb\n", b"a\r\n\nb", b"\0\n")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Give a repository in which each attribute line meets each content."""
    repository = create(tmp_path_factory.mktemp("git-text") / "repository")
    for row in range(len(ATTRIBUTES)):
        for column, content in enumerate(CONTENTS):
            repository.write(f"{row}/{column}", content)
    repository.commit()
    lines = (f"/{row}/** {attribute}\n" for row, attribute in enumerate(ATTRIBUTES))
    repository.write(".gitattributes", "".join(lines))
    repository.git("add", ".gitattributes")
    repository.git("commit", "--quiet", "--message", "attributes")
    return repository


def spelled_by_git(repository: Repository, names: list[str]) -> list[bytes]:
    """Let git write every file anew, and read what it wrote."""
    for name in names:
        (repository.root / name).unlink(missing_ok=True)
    repository.git("checkout", "--quiet", "--force", "HEAD", "--", ".")
    return [(repository.root / name).read_bytes() for name in names]


@pytest.mark.parametrize("values", SETTINGS, ids=str)
def test_every_attribute_setting_and_content_is_spelled_as_git_spells_it(
    corpus: Repository, values: tuple[tuple[str, str], ...]
) -> None:
    for name in ("core.autocrlf", "core.eol"):
        subprocess.run(["git", "config", "--unset", name], cwd=corpus.root, check=False)
    for name, value in values:
        corpus.git("config", name, value)
    git = Git.open(corpus.root)
    assert git is not None
    names = [f"{row}/{column}" for row in range(len(ATTRIBUTES)) for column in range(len(CONTENTS))]
    for name, expected in zip(names, spelled_by_git(corpus, names), strict=True):
        row, column = map(int, name.split("/"))
        found = git.head_bytes(WorkspacePath(name))
        assert found == expected, (ATTRIBUTES[row], CONTENTS[column], values)
