"""The definitions that a change touched, named by the ranges of its record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import EMPTY_HASH, content_of
from intent_lsp.core.records import Range
from intent_lsp.formats.syntax.outline import Definition, outline, touched_definitions

TEXT = """\
import os

class A:
    "About A."

    def b(self):
        x = 1

        return x

    @held
    def c(self):
        return 2


def f():
    def g():
        return 3
    return g

print(f)
"""


def lines(first: int, last: int | None = None) -> Range:
    last = first if last is None else last
    count = last - first + 1
    return Range(
        start_line=first, end_line=last, content_hash=EMPTY_HASH, replaced=(first, count, count)
    )


def gone(above: int, first_old: int | None = None) -> Range:
    first_old = above + 1 if first_old is None else first_old
    return Range(
        start_line=above, end_line=above, content_hash=EMPTY_HASH, replaced=(first_old, 2, 0)
    )


def whole(last: int) -> Range:
    return Range(start_line=1, end_line=last, content_hash=EMPTY_HASH, fallback=True)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ([lines(7)], "A.b"),
        ([lines(4)], "A"),
        ([lines(3, 4)], "A"),
        ([lines(4), lines(9)], "A A.b"),
        # A decorator belongs to what it decorates.
        ([lines(11)], "A.c"),
        ([lines(9, 11)], "A.b A.c"),
        ([lines(13), lines(7)], "A.b A.c"),
        # What is new as a whole stands for all within it.
        ([lines(3, 13)], "A"),
        ([lines(16, 19)], "f"),
        ([lines(16), lines(17), lines(18, 19)], "f"),
        ([lines(17, 18)], "f.g"),
        ([lines(18, 19)], "f f.g"),
        ([whole(21)], "A f"),
        # Neither blank lines nor lines of no definition.
        ([lines(5)], ""),
        ([lines(8)], ""),
        ([lines(10, 13)], "A.c"),
        ([lines(1), lines(21)], ""),
        # Lines that went, between two lines of one definition.
        ([gone(6)], "A.b"),
        ([gone(4)], "A"),
        ([gone(9)], "A"),
        ([gone(13)], ""),
        ([gone(1)], ""),
        ([gone(17)], "f.g"),
        ([gone(18)], "f"),
        # Nothing is said of no lines, nor of lines that are not there.
        ([], ""),
        ([Range(start_line=0, end_line=0, content_hash=EMPTY_HASH, replaced=(1, 3, 0))], ""),
        ([lines(90, 99), lines(-9, -3), gone(99)], ""),
        ([lines(19, 10**9)], "f"),
    ],
)
def test_a_change_names_what_it_touched(changed: list[Range], expected: str) -> None:
    assert " ".join(touched_definitions("a.py", content_of(TEXT.encode()), changed)) == expected


def test_lines_that_went_at_the_top_touch_nothing() -> None:
    text = b"def f():\n    return 1\n"
    assert touched_definitions("a.py", content_of(text), [gone(1, 1)]) == ()
    assert touched_definitions("a.py", content_of(text), [gone(1, 2)]) == ("f",)


def test_a_name_is_told_once() -> None:
    text = b"def f(): pass\ndef g(): pass\ndef f(): pass\n"
    assert touched_definitions("a.py", content_of(text), [lines(1, 3)]) == ("f", "g")


@pytest.mark.parametrize(
    ("path", "data"),
    [("a.txt", b"x\n"), ("a.py", b"\xff\xfa\n"), ("a.py", b""), ("a.zig", b"fn f() {}\n")],
)
def test_a_file_without_an_outline_names_nothing(path: str, data: bytes) -> None:
    assert touched_definitions(path, content_of(data), [whole(1)]) == ()


def test_without_time_nothing_is_named() -> None:
    data = b"def f(): pass\n" * 5000
    assert touched_definitions("a.py", content_of(data), [whole(5000)], lambda: True) == ()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_are_the_ledgers(end: str) -> None:
    data = TEXT.replace("\n", end).encode("utf-16")
    assert touched_definitions("a.py", content_of(data), [lines(7)]) == ("A.b",)


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Draw a source of classes, functions, statements and blank lines, nested as it comes."""
    found, depths = [], [False]
    for number in range(draw(st.integers(1, 25))):
        if depths[-1]:
            found.append("    " * (len(depths) - 1) + f"x{number} = 0")
            depths[-1] = False
            continue
        del depths[draw(st.integers(1, len(depths))) :]
        kind = draw(st.sampled_from(["def", "class", "line", "blank"]))
        before = "    " * (len(depths) - 1)
        if kind in ("def", "class"):
            found.append(f"{before}{kind} n{number}{'()' * (kind == 'def')}:")
            depths.append(True)
        else:
            found.append("" if kind == "blank" else f"{before}y{number} = 1")
    return "\n".join([*found, "    " * (len(depths) - 1) + "z = 2", ""])


def _holds(each: Definition, line: int) -> bool:
    return each.first_line <= line <= each.last_line


@given(text=sources(), marks=st.lists(st.tuples(st.integers(1, 27), st.integers(0, 6)), max_size=4))
def test_each_new_line_of_a_definition_is_in_one_that_is_named(
    text: str, marks: list[tuple[int, int]]
) -> None:
    found = outline("a.py", content_of(text.encode()))
    changed = [lines(first, first + more) for first, more in marks]
    names = touched_definitions("a.py", content_of(text.encode()), changed)
    new = {line for each in changed for line in range(each.start_line, each.end_line + 1)}
    new = {line for line in new if "".join(text.split("\n")[line - 1 : line]).strip()}
    told = [each for each in found if each.name in names]
    assert [each.name for each in told] == list(names)
    for line in new:
        held = any(_holds(each, line) for each in found)
        assert any(_holds(each, line) for each in told) == held
    assert all(any(_holds(each, line) for line in new) for each in told)
