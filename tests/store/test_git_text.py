"""Blobs brought to work-tree form, held against the git program."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.conversion import (
    Attribute,
    Conversion,
    LineEnds,
    conversion,
    to_work_tree,
)
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
CONTENTS = (
    b"",
    b"plain",
    b"a\nb\n",
    b"a\r\nb\n",
    b"a\rb\n",
    b"a\r\n\nb",
    b"\0\n",
    b"x\x1a\n\x1a",
    b"\x01\n" + b"y" * 127,
    b"\x01\n" + b"y" * 128,
    b"\x01\n\x1a" + b"y" * 128,
    b"\x7f\x1b\x08\x0c\t\n",
    b"$Id$ $Id: $ $Id: x $ $Id:x$\n",
    b"$Id: broken\n$ $Id x\n",
    "é\n\u2028\n".encode(),
)


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


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.text(alphabet="x\n\r\0\x01\x1a", max_size=40).map(str.encode) | st.binary(max_size=300),
        max_size=8,
    )
)
def test_any_content_is_spelled_as_git_spells_it(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]
) -> None:
    repository = create(tmp_path_factory.mktemp("law") / "repository")
    for number, content in enumerate(contents):
        for kind in ("auto", "text"):
            repository.write(f"{kind}/{number}", content)
    repository.commit()
    lines = "auto/** text=auto eol=crlf\ntext/** text eol=crlf\n"
    repository.write(".gitattributes", lines)
    repository.git("add", ".gitattributes")
    repository.git("commit", "--quiet", "--message", "attributes")
    git = Git.open(repository.root)
    assert git is not None
    names = [f"{kind}/{number}" for kind in ("auto", "text") for number in range(len(contents))]
    found = [git.head_bytes(WorkspacePath(name)) for name in names]
    assert found == spelled_by_git(repository, names)


@pytest.mark.parametrize(
    "content",
    [
        b"$Id: a b $",
        b"$Id:x y$",
        b"$Id:  x$",
        b"$Id:x $",
        b"$Id: x$",
        b"$Id: $",
        b"$Id:  $",
        b"$Id: a b $Id$",
        b"$Id: x y $ $Id$",
        b"p $Id:x y$ q $Id:z$",
        b"$Id$Id$ $$Id$Id",
    ],
    ids=repr,
)
def test_ids_of_other_systems_are_kept_as_git_keeps_them(
    repository: Repository, content: bytes
) -> None:
    # Not by way of a checkout: git's streaming filter reads these otherwise than the rest of git.
    repository.write("a.txt", content)
    repository.commit()
    repository.write(".gitattributes", "* ident\n")
    git = Git.open(repository.root)
    assert git is not None
    expected = repository.git("cat-file", "--filters", "HEAD:a.txt").encode()
    assert git.head_bytes(WorkspacePath("a.txt")) == expected


def test_where_nothing_is_said_the_blob_is_the_file(tmp_path: Path) -> None:
    def silent(_name: str) -> Attribute:
        return None

    assert conversion(silent, lambda _name: "").nothing
    assert not Conversion(ends=LineEnds.CRLF).nothing
    assert to_work_tree(b"a\n", "0" * 40, Conversion()) == b"a\n"
    assert not tmp_path.joinpath("a").exists()
