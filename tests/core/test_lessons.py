"""A lesson is ours in wording, whatever it is about (requirements section 9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.agents.lessons import Lesson, lesson_line, lesson_text
from intent_lsp.core.codes import GateCode, LessonCode
from tests.support import hostile_text

AT = "2026-02-19T20:10:07.480Z"
LESSON = Lesson(at=AT, code=GateCode.SCOPE_VIOLATION, tool="write_to_file", path="src/x.py")
A_LESSON = [
    *("bullet_list_open", "list_item_open", "paragraph_open"),
    "text",
    *("paragraph_close", "list_item_close", "bullet_list_close"),
]


SCOPE_ADVICE = "Select an intent that owns the file, or ask for more scope, before editing it."
TEXTS = [
    (
        LESSON,
        (
            'SCOPE_VIOLATION: "write_to_file" changed or wanted to change "src/x.py", which the'
            f" active intent does not own. {SCOPE_ADVICE}"
        ),
    ),
    (
        replace(LESSON, tool="Bash", program="rm", path=None),
        (
            'SCOPE_VIOLATION: "Bash" running "rm" changed or wanted to change a file, which the'
            f" active intent does not own. {SCOPE_ADVICE}"
        ),
    ),
    (
        replace(LESSON, code=GateCode.CONTRACT_DRIFT, path=".orchestration/x"),
        (
            'CONTRACT_DRIFT: "write_to_file" was refused, because .orchestration/ holds an entry'
            ' that does not belong there: ".orchestration/x". Do not change .orchestration/, and'
            " ask a person to put that entry right."
        ),
    ),
    (
        replace(LESSON, code=LessonCode.MUTATION_FAILED, error="no match\n  in line 3"),
        (
            'MUTATION_FAILED: "write_to_file" failed at "src/x.py". It said: "no match in line 3".'
            " Read the file again before the next attempt."
        ),
    ),
    (
        Lesson(at=AT, code=LessonCode.COMPLETION_FAILED, tool="attempt_completion"),
        (
            'COMPLETION_FAILED: "attempt_completion" tried to complete the work and failed. Meet'
            " the acceptance criteria before the intent is completed."
        ),
    ),
    (
        Lesson(at=AT, code=LessonCode.VERIFICATION_FAILED, tool="Bash", program="pytest"),
        (
            'VERIFICATION_FAILED: "Bash" running "pytest" failed. Fix what the check found before'
            " you call the work done."
        ),
    ),
    (
        replace(LESSON, code=GateCode.STALE_FILE),
        (
            'STALE_FILE: "write_to_file" was refused at "src/x.py". Find out what this error code'
            " means before trying again."
        ),
    ),
]


@pytest.mark.parametrize(("lesson", "text"), TEXTS)
def test_each_kind_of_lesson_says_what_happened_and_what_to_do(lesson: Lesson, text: str) -> None:
    assert lesson_text(lesson) == text
    assert lesson_line(lesson) == f"- {AT}: {text}"


@pytest.mark.parametrize("at", ["", "yesterday", "2026", f"{AT}\n- x", "[redacted]", f"{AT} x"])
def test_a_moment_that_is_none_is_unknown(at: str) -> None:
    assert lesson_line(replace(LESSON, at=at)) == f"- unknown: {lesson_text(LESSON)}"


def test_the_moment_is_no_part_of_the_text() -> None:
    assert lesson_text(replace(LESSON, at="2027-01-01T00:00:00.000Z")) == lesson_text(LESSON)


def test_of_a_long_path_the_end_is_kept() -> None:
    text = lesson_text(replace(LESSON, path="d/" * 200 + "name.py"))
    assert 'change "…' in text
    assert 'd/name.py", which' in text


def test_of_a_long_path_no_end_of_a_secret_is_kept() -> None:
    text = lesson_text(replace(LESSON, path="d/" * 200 + "ghp_" + "a1" * 90 + "\n/name.py"))
    assert "a1a1" not in text
    assert "name.py" in text


def test_the_first_120_characters_of_an_error_are_told() -> None:
    text = lesson_text(replace(LESSON, error="x" * 119 + "yz"))
    assert f'It said: "{"x" * 119}…".' in text


codes = st.sampled_from([*GateCode, *LessonCode]) | hostile_text.texts()
moments = st.just(AT) | hostile_text.texts()
maybe = st.none() | hostile_text.texts()
lessons = st.builds(
    Lesson,
    at=moments,
    code=codes,
    tool=hostile_text.texts(),
    path=maybe,
    program=maybe,
    error=maybe,
)


@given(lessons)
def test_nothing_hostile_is_alive_in_a_lesson(lesson: Lesson) -> None:
    line = lesson_line(lesson)
    moment = AT if lesson.at == AT else "unknown"
    assert line == f"- {moment}: {lesson_text(lesson)}"
    assert len(line) <= 800
    assert not set("`<>@*|") & set(line)
    assert not hostile_text.unseen_in(line)
    assert "://" not in line
    assert "www." not in line
    assert hostile_text.BODY not in line.lower()
    assert hostile_text.tokens(line) == A_LESSON


@given(lessons)
def test_foreign_words_cannot_leave_their_quotation_marks(lesson: Lesson) -> None:
    text = lesson_text(replace(lesson, code=LessonCode.MUTATION_FAILED))
    foreign = [lesson.tool, lesson.program, lesson.path, lesson.error]
    assert text.count('"') == 2 + 2 * sum(1 for words in foreign[1:] if words)
    ours = "".join(text.split('"')[::2])
    assert ours.removeprefix("MUTATION_FAILED: ").replace(" at ", "").replace(" It said: ", "") in {
        f"{running} failed.{end} Read the file again before the next attempt."
        for running in ("", " running ")
        for end in ("", ".")
    }
