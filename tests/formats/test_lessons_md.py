"""Lessons are written once, newest last, in a section that leaves people's text alone.

Specified in requirements section 9.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.agents.lessons import Lesson, LessonLine, lesson_line
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import line_body, split_lines
from intent_lsp.formats.markdown.lessons import KEPT_AT_MOST, LESSONS, lessons_in, with_lesson
from tests.support import hostile_text

AT = "2026-02-19T20:10:07.480Z"
LATER = "2027-01-01T00:00:00.000Z"
OPEN, CLOSE = "<!-- intent-lsp lessons -->", "<!-- /intent-lsp lessons -->"
HEADING = "## Lessons (intent-lsp)"
LESSON = Lesson(at=AT, code=GateCode.SCOPE_VIOLATION, tool="write", path="src/x.py")
LINE = lesson_line(LESSON)
SECTION = f"{OPEN}\n{HEADING}\n\n{LINE}\n{CLOSE}\n"


def line(text: str, at: str = AT) -> LessonLine:
    return LessonLine(f"- {at}: {text}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", SECTION),
        ("\ufeff", "\ufeff" + SECTION),
        ("# Ours\n", "# Ours\n\n" + SECTION),
        ("# Ours", "# Ours\n\n" + SECTION),
        ("# Ours\r\n", "# Ours\r\n\r\n" + SECTION.replace("\n", "\r\n")),
        ("\ufeff# Ours\r\nx", "\ufeff# Ours\r\nx\r\n\r\n" + SECTION.replace("\n", "\r\n")),
        ("a\rb", "a\rb\r\r" + SECTION.replace("\n", "\r")),
        (LESSONS, LESSONS.replace(CLOSE, f"{LINE}\n{CLOSE}")),
        (f"\ufeff{OPEN}\n{CLOSE}", f"\ufeff{OPEN}\n{LINE}\n{CLOSE}"),
        (f"a\n{OPEN}\r\n{CLOSE}\r\nb\n", f"a\n{OPEN}\r\n{LINE}\r\n{CLOSE}\r\nb\n"),
        (f"  {OPEN} \n\t{CLOSE}\nx", f"  {OPEN} \n{LINE}\n\t{CLOSE}\nx"),
        (f"{OPEN}\nours\n{CLOSE}\n", f"{OPEN}\nours\n{LINE}\n{CLOSE}\n"),
        # Damaged: what has no other half is people's text, and the section is a new one.
        (f"{OPEN}\nours\n", f"{OPEN}\nours\n\n{SECTION}"),
        (f"ours\n{CLOSE}\n", f"ours\n{CLOSE}\n\n{SECTION}"),
        (f"{CLOSE}\nours\n{OPEN}\n", f"{CLOSE}\nours\n{OPEN}\n\n{SECTION}"),
        (f"a {OPEN}\n{CLOSE}\n", f"a {OPEN}\n{CLOSE}\n\n{SECTION}"),
        (f"{OPEN}\na\n{OPEN}\n{CLOSE}\n", f"{OPEN}\na\n{OPEN}\n{LINE}\n{CLOSE}\n"),
        (f"{OPEN}\n{CLOSE}\na\n{CLOSE}\n", f"{OPEN}\n{LINE}\n{CLOSE}\na\n{CLOSE}\n"),
        (f"{OPEN}\n{CLOSE}\n{OPEN}\n{CLOSE}\n", f"{OPEN}\n{CLOSE}\n{OPEN}\n{LINE}\n{CLOSE}\n"),
        (f"{OPEN}\n{CLOSE}\n{OPEN}\n", f"{OPEN}\n{LINE}\n{CLOSE}\n{OPEN}\n"),
    ],
)
def test_a_lesson_finds_its_section_or_makes_one(before: str, after: str) -> None:
    assert with_lesson(before, LINE) == after
    assert lessons_in(before) == ()
    assert lessons_in(after) == (LINE,)
    assert with_lesson(after, LINE) is None


@pytest.mark.parametrize("known", [line("a"), line("a", LATER), "* 2026-1: a ", "- unknown: a"])
def test_a_text_is_told_once_whatever_its_moment(known: str) -> None:
    text = f"{OPEN}\n- mine: a\n{known}\n{CLOSE}\n"
    assert with_lesson(text, line("a")) is None
    assert with_lesson(text, line("b")) == text.replace(CLOSE, f"{line('b')}\n{CLOSE}")


def test_what_stands_outside_of_the_section_is_no_lesson() -> None:
    text = f"{LINE}\n{OPEN}\n{CLOSE}\n{LINE}\n"
    assert lessons_in(text) == ()
    assert with_lesson(text, LINE) == f"{LINE}\n{OPEN}\n{LINE}\n{CLOSE}\n{LINE}\n"


def test_no_section_has_no_lessons() -> None:
    assert lessons_in("") == ()
    assert lessons_in(f"{OPEN}\n{LINE}\n") == ()


def test_the_fifty_first_lesson_drops_the_oldest_and_nothing_of_peoples() -> None:
    text = f"{OPEN}\n{CLOSE}\n"
    for number in range(KEPT_AT_MOST):
        text = with_lesson(text, line(f"lesson {number}")) or ""
    text = text.replace(f"{line('lesson 1')}\n", f"- ours\n{line('lesson 1')}\nours too\n")
    assert len(lessons_in(text)) == KEPT_AT_MOST == 50
    after = with_lesson(text, line("one more")) or ""
    assert after == text.replace(f"{line('lesson 0')}\n", "").replace(
        CLOSE, f"{line('one more')}\n{CLOSE}"
    )


def test_a_section_that_people_merged_is_brought_down_to_fifty() -> None:
    many = "".join(f"{line(f'lesson {number}')}\n" for number in range(70))
    after = with_lesson(f"{OPEN}\n{many}{CLOSE}\n", line("one more")) or ""
    assert lessons_in(after) == (
        *(line(f"lesson {number}") for number in range(21, 70)),
        line("one more"),
    )


MARKS = st.sampled_from([f"{OPEN}\n", f"{CLOSE}\n", f"{OPEN}\r\n", f"{LINE}\n", f"{CLOSE}", "\r"])
people = st.lists(hostile_text.texts(3) | MARKS, max_size=6).map("".join)
lessons = st.builds(
    Lesson,
    at=st.just(LATER),
    code=st.sampled_from(GateCode),
    tool=hostile_text.texts(),
    path=st.none() | hostile_text.texts(),
    program=st.none() | hostile_text.texts(),
    error=st.none() | hostile_text.texts(),
)


@given(people, lessons)
def test_exactly_one_line_is_added_and_the_rest_stays(before: str, lesson: Lesson) -> None:
    added = lesson_line(lesson)
    after = with_lesson(before, added)
    assert after is not None
    head, found, tail = after.rpartition(added)
    assert found
    end = split_lines(tail)[0]
    assert line_body(end) == ""
    assert lessons_in(after)[-1] == added
    assert with_lesson(after, added) is None
    assert with_lesson(after, lesson_line(replace(lesson, at=AT))) is None
    without = head + tail[len(end) :]
    if without != before:
        assert without.startswith(before)
        new = [line_body(each) for each in split_lines(without[len(before) :])]
        assert [each for each in new if each] == [OPEN, HEADING, CLOSE]


@given(people, st.lists(lessons, min_size=2, max_size=4))
def test_every_lesson_is_kept_in_the_order_it_came(text: str, given_lessons: list[Lesson]) -> None:
    known = lessons_in(text)
    lines = list(dict.fromkeys(map(lesson_line, given_lessons)))
    for each in lines:
        text = with_lesson(text, each) or text
    assert lessons_in(text) == (*known, *lines)
