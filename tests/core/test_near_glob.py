"""What was meant by a glob that no file matches: nearly a name of the tree."""

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree
from intent_lsp.core.scope.pattern import NameComparison, compile_pattern
from intent_lsp.core.scope.suggestions import near_glob

FILES = (
    "src/auth/login.py",
    "src/billing/[x]/invoice.py",
    "src/oauth.py",
    "src/ui/app.ts",
    "src/@x/auth/a.py",
    "Docs/Guide.md",
    "é/b",
)


@pytest.mark.parametrize(
    ("glob", "near"),
    [
        ("src/aut/**", "src/auth/**"),
        ("scr/auth/**", "src/auth/**"),
        ("!src/atuh/*.py", "!src/auth/*.py"),
        ("src/auth/logn.py", "src/auth/login.py"),
        ("src/biling/**", "src/billing/**"),
        ("src/billing/\\[y\\]/*", "src/billing/\\[x\\]/*"),
        ("docs/*.md", "Docs/*.md"),
        ("/src/aut/**", "src/auth/**"),
        ("src/aut/*.ts", None),  # nothing there either
        ("scr/aut/**", None),  # two names
        ("src/zzz/**", None),  # not near
        ("src/auth/**", None),  # it is there
        ("src/auth", None),  # a directory, and no misspelled `src/oauth.py`
        ("src/@x/aut/**", None),  # a special character comes first
        ("src/a*t/**", None),  # a wildcard comes first
        ("{scr}/**", None),
        ("", None),
        ("**", None),
    ],
)
def test_one_name_is_spelled_as_in_the_tree(glob: str, near: str | None) -> None:
    assert near_glob(compile_pattern(glob), FileTree(map(WorkspacePath, FILES))) == near


def test_a_name_is_spelled_as_its_files_do_where_case_does_not_count() -> None:
    reading = NameComparison(case_sensitive=False)
    tree = FileTree(map(WorkspacePath, FILES), reading)
    assert near_glob(compile_pattern("dcs/guide.md", reading), tree) == "Docs/guide.md"
    assert near_glob(compile_pattern("docs/gude.md", reading), tree) == "docs/Guide.md"


def test_a_directory_with_very_many_names_is_left_alone() -> None:
    tree = FileTree(WorkspacePath(f"d{number}/x") for number in range(600))
    assert near_glob(compile_pattern("d1000/x"), tree) is None
