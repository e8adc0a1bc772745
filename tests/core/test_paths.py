"""Paths: from what a client sends to a path below the root (scope section 4)."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intent_lsp.core.paths import fold, parse_relative, path_of_uri, relative_to

SEGMENTS = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=4)
TANGLES = st.lists(st.sampled_from(["", ".", "..", "a", "b c", "é", "..."])).map("/".join)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///src/a.py", "/src/a.py"),
        ("FILE:///src/a.py", "/src/a.py"),
        ("file:/src/a.py", "/src/a.py"),
        ("file://localhost/src/a.py", "/src/a.py"),
        ("file://LOCALHOST/a", "/a"),
        ("file:///a%20b/%C3%A9.py", "/a b/é.py"),
        ("file:///a/é.py", "/a/é.py"),
        ("file:///a%252Fb", "/a%2Fb"),
        ("file:///a%2Fb", "/a/b"),
        ("file:///a/x%2F..%2F..%2Fb", "/b"),
        ("file:///a/./b//c/../d", "/a/b/d"),
        ("file:///a/b/", "/a/b"),
        ("file:///", "/"),
        ("file:///a%0Ab", "/a\nb"),
        ("file:///a\tb", "/a\tb"),
        ("file:///a%ZZ", "/a%ZZ"),
        ("file:///a%FF", "/a\udcff"),
        ("file:///what?", "/what?"),
        ("file:///c#/a?b#d", "/c#/a?b#d"),
        ("file:///what%3F%23", "/what?#"),
        ("file:///a\\b", "/a\\b"),
        ("file:///c%3A/a", "/c:/a"),
    ],
)
def test_a_file_uri_gives_its_folded_path(uri: str, path: str) -> None:
    assert path_of_uri(uri) == path


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "file",
        "file:",
        "file://",
        "file://host",
        "file:a",
        "/src/a.py",
        "untitled:Untitled-1",
        "http://localhost/a",
        "vscode-notebook-cell:/a#b",
        "git:/a.py?ref",
        "file://server/share/a",
        "file://[bad/a",
        "file:///..",
        "file:///a/../..",
        "file:///a/%2e%2e/%2E%2e/b",
        "file:///a%00b",
        "file:///a\0b",
    ],
)
def test_what_names_no_file_here_has_no_path(uri: str) -> None:
    assert path_of_uri(uri) is None


@given(st.one_of(st.text(), st.text().map("file://".__add__)))
def test_any_text_is_a_uri_or_is_not(uri: str) -> None:
    path = path_of_uri(uri)
    assert path is None or "\0" not in path


@given(st.lists(SEGMENTS, min_size=1))
def test_a_uri_without_percent_signs_is_read_as_it_stands(names: list[str]) -> None:
    # A lone surrogate is not text, and names no file.
    assume(not any("\ud800" <= letter <= "\udfff" for name in names for letter in name))
    path = "/" + "/".join(names)
    uri = "file://" + path.replace("%", "%25")
    assert path_of_uri(uri) == fold(path)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a/b.py", "a/b.py"),
        ("./a//b/../c/", "a/c"),
        ("a%20b", "a%20b"),
        ("a%2F..%2Fb", "a%2F..%2Fb"),
        ("a\\b", "a\\b"),
        ("C:a", "C:a"),
        ("C:\\a\\..\\b", "C:\\a\\..\\b"),
        ("...", "..."),
        ("new\nline", "new\nline"),
    ],
)
def test_a_relative_path_is_folded_and_not_decoded(text: str, path: str) -> None:
    assert parse_relative(text) == path


@pytest.mark.parametrize("text", ["", ".", "/", "/a", "..", "a/../..", "../a", "a/..", "a\0b"])
def test_what_is_absolute_or_leaves_the_root_is_no_relative_path(text: str) -> None:
    assert parse_relative(text) is None


@given(TANGLES)
def test_folding_folds_once_and_for_all(text: str) -> None:
    folded = fold(text)
    assert folded is None or fold(folded) == folded


@given(TANGLES)
def test_a_relative_path_has_only_names(text: str) -> None:
    path = parse_relative(text)
    if path is not None:
        assert not {"", ".", ".."} & set(path.split("/"))
        assert parse_relative(path) == path


@given(st.lists(SEGMENTS.filter(lambda name: name not in (".", "..")), min_size=1))
def test_what_a_root_sees_leads_back_to_the_path(names: list[str]) -> None:
    relative = "/".join(names)
    assert relative_to(f"/work/{relative}", "/work") == relative
    assert relative_to(f"/{relative}", "/") == relative


@pytest.mark.parametrize("path", ["/work", "/works/a", "/wor", "/", "/a/work/b"])
def test_a_root_sees_neither_itself_nor_its_neighbours(path: str) -> None:
    assert relative_to(path, "/work") is None


def test_the_top_is_no_file_of_itself() -> None:
    assert relative_to("/", "/") is None
