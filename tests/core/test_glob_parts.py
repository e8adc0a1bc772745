"""Parts of globs: names, separators, wildcards, braces and exclusions, as the globs are matched."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intent_lsp.core.scope.glob_parts import GlobPartKind, glob_parts
from intent_lsp.core.scope.pattern import compile_pattern
from intent_lsp.core.scope.rows import literal_path

_LETTER = {
    GlobPartKind.NAME: "n",
    GlobPartKind.SEPARATOR: "/",
    GlobPartKind.WILDCARD: "w",
    GlobPartKind.BRACE: "b",
    GlobPartKind.EXCLUSION: "!",
}


def shape(text: str) -> str:
    """Return one letter for each character of a glob: its kind, or `.` outside of all parts."""
    letters = ["."] * len(text)
    for part in glob_parts(text):
        letters[part.start : part.end] = _LETTER[part.kind] * (part.end - part.start)
    return "".join(letters)


@pytest.mark.parametrize(
    ("glob", "kinds"),
    [
        ("src/a.py", "nnn/nnnn"),
        ("src/**/*.py", "nnn/ww/wnnn"),
        ("**", "ww"),
        ("a?c", "nwn"),
        ("!src/**", "!nnn/ww"),
        ("!!a", "!!n"),
        ("!(a|b)/c", "wwnwnw/n"),
        ("!(a/b)", "!nn/nn"),
        ("  a/* ", "..n/w."),
        ("a\\ ", "nnn"),
        ("#a/*", "...."),
        ("", ""),
        ("[a-c]x", "wwwwwn"),
        ("[!a]/[a", "wwww/nn"),
        ("[b-a]xyz/y", "wwwwwwww/n"),
        ("[[:alpha:]]", "wwwwwwwwwww"),
        ("\\[a\\]\\*", "nnnnnnn"),
        ("a\\/b", "nn/n"),
        ("{a,b}.py", "bnbnbnnn"),
        ("{a}", "nnn"),
        ("{1..3}", "bnnnnb"),
        ("{a..e..2}", "bnnnnnnnb"),
        ("a{b", "nnn"),
        ("{a,{b,c}", "nnnbnbnb"),
        ("{a,{b,c}}", "bnbbnbnbb"),
        ("{{a,b}}", "nbnbnbn"),
        ("${a,b}", "nnnnnn"),
        ("${a,{b,c}}", "nnnnnnnnnn"),
        ("a$/{a,b}", "nn/bnbnb"),
        ("{a\\,b}", "nnnnnn"),
        ("{a},b}", "bnbbnb"),
        ("{}", "nn"),
        ("{*,[ab]}", "bwbwwwwb"),
        ("[{a,b}]", "nbnbnbn"),
        ("@(a|b)c", "wwnwnwn"),
        ("+(a|*(b|c))", "wwnwwwnwnww"),
        ("@(a|b", "nnnnn"),
        ("*(a", "wnn"),
        ("@()", "nnn"),
        ("*()", "wnn"),
        ("a|b)", "nnnn"),
        ("@({a,b}|c)", "wwbnbnbwnw"),
        ("ä/🙂*", "n/nw"),
        ("x" * 600, "." * 600),
        ("{1..99999}", "bnnnnnnnnb"),
    ],
)
def test_each_character_has_the_kind_that_matching_gives_it(glob: str, kinds: str) -> None:
    assert shape(glob) == kinds


_ALPHABET = "ab/*?[]!^-{},.()|@+\\$# 1é"


@given(st.text(alphabet=_ALPHABET, max_size=12))
def test_what_has_names_and_separators_alone_matches_one_path(text: str) -> None:
    kinds = {part.kind for part in glob_parts(text)}
    assume(kinds <= {GlobPartKind.NAME, GlobPartKind.SEPARATOR})
    assume(not text.rstrip().endswith("/"))
    rows = compile_pattern(text).rows
    assert len(rows) <= 1
    assert all(literal_path(row) is not None for row in rows)


@given(st.text(alphabet=_ALPHABET + "\t\n\udc80", max_size=30) | st.text(max_size=30))
def test_parts_are_in_order_and_cover_the_glob(text: str) -> None:
    parts = glob_parts(text)
    assert all(0 <= part.start < part.end <= len(text) for part in parts)
    ends = [part.end for part in parts]
    assert [part.start for part in parts[1:]] == ends[:-1]
    if parts:
        exclusion = any(part.kind is GlobPartKind.EXCLUSION for part in parts)
        assert text.strip().startswith("!") or not exclusion
