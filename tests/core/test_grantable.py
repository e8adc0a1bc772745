"""Patterns that a person can be asked to grant, and those that nobody is asked for.

Specified in requirements section 9.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.gate.grantable import ungrantable
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import compile_scope
from tests.support import hostile_text

DIRECTORIES = {"src", "docs", ".claude"}
EXCLUSION = "The glob begins with `!`, so it only excludes files."
EVERYTHING = "The glob matches every file of the work tree."
CONTROL = "The glob matches control files, which no intent can own."


def why_not(pattern: str) -> str | None:
    return ungrantable(pattern, DIRECTORIES.__contains__)


@pytest.mark.parametrize(
    "pattern",
    [
        "src/**",
        "src/auth/login.py",
        "docs/*.md",
        "*",
        "*.md",
        "**/*.py",
        "!!src/**",
        "!(a).md",
        ".github/workflows/*",
        ".claude/commands/**",
        ".cursor/rules/*",
        "orchestration/**",
        ".gitignore",
        ".codexes/x",
        "src/.git-hooks/x",
    ],
)
def test_a_pattern_that_names_files_can_be_granted(pattern: str) -> None:
    assert why_not(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("!src/**", EXCLUSION),
        (" !src/** ", EXCLUSION),
        ("!!!src/**", EXCLUSION),
        ("!", EXCLUSION),
        ("**", EVERYTHING),
        (" ** ", EVERYTHING),
        ("**/*", EVERYTHING),
        ("**/**", EVERYTHING),
        ("**/", EVERYTHING),
        ("/**", EVERYTHING),
        ("./**", EVERYTHING),
        ("*/**", "This pattern owns every file of the root that is 1 directory deep or more."),
        (
            "*/**/*/*",
            "This pattern owns every file of the root that is 2 directories deep or more.",
        ),
        ("{src,**}", "This pattern owns every file of the root."),
        ("", "This pattern names no file."),
        ("   ", "This pattern names no file."),
        (
            "#src",
            (
                "A pattern that begins with `#` is a comment and matches nothing."
                " Did you mean `\\#src`?"
            ),
        ),
        ("../x", "This pattern matches nothing: no file name fits `..`."),
        ("C:\\x", "This pattern begins with a drive letter; write a path relative to the root."),
        (
            "a" * 513,
            "This pattern is not used and owns no file: the pattern is longer than 512 characters.",
        ),
    ],
)
def test_what_grants_nothing_or_everything_says_why(pattern: str, why: str) -> None:
    assert why_not(pattern) == why


@pytest.mark.parametrize("spell", [str, str.upper, str.title], ids=["as it is", "upper", "title"])
@pytest.mark.parametrize("around", ["{}", "/{}", "./{}", " {} "])
@pytest.mark.parametrize(
    "pattern",
    [
        ".orchestration/**",
        ".orchestration/active_intents.yaml",
        ".orchestration/",
        ".orchestration",
        ".git/hooks/pre-commit",
        ".git",
        ".codex/**",
        ".github/hooks/*",
        ".intentignore",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        ".claude/**",
        ".claude/settings*.json",
        ".claude/settings.local.json",
        "sub/.git/hooks/*",
        "**/.orchestration/**",
    ],
)
def test_the_control_plane_is_granted_in_no_spelling(
    pattern: str, around: str, spell: type[str]
) -> None:
    assert why_not(around.format(spell(pattern))) == CONTROL


pieces = st.sampled_from(
    [
        "",
        ".",
        "..",
        "*",
        "**",
        "!",
        "/",
        ".git",
        ".GIT",
        ".orchestration",
        "src",
        "a",
        "{",
        ",",
        "}",
    ]
)
patterns = hostile_text.texts(3) | st.lists(pieces, max_size=6).map("/".join) | pieces.map(str)
PLANE = (".git/config", ".orchestration/x", ".intentignore", ".codex/x", ".github/hooks/x")


@given(patterns)
def test_what_is_granted_owns_neither_all_nor_the_control_plane_alone(pattern: str) -> None:
    if why_not(pattern) is not None:
        return
    scope = compile_scope((pattern,))
    assert not scope.covers(WorkspacePath("any/where/at all")) or not scope.covers(
        WorkspacePath("some")
    )
    head = pattern.strip().lstrip("/")
    assert head not in PLANE
    assert not control_plane(WorkspacePath(head))
