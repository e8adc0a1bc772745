"""What kind of change an edit was, held against what a reviewer would say."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import content_of
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.syntax.languages import MAX_PARSED_BYTES, Late, in_time
from intent_lsp.formats.syntax.mutation_class import inferred_change
from intent_lsp.store.clock import budget
from tests.support.source_texts import contents, suffixes

PAIRS = Path(__file__).parent / "data" / "change_class.txt"

KNOWN_WRONG = frozenset(
    {
        # The trees are not the same, though a reviewer knows that they mean the same.
        "a method pulled out into a function",
        "imported name gets an alias everywhere",
        "this added",
        "var becomes const",
        "braces around a single statement",
    }
)


def inferred_class(
    path: str, before: bytes | None, after: bytes | None, late: Late = in_time
) -> MutationClass:
    return inferred_change(path, content_of(before), content_of(after), late)[0]


def pairs() -> list[tuple[str, str, str, str, str]]:
    """Give file, label, what was done, and both texts of each pair."""
    found = []
    for pair in PAIRS.read_text(encoding="utf-8").split("\n=== ")[1:]:
        head, _, texts = pair.partition("\n")
        path, label, what = (part.strip() for part in head.split(" | "))
        before, _, after = texts.partition("---\n")
        found.append((path, label, what, before, after + "\n"))
    return found


def test_labelled_changes_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, confused = [], Counter[str]()
    for path, label, what, before, after in pairs():
        found = inferred_class(path, before.encode(), after.encode())
        if found != label:
            wrong.append(what)
            confused[f"{label} taken for {found}"] += 1
    count = len(pairs())
    with capsys.disabled():
        print(f"\ninferred class: {len(wrong)} of {count} wrong ({len(wrong) / count:.1%})")  # noqa: T201
        for each, times in confused.most_common():
            print(f"  {times} x {each}")  # noqa: T201
    assert set(wrong) == KNOWN_WRONG
    assert len(wrong) / count < 0.05


def test_the_pairs_are_many_and_of_many_languages() -> None:
    suffixes = Counter(path.rpartition(".")[2] for path, *_ in pairs())
    assert len(pairs()) >= 200
    assert sum(count >= 4 for count in suffixes.values()) >= 10


def test_a_change_and_its_return_are_of_one_class() -> None:
    # What is turned round is the same change, save where only one way is known to be harmless.
    for path, label, what, before, after in pairs():
        if what not in KNOWN_WRONG:
            assert inferred_class(path, after.encode(), before.encode()) == label, what


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, b"", MutationClass.FILE_CREATION),
        (None, b"x = 1", MutationClass.FILE_CREATION),
        (b"x = 1", None, MutationClass.FILE_DELETION),
        (b"", None, MutationClass.FILE_DELETION),
        (None, None, MutationClass.FILE_CREATION),
    ],
)
def test_a_file_comes_and_goes(
    before: bytes | None, after: bytes | None, expected: MutationClass
) -> None:
    for path in ("a.py", "README.md", "a.json", "a.bin"):
        assert inferred_class(path, before, after) == expected


@pytest.mark.parametrize("path", ["a.py", "a.c", "a.unknown"])
def test_what_cannot_be_parsed_is_an_evolution(path: str) -> None:
    assert inferred_class(path, b"\xff\xfe\x00\xd8", b"\xff\xfe\x00\xd9") == "INTENT_EVOLUTION"
    assert inferred_class(path, b"\xff", b"\xffx") == "INTENT_EVOLUTION"


def test_what_stays_the_same_but_for_blanks_is_a_refactoring() -> None:
    assert inferred_class("a.py", b"x=1\n", b"x = 1\n") == "AST_REFACTOR"
    assert inferred_class("a.py", b"x=1\r\n", b"x=1\n") == "AST_REFACTOR"


def test_broken_code_is_never_taken_for_the_same() -> None:
    assert inferred_class("a.py", b"def f(:\n  x\n", b"def f(:\n  y\n") == "INTENT_EVOLUTION"


def test_who_has_no_time_is_told_that_they_differ() -> None:
    assert inferred_class("a.py", b"x = 1\n", b"x=1\n", lambda: True) == "INTENT_EVOLUTION"


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.py", "if x:\n    y()\n", "if x:\n    # said\n    y()\n", "DOCUMENTATION"),
        ("a.js", "if (x) {\n  y();\n}\n", "if (x) {\n  // said\n  y();\n}\n", "DOCUMENTATION"),
        (
            "a.rs",
            "#[a]\nfn b() {}\nfn c() {}\n",
            "#[a]\nfn c() {}\nfn b() {}\n",
            "INTENT_EVOLUTION",
        ),
        (
            "a.rs",
            "#[a]\n// x\nfn b() {}\nfn c() {}",
            "#[a]\n// x\nfn c() {}\nfn b() {}",
            "INTENT_EVOLUTION",
        ),
        ("a.py", "# a\n'old'\nx = 1\n", "# a\n'new'\nx = 1\n", "DOCUMENTATION"),
        ("a.py", "x = 1\n'old'\n", "x = 1\n'new'\n", "INTENT_EVOLUTION"),
        ("a.js", "f(1, 2)\n", "f(1, 2,)\n", "AST_REFACTOR"),
        ("a.js", "f(1, 2)\n", "f(1, 2, 3)\n", "INTENT_EVOLUTION"),
        ("a.py", "f(a)\n", "f(a\n", "INTENT_EVOLUTION"),
        ("a.py", "x = a[1]\n", "x = a[1,]\n", "INTENT_EVOLUTION"),
        ("a.sh", "for x in a; do b; done\n", "for x in a\ndo b; done\n", "AST_REFACTOR"),
        ("a.sh", "for ((a++;;)); do b; done", "for ((;a++;)); do b; done", "INTENT_EVOLUTION"),
        (
            "a.c",
            "void f() { for (a();;) b(); }\n",
            "void f() { for (;a();) b(); }\n",
            "INTENT_EVOLUTION",
        ),
    ],
)
def test_what_belongs_together_is_not_taken_apart(
    path: str, before: str, after: str, expected: str
) -> None:
    assert inferred_class(path, before.encode(), after.encode()) == expected


def test_settings_that_are_no_text_are_settings() -> None:
    assert inferred_class("a.ini", b"\xff", b"\xfe\xff") == "CONFIGURATION"
    assert inferred_class("a.yaml", b"a: \xff", b"a: 1") == "CONFIGURATION"
    assert inferred_class("a.ini", b"a", b"a") == "CONFIGURATION"


def test_the_fingerprint_is_of_what_the_edit_left() -> None:
    _, renamed = inferred_change(
        "a.py", content_of(b"def f(): pass\n"), content_of(b"def g(): pass\n")
    )
    _, left = inferred_change("a.py", content_of(None), content_of(b"def g(): pass\n"))
    assert renamed == left is not None
    assert inferred_change("a.py", content_of(b"x"), content_of(None)) == (
        MutationClass.FILE_DELETION,
        None,
    )


def test_a_fix_is_never_guessed() -> None:
    assert all(
        inferred_class(path, before.encode(), after.encode()) != MutationClass.BUG_FIX
        for path, _, _, before, after in pairs()
    )


HOSTILE = [
    b"\0" * 10_000,
    b"(" * 10_000 + b"1" + b")" * 10_000,
    b"(" * 10_000 + b"2" + b")" * 10_000,
    b"x+" * 50_000 + b"1",
    b"x+" * 50_000 + b"2",
    b"[x," * 100_000,
    b"a = 1\n" * 50_000,
    b"b = 1\n" * 50_000,
    b"".join(b"a%d = b%d\n" % (n, n) for n in range(5_000)),
    b"".join(b"c%d = d%d\n" % (n, n) for n in range(5_000)),
    b"f(" * 3_000 + b"a" + b")" * 3_000,
    b"f(" * 3_000 + b"b" + b")" * 3_000,
]


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.cpp", "a.md", "a.rb"])
def test_hostile_texts_are_answered(path: str) -> None:
    for before, after in pairwise(HOSTILE):
        assert inferred_class(path, before, after, budget(0.3)) in MutationClass


@given(
    before=contents,
    after=contents,
    suffix=suffixes,
)
def test_any_two_contents_have_a_class(before: bytes, after: bytes, suffix: str) -> None:
    assert inferred_class(f"x.{suffix}", before, after) in MutationClass


FUNCTIONS = [f"def f{n}(a):\n    b{n} = a + {n}\n    return b{n}\n" for n in range(6)]


@given(order=st.permutations(FUNCTIONS), again=st.permutations(FUNCTIONS))
def test_functions_in_any_order_are_the_same_code(order: list[str], again: list[str]) -> None:
    before, after = "\n".join(order).encode(), "\n\n".join(again).encode()
    assert inferred_class("a.py", before, after) == "AST_REFACTOR"


@given(order=st.permutations(FUNCTIONS), place=st.integers(0, len(FUNCTIONS) - 1))
def test_one_number_changed_is_no_refactoring(order: list[str], place: int) -> None:
    changed = [*order[:place], order[place].replace("a + ", "a - "), *order[place + 1 :]]
    before, after = "\n".join(FUNCTIONS).encode(), "\n".join(changed).encode()
    assert inferred_class("a.py", before, after) == "INTENT_EVOLUTION"


def test_what_is_too_large_to_be_parsed_is_not_guessed() -> None:
    line = "# a comment as long as a line of code is by custom, and then some more\n"
    small, large = (line * (MAX_PARSED_BYTES // len(line) - 1 + 2 * more) for more in (0, 1))
    for text, expected in ((small, "DOCUMENTATION"), (large, "INTENT_EVOLUTION")):
        after = f"{text}x = 1\n".encode()
        before = after.replace(b"some more", b"a bit more", 1)
        found, fingerprint = inferred_change("a.py", content_of(before), content_of(after))
        assert (found, fingerprint is None) == (expected, text is large)
