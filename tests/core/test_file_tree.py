"""Patterns matched against all files of a tree at once."""

import sys
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree
from intent_lsp.core.scope.pattern import EXACT, NameComparison, compile_pattern

FILES = tuple(
    map(
        WorkspacePath,
        (
            *("README.md", "a.py", "src/a.py", "src/a.pyc", "src/db/b.py", "src/db/deep/c.ts"),
            *("src.py/x", "Src/A.py", "docs/é/x.md", "docs/.hidden/y.md", ".github/z.yml"),
        ),
    )
)


def matched(pattern: str, files: tuple[WorkspacePath, ...] = FILES) -> list[str]:
    return list(FileTree(files).matching(compile_pattern(pattern)))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a.py", ["a.py"]),
        ("src/*.py", ["src/a.py"]),
        ("src/**", ["src/a.py", "src/a.pyc", "src/db/b.py", "src/db/deep/c.ts"]),
        ("**/*.py", ["a.py", "Src/A.py", "src/a.py", "src/db/b.py"]),
        ("{src,docs}/**/*.{ts,md}", ["docs/.hidden/y.md", "docs/é/x.md", "src/db/deep/c.ts"]),
        ("!src/db/**", ["src/db/b.py", "src/db/deep/c.ts"]),
        ("src", []),
        ("src/a.py/**", []),
        ("+(src|Src)/[aA].py", ["Src/A.py", "src/a.py"]),
        ("", []),
        ("a{", []),
        ("**/**", None),
    ],
)
def test_a_pattern_finds_its_files(pattern: str, expected: list[str] | None) -> None:
    found = matched(pattern)
    if expected is None:
        assert sorted(found) == sorted(FILES)
    else:
        assert found == expected


def test_files_come_before_directories_and_sorted() -> None:
    assert matched("**")[:4] == ["README.md", "a.py", ".github/z.yml", "Src/A.py"]


def test_a_directory_is_there_with_files_in_or_below_it() -> None:
    paths = [WorkspacePath("src/a/b/c.py"), WorkspacePath("Docs/x.md")]
    tree = FileTree(paths)
    there = ["", "src", "src/a", "src/a/b", "Docs"]
    assert [
        each for each in (*there, "a", "src/b", "src/a/b/c.py", "docs") if tree.has_directory(each)
    ] == there
    assert FileTree(paths, NameComparison(case_sensitive=False)).has_directory("docs")


def test_names_are_compared_as_the_file_system_does() -> None:
    folded = NameComparison(case_sensitive=False)
    tree = FileTree(FILES, folded)
    found = list(tree.matching(compile_pattern("SRC/A.PY", folded)))
    assert sorted(found) == ["Src/A.py", "src/a.py"]


class CountedNames(list[str]):
    """Names that count how often one of them is looked up."""

    lookups = 0

    def __getitem__(self, at: Any) -> Any:
        self.lookups += 1
        return super().__getitem__(at)


@pytest.mark.parametrize("alternatives", ["n{0..999}.py", "{0..999}*", "*{0..999}", "{0..999}*y"])
def test_a_thousand_alternatives_are_not_searched_for_in_every_directory(alternatives: str) -> None:
    tree = FileTree((WorkspacePath("b.py"), WorkspacePath("c.py")))
    names = tree.top.names = CountedNames(tree.top.names)
    assert list(tree.matching(compile_pattern(f"**/{alternatives}"))) == []
    assert names.lookups <= 2 * len(names)


@pytest.mark.parametrize("alternatives", ["{0..999}*", "*{0..999}", "n{0..999}"])
def test_a_name_is_not_compared_with_each_of_a_thousand_texts(alternatives: str) -> None:
    rows = compile_pattern(alternatives).steps
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "c_call"

    former = sys.getprofile()
    sys.setprofile(count)
    try:
        passed = rows.passed_by("b.py")
    finally:
        sys.setprofile(former)
    assert not passed
    assert calls < 20


NAMES = st.sampled_from(["a", "b", "ab", "a.py", ".py", "ba", "é", "A"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join).map(WorkspacePath)
SEGMENTS = st.sampled_from(
    [
        "a",
        "b",
        "*",
        "**",
        "?",
        "a*",
        "*a",
        "*.py",
        "a*b",
        "{a,b*}",
        "[ab]",
        "!(a)",
        "+(a|b)",
        "@(a)",
        "{a,b,.,c}*",
        "*{a,b,py,c}",
        "{a,b}*{a,b,y,c,d}",
        "n{0..99}",
    ]
)
PATTERNS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
READINGS = st.sampled_from([EXACT, NameComparison(case_sensitive=False), NameComparison(nfc=True)])


@given(st.sets(PATHS, max_size=12), PATTERNS, READINGS)
def test_all_at_once_is_one_by_one(
    files: set[WorkspacePath], pattern: str, reading: NameComparison
) -> None:
    compiled = compile_pattern(pattern, reading)
    found = list(FileTree(files, reading).matching(compiled))
    assert sorted(found) == sorted(path for path in files if compiled.matches(path))
