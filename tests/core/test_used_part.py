"""The part of a glob that work has used: narrower globs that match all of it, and no more."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.pattern import compile_pattern
from intent_lsp.core.scope.suggestions import used_part

TREE = [
    WorkspacePath(f"{top}/{middle}/{low}/{name}.py")
    for top in ("src", "s[x]")
    for middle in "abcdefgh"
    for low in "xy"
    for name in ("1", "2", "3")
]


def used(glob: str, *touched: str) -> Sequence[str] | None:
    pattern = compile_pattern(glob)
    paths = [WorkspacePath(path) for path in touched if pattern.matches(path)]
    return used_part(glob, paths, [path for path in TREE if pattern.matches(path)])


def below(directory: str, count: int = 6) -> list[str]:
    return [path for path in TREE if path.startswith(f"{directory}/")][:count]


@pytest.mark.parametrize(
    ("glob", "directories", "narrower"),
    [
        ("**", ["src/a"], ("src/a/**",)),
        ("**", ["s[x]/a/x", "src/b/x"], ("s\\[x\\]/a/x/**", "src/b/x/**")),
        ("src/**", [], None),
        ("**/*.py", ["src/c"], ("src/c/**/*.py",)),
        ("src/**", ["src/c"], None),
        ("**/1.py", ["src/c"], None),
        ("{src,s[x]}/**", ["src/c"], None),
        ("**/**", ["src/c"], None),
    ],
)
def test_the_part_is_as_few_and_deep_directories_as_can_be(
    glob: str, directories: list[str], narrower: tuple[str, ...] | None
) -> None:
    touched = [path for directory in directories for path in below(directory)]
    assert used(glob, *touched) == narrower


@given(
    glob=st.sampled_from(["**", "src/**", "**/*.py", "s[x]/**", "src/a/**", "**/x/**"]),
    touched=st.lists(st.sampled_from([*TREE, WorkspacePath("top.py")]), max_size=12, unique=True),
)
def test_narrower_globs_match_what_was_touched_and_nothing_beyond_the_glob(
    glob: str, touched: list[WorkspacePath]
) -> None:
    found = used(glob, *touched)
    if found is None:
        return
    wide, narrow = compile_pattern(glob), [compile_pattern(each) for each in found]
    own = [path for path in touched if wide.matches(path)]
    assert all(any(each.matches(path) for each in narrow) for path in own)
    part = [path for path in TREE if any(each.matches(path) for each in narrow)]
    assert all(wide.matches(path) for path in part)
    assert len(part) * 4 <= sum(map(wide.matches, TREE))
    assert len(found) <= 3
