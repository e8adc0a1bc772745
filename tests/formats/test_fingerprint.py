"""The fingerprint of what a file defines: what changes it, and what does not."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intent_lsp.core.content import EMPTY_HASH, content_of
from intent_lsp.formats.syntax.languages import MAX_PARSED_BYTES
from intent_lsp.formats.syntax.outline import file_fingerprint

names = st.from_regex(r"[a-z]{3,6}[0-9]", fullmatch=True)

TEMPLATES = {
    "x.py": ("def {}(a):\n{}    return a\n{}", "# {}\n"),
    "x.js": ("function {}(a) {{\n{}return a }}\n{}", "/* {} */\n"),
    "x.go": ("func {}() {{\n{}return }}\n{}", "// {}\n"),
    "x.rs": ("fn {}() {{\n{} }}\n{}", "// {}\n"),
    "x.java": ("class {} {{\n{}int a; }}\n{}", "/* {} */\n"),
    "x.rb": ("def {}\n{}end\n{}", "# {}\n"),
}


def fingerprint(path: str, text: str) -> str:
    found = file_fingerprint(path, content_of(text.encode()))
    assert found is not None
    assert found.parser == "tree-sitter"
    return found.summary_hash


def written(path: str, called: list[str], comments: list[str]) -> str:
    """Write definitions of some names, with a comment or blank lines in and after each."""
    code, comment = TEMPLATES[path]
    inside = [comment.format(words) if words.strip() else words for words in comments]
    return "".join(
        code.format(name, inside[place % len(inside)], inside[(place + 1) % len(inside)])
        for place, name in enumerate(called)
    )


words = st.lists(st.sampled_from(["", "\n\n", "words", "def class function", "x = 1"]), min_size=1)


@given(
    path=st.sampled_from(sorted(TEMPLATES)),
    called=st.lists(names, min_size=1, max_size=5, unique=True),
    before=words,
    after=words,
)
def test_comments_and_blank_lines_do_not_change_it(
    path: str, called: list[str], before: list[str], after: list[str]
) -> None:
    one, other = written(path, called, before), written(path, called, after)
    assert fingerprint(path, one) == fingerprint(path, other)


@given(
    path=st.sampled_from(sorted(TEMPLATES)),
    called=st.lists(names, min_size=1, max_size=5, unique=True),
    other=names,
    data=st.data(),
)
def test_a_renamed_definition_changes_it(
    path: str, called: list[str], other: str, data: st.DataObject
) -> None:
    assume(other not in called)
    renamed = called.copy()
    renamed[data.draw(st.integers(0, len(called) - 1))] = other
    assert fingerprint(path, written(path, called, [""])) != fingerprint(
        path, written(path, renamed, [""])
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def a(): pass\ndef b(): pass\n", "def b(): pass\ndef a(): pass\n"),
        ("class A:\n  def b(self): pass\n", "class A: pass\ndef b(self): pass\n"),
        ("class A: pass\n", "def A(): pass\n"),
        ("def a(): pass\n", "x = 1\n"),
    ],
    ids=["order", "nesting", "kind", "none"],
)
def test_order_nesting_and_kind_change_it(one: str, other: str) -> None:
    assert fingerprint("x.py", one) != fingerprint("x.py", other)


def test_what_a_function_does_is_not_in_it() -> None:
    assert fingerprint("x.py", "def a(): return 1\n") == fingerprint("x.py", "def a(): return 2\n")


def test_a_file_without_definitions_has_that_of_nothing() -> None:
    assert fingerprint("x.py", "x = 1\n") == EMPTY_HASH


@pytest.mark.parametrize(
    ("path", "data"),
    [("x.zig", b"x"), ("x.py", b"\xff"), ("x.py", b" " * (MAX_PARSED_BYTES + 1))],
    ids=["language", "bytes", "size"],
)
def test_what_is_not_parsed_has_none(path: str, data: bytes) -> None:
    assert file_fingerprint(path, content_of(data)) is None


def test_it_names_the_language() -> None:
    found = file_fingerprint("x.tsx", content_of(b"const A = () => <b/>;"))
    assert found is not None
    assert found.language == "tsx"
