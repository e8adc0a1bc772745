"""What is the same at both ends of two nodes is left out, and changes no answer."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.syntax.change import (
    FEW,
    TreeChange,
    Trees,
    change_between,
    differing_parts,
    tree_change,
)
from intent_lsp.formats.syntax.edit import difference
from intent_lsp.formats.syntax.languages import SyntaxTree, language_of, parse
from tests.support.edited_texts import edits, programs


def told(change: TreeChange) -> object:
    renamed = [(each.node.start_byte, each.scope, each.new) for each in change.renamed]
    # What was seen by the time that two trees were found to be different means nothing.
    return change.alike and (change.moved, change.prose, renamed)


def tree(path: str, text: str) -> SyntaxTree:
    found = parse(language_of(path) or "", text.encode())
    assert found is not None
    return found


def compared(path: str, before: str, after: str) -> tuple[object, object]:
    """Tell of the change as it is found with what is left out, and with everything."""
    old, new = tree(path, before), tree(path, after)
    whole = change_between(Trees(old=old, new=new, place=None))
    return told(tree_change(old, new)), told(whole)


@given(path=st.sampled_from(sorted(programs())), seed=st.integers(0, 2**32))
def test_a_change_is_the_same_by_all_parts_and_by_those_that_differ(path: str, seed: int) -> None:
    before, *after = edits(Random(seed), path, 4)  # noqa: S311 - nobody is kept out by these numbers
    for text in after:
        found, whole = compared(path, before, text)
        assert found == whole


MANY = [f"def f{n}(a):\n    return a + {n}\n" for n in range(FEW + 8)]
IMPORTS = [f"import a{n}\n" for n in range(FEW + 8)]
RUST = [f"#[a]\nfn f{n}() {{}}\n" for n in range(FEW)]
SAID = [f"# {n}\n" for n in range(FEW + 8)]


def put(parts: list[str], at: int, text: str) -> str:
    return "".join([*parts[:at], text, *parts[at + 1 :]])


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "".join(MANY), put(MANY, 20, "def f20(b):\n    return b + 20\n")),
        ("a.py", "".join(MANY), put(MANY, 20, "def f20(b):\n    return b - 20\n")),
        ("a.py", "".join(MANY), "".join([*MANY[:9], MANY[11], MANY[10], MANY[9], *MANY[12:]])),
        ("a.py", "".join(MANY), put(MANY, 20, f"# said\n{MANY[20]}")),
        ("a.py", put(MANY, 20, MANY[3]), put(MANY, 20, "def g(): pass\n")),
        ("a.py", put(MANY, 20, MANY[3]), put(MANY, 20, MANY[4])),
        ("a.py", put(IMPORTS, 20, IMPORTS[3]), put(IMPORTS, 20, IMPORTS[30])),
        ("a.py", "'''a'''\n" + "".join(MANY), "'''b'''\n" + "".join(MANY)),
        ("a.py", "".join(SAID) + "'a'\nx = 1\n", "".join(SAID) + "'b'\nx = 1\n"),
        ("a.py", "".join(MANY) + "'a'\nx = 1\n", "".join(MANY) + "'b'\nx = 1\n"),
        ("a.py", "".join(SAID), put(SAID, 20, "# other\n")),
        ("a.rs", "".join(RUST), put(RUST, 9, "#[b]\nfn f9() {}\n")),
        ("a.rs", "".join(RUST), put(RUST, 9, "#[a]\nfn g9() {}\n")),
        ("a.rs", "".join(RUST), put(RUST, 9, "// said\n#[b]\n// said\nfn f9() {}\n")),
        ("a.json", f"[{'1, ' * 50}1]", f"[{'1, ' * 50}2]"),
        ("a.js", f"f({'1, ' * 50}1)", f"f({'1, ' * 50}1,)"),
        ("a.js", f"f({'1, ' * 50}1\n\n\n)", f"f({'1, ' * 50}1,\n\n\n)"),
        ("a.py", f"x = [{'1, ' * 50}1]", f"x = [{'1, ' * 49}1, 1,]"),
    ],
)
def test_what_is_left_out_is_not_missed(path: str, before: str, after: str) -> None:
    for one, other in ((before, after), (after, before)):
        found, whole = compared(path, one, other)
        assert found == whole


def test_of_many_parts_few_are_looked_at() -> None:
    old, new = tree("a.py", "".join(MANY)), tree("a.py", put(MANY, 20, "def g(): pass\n"))
    place = difference(old.whole, old.source, new.whole, new.source)
    was, now = differing_parts(Trees(old=old, new=new, place=place), old.root, new.root)
    assert len(was.movable) == len(now.movable) <= 3


def test_nodes_of_different_places_are_looked_at_as_a_whole() -> None:
    inside = "".join(f"    x{n} = {n}\n" for n in range(FEW + 8))
    before = f"def f():\n{inside}def g():\n{inside}def h(): pass\n"
    for after in (before.replace("x9 = 9", "x9 = 8", 1), before.replace("h()", "i()")):
        old, new = tree("a.py", before), tree("a.py", after)
        place = difference(old.whole, old.source, new.whole, new.source)
        bodies = [
            each.root.named_children[number].named_children[-1]
            for each, number in ((old, 0), (new, 1))
        ]
        was, now = differing_parts(Trees(old=old, new=new, place=place), *bodies)
        assert len(was.fixed) == len(now.fixed) == FEW + 8


def test_who_has_no_time_is_told_that_they_differ() -> None:
    old, new = tree("a.py", "x = 1\n"), tree("a.py", "x=1\n")
    assert tree_change(old, new).alike
    assert not tree_change(old, new, lambda: True).alike
