"""An ignore file's lines, said from the top: git itself is asked whether they mean the same."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.store.git.ignored import patterns_below
from tests.support.repository import Repository, create

NAMES = ("a", "b.txt", "deep/a", "deep/b.txt", "deep/er/a", "we [i]rd/a", "we [i]rd/a ")


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("a", "/src/**/a"),
        ("/a", "/src/a"),
        ("a/", "/src/**/a/"),
        ("a/b", "/src/a/b"),
        ("!a", "!/src/**/a"),
        ("# a", None),
        ("", None),
        ("a  ", "/src/**/a"),
        ("a\\ ", "/src/**/a\\ "),
        ("**/a", "/src/**/a"),
    ],
)
def test_a_line_below_is_a_pattern_of_the_top(line: str, below: str | None) -> None:
    assert list(patterns_below("src", line)) == ([] if below is None else [below])


LINES = st.lists(
    st.sampled_from(
        ["a", "/a", "deep", "deep/", "/deep/a", "deep/**", "*.txt", "!b.txt", "**/a", "a\\ ", "#a"]
    ),
    max_size=4,
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = create(tmp_path_factory.mktemp("ignored"))
    for directory in ("", "src/", "s*[r]c/"):
        for name in NAMES:
            repository.write(directory + name, "x\n")
    return repository


@given(lines=LINES, directory=st.sampled_from(["", "src", "s*[r]c"]))
def test_git_ignores_the_same_files_by_either(
    tree: Repository, lines: list[str], directory: str
) -> None:
    text = "\n".join(lines)
    listing = ("ls-files", "-z", "--others", "--ignored")
    said = [word for pattern in patterns_below(directory, text) for word in ("-x", pattern)]
    ignore = Path(tree.root, directory, ".gitignore")
    by_top = tree.git(*listing, *said) if said else ""
    ignore.write_text(text)
    try:
        by_file = tree.git(*listing, "--exclude-per-directory=.gitignore")
    finally:
        ignore.unlink()
    assert _names(by_top) == _names(by_file)


def _names(printed: str) -> set[str]:
    return {name for name in printed.split("\0") if name and not name.endswith(".gitignore")}
