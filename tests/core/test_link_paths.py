"""No path that a link of the same command leads elsewhere passes for one that does not."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.commands import CommandKind, CommandReading, Effect, TouchedPath, together
from intent_lsp.core.link_paths import LinkPaths

steps = st.lists(st.sampled_from(["a", "b", "c", ".", "..", ""]), max_size=5).map("/".join)
heads = st.sampled_from(["", "", "/", "~/", "../"])
paths = st.tuples(heads, steps).map("".join).filter(bool)
relative = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3).map("/".join)


@pytest.mark.parametrize(
    ("link", "path", "beyond", "leads"),
    [
        ("d", "d/x", False, True),
        ("d", "d", False, True),
        ("d", "d", True, False),
        ("d", "d/", True, True),
        ("d", "d/x", True, True),
        ("d", "e/d", False, False),
        ("d", "dd", False, False),
        ("./e/../d/", "d/x", False, True),
        ("d", "e/../D/x", False, True),
        ("d", "d/../x", False, True),
        ("e/d", "e/x", False, False),
        ("e/d", "e/x/../d", False, True),
        ("d", "/r/d/x", False, True),
        ("d", "../r/d/x", False, True),
        ("d", "/r/e/x", False, False),
        ("/r/d", "d/x", False, True),
        ("~/d", "d/x", False, True),
        ("/r/d", "e/x", False, False),
        ("..", "e/x", False, True),
        (".", "e/x", False, True),
        ("/", "e/x", False, True),
    ],
)
def test_a_path_leads_through_a_link(link: str, path: str, *, beyond: bool, leads: bool) -> None:
    links = LinkPaths([(0, link)])
    assert links.lead(1, path, beyond=beyond) is leads
    if leads and link not in {"..", ".", "/"}:
        assert not links.lead(0, path, beyond=beyond)


def test_what_several_parts_make_is_nobodys_own() -> None:
    links = LinkPaths([(0, "d"), (1, "d"), (1, "/e"), (2, "/e")])
    assert links.lead(0, "d", beyond=False)
    assert links.lead(1, "e", beyond=False)
    assert not links.lead(0, "f", beyond=False)


@given(relative, steps.filter(lambda text: not text.startswith("/") and bool(text)))
def test_what_is_not_told_stays_where_it_reads(link: str, path: str) -> None:
    with tempfile.TemporaryDirectory() as room:
        root = Path(os.path.realpath(room)) / "root"
        (root / link).parent.mkdir(parents=True)
        (root.parent / "away" / "below").mkdir(parents=True)
        (root / link).symlink_to(root.parent / "away" / "below")
        reads = os.path.normpath(root / path)
        goes = os.path.realpath(f"{root}/{path}")
        assert goes == reads or LinkPaths([(0, link)]).lead(1, path, beyond=False)


@given(st.lists(st.tuples(st.integers(0, 3), paths), max_size=5), paths)
def test_what_leads_beyond_a_link_leads_through_it(links: list[tuple[int, str]], path: str) -> None:
    made = LinkPaths(links)
    assert made.lead(9, path, beyond=False) or not made.lead(9, path, beyond=True)


def test_a_reading_made_of_others_hands_its_links_on() -> None:
    def made(path: str, *links: str) -> CommandReading:
        touched = (TouchedPath(path, Effect.WRITE),)
        return CommandReading(kind=CommandKind.DESTRUCTIVE, paths=touched, links=links)

    inner = together([made("d", "d"), made("e")])
    assert inner.links == ("d",)
    assert together([inner, made("d/x")]).unknown
    assert together([inner, made("x")]).unknown == ()
