"""Laws of scopes, on patterns and paths that nobody would write."""

import re
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope import trie
from intent_lsp.core.scope.findings import pattern_findings, reaches_control_plane
from intent_lsp.core.scope.language import escape
from intent_lsp.core.scope.pattern import EXACT, NameComparison
from intent_lsp.core.scope.scope import Ownership, compile_scope
from tests.support.scope_index import index_of

LETTERS = "ab.cA1é-"
names = st.text(LETTERS, min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
paths = st.lists(names, min_size=1, max_size=4).map("/".join).map(WorkspacePath)
PIECES = r"""
a b . c A 1 é - * * * ? / / ! ** /**/ [ab] [!a] [[:alpha:]] {a,b} {1..3} {a,b/c} @(a|b) ?(a)
*(ab|b) +(a) !(a) !(*.a|b) \ [ { , } ( | ) # .. ./
"""
pieces = st.sampled_from([*PIECES.split(), " "])
patterns = st.lists(pieces, max_size=8).map("".join)
# Patterns of plain names, in which matches are not rare.
plain_patterns = st.lists(
    st.sampled_from(["a", "b", "*", "**", "?", "a*", "*a", "*b*", "a*b", "{a,b}", "[ab]", "!(a)"]),
    min_size=1,
    max_size=4,
).map("/".join)
short_paths = (
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4)
    .map("/".join)
    .map(WorkspacePath)
)

FOLDED = NameComparison(case_sensitive=False, nfc=True)


@given(st.text(max_size=40) | patterns, st.text(max_size=40))
def test_any_text_is_a_pattern_and_any_text_can_be_asked(pattern: str, path: str) -> None:
    for reading in (EXACT, FOLDED):
        scope = compile_scope([pattern], reading)
        assert scope.covers(WorkspacePath(path)) in (True, False)
    pattern_findings(pattern, lambda directory: len(directory) % 2 == 0)
    reaches_control_plane(pattern)


def asked(
    scopes: list[list[str]], path: WorkspacePath, how: NameComparison
) -> tuple[Ownership, ...]:
    """Ask each scope alone."""
    compiled = [compile_scope(patterns, how) for patterns in scopes]
    return tuple(
        Ownership(IntentId(str(at)), why)
        for at, scope in enumerate(compiled)
        if (why := scope.why(path)) is not None
    )


@given(
    st.lists(
        st.lists(plain_patterns | patterns | plain_patterns.map("!".__add__), max_size=4),
        max_size=8,
    ),
    st.lists(short_paths | paths, min_size=1, max_size=8),
    st.sampled_from([EXACT, FOLDED]),
)
def test_the_index_answers_what_each_scope_answers_alone(
    scopes: list[list[str]], some: list[WorkspacePath], how: NameComparison
) -> None:
    index = index_of(((str(at), patterns) for at, patterns in enumerate(scopes)), how)
    for path in some + some:
        assert index.owners(path) == asked(scopes, path, how)


@given(
    st.lists(st.lists(plain_patterns, max_size=4), max_size=8),
    st.lists(short_paths, min_size=1, max_size=4),
    st.lists(names, min_size=1, max_size=4),
    st.sampled_from([1, 8, 1 << 18]),
)
def test_a_directory_that_is_remembered_says_the_same_of_every_name_in_it(
    scopes: list[list[str]], rooms: list[WorkspacePath], held: list[str], heaviest: int
) -> None:
    index = index_of((str(at), patterns) for at, patterns in enumerate(scopes))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trie, "_HEAVIEST", heaviest)
        for name, room in product(held, rooms):
            path = WorkspacePath(f"{room}/{name}")
            assert index.owners(path) == asked(scopes, path, EXACT)


@given(st.lists(plain_patterns, max_size=40), st.lists(short_paths, min_size=1, max_size=6))
def test_many_patterns_in_one_brace_are_the_union_of_them(
    members: list[str], some: list[WorkspacePath]
) -> None:
    assume(len(members) > 1)
    braces = compile_scope(["{" + ",".join(members) + "}"])
    assume(braces.compiled[0].refusal is None)
    union = compile_scope(members)
    for path in some:
        assert braces.covers(path) == union.covers(path)


@given(st.lists(plain_patterns | patterns, max_size=4), plain_patterns, short_paths)
def test_an_exclusion_only_takes_away(
    given_patterns: list[str], excluded: str, path: WorkspacePath
) -> None:
    without, taken = compile_scope(given_patterns), compile_scope([excluded])
    restricted = compile_scope([*given_patterns, f"!{excluded}"])
    assert restricted.covers(path) == (without.covers(path) and not taken.covers(path))


@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_an_escaped_path_matches_itself_and_nothing_else(text: str, other: str) -> None:
    parts = [part for part in re.split("/+", text) if part not in ("", ".", "..")]
    assume(parts)
    path = WorkspacePath("/".join(parts))
    scope = compile_scope([escape(path)])
    assert scope.covers(path)
    for near in (other, path[:-1] + other, path + other, other + path):
        assert scope.covers(WorkspacePath(near)) == (near == path)


@given(plain_patterns, short_paths)
def test_what_is_below_a_match_is_owned_with_a_globstar(pattern: str, path: WorkspacePath) -> None:
    owned = compile_scope([pattern]).covers(path)
    below = compile_scope([f"{pattern}/**"])
    assert below.covers(WorkspacePath(f"{path}/x")) or not owned
    assert below.covers(path) == compile_scope([f"{pattern}/"]).covers(path)


@given(patterns, paths)
def test_white_space_around_a_pattern_is_nothing(pattern: str, path: WorkspacePath) -> None:
    assume(not pattern.endswith("\\"))
    bare = compile_scope([pattern]).covers(path)
    assert compile_scope([f"\t {pattern} \n"]).covers(path) == bare
