"""A lesson: one failure or refusal, in a sentence that is stored for later agents and people.

Specified in requirements section 9.

Invariant: the tool, the path, the program and the error are the only texts in a lesson that come
from outside. Each of them is neutralised, shortened and quoted so that it cannot end its quotation.
"""

import re
from collections.abc import Mapping
from typing import Final, NewType

from msgspec import Struct

from intent_lsp.core.codes import GateCode, LessonCode
from intent_lsp.core.redaction import SHOWN_AT_MOST, neutral, redacted

LessonLine = NewType("LessonLine", str)
"""A line `- <timestamp>: <text>` of a file with lessons, without its line end."""

_ADVICE: Final[Mapping[str, str]] = {
    GateCode.SCOPE_VIOLATION: "Select an intent that owns the file, or ask for more scope, before"
    " editing it.",
    GateCode.CONTRACT_DRIFT: "Do not change .orchestration/, and ask a person to put that entry"
    " right.",
    LessonCode.MUTATION_FAILED: "Read the file again before the next attempt.",
    LessonCode.COMPLETION_FAILED: "Meet the acceptance criteria before the intent is completed.",
    LessonCode.VERIFICATION_FAILED: "Fix what the check found before you call the work done.",
}
_MOMENT = re.compile(r"[0-9]{4}-[0-9:.TZ+-]{1,32}")
_CODE_AT_MOST: Final = 48
_NAME_AT_MOST: Final = 64
_PATH_AT_MOST: Final = 160


class Lesson(Struct, frozen=True, kw_only=True):
    """One failure or refusal that later agents should know.

    `at` is an RFC 3339 time. `code` is the value of a GateCode or a LessonCode. `tool` is the
    tool's name. `path` is the file concerned. `program` is the program in the call's command that
    decided how the command was judged, such as `rm` in `cd src && rm a.py`. `error` is the tool's
    error message, never its output.
    """

    at: str
    code: str
    tool: str
    path: str | None = None
    program: str | None = None
    error: str | None = None


def lesson_line(lesson: Lesson) -> LessonLine:
    """Return a lesson as a line of a file with lessons. A malformed time becomes `unknown`."""
    at = lesson.at if _MOMENT.fullmatch(lesson.at) else "unknown"
    return LessonLine(f"- {at}: {lesson_text(lesson)}")


def lesson_text(lesson: Lesson) -> str:
    """Return the sentences of a lesson: what happened, any error of the tool, what to do now.

    Two lessons with the same text count as the same lesson.
    """
    said = f" It said: {_quoted(lesson.error)}." if lesson.error else ""
    advice = _ADVICE.get(lesson.code, "Find out what this error code means before trying again.")
    return f"{neutral(lesson.code, _CODE_AT_MOST)}: {_happened(lesson)}.{said} {advice}"


def _happened(lesson: Lesson) -> str:
    actor = _actor(lesson)
    at_file = f" at {_place(lesson.path)}" if lesson.path else ""
    match lesson.code:
        case GateCode.SCOPE_VIOLATION:
            place = _place(lesson.path) if lesson.path else "a file"
            return (
                f"{actor} changed or wanted to change {place}, which the active intent does not own"
            )
        case GateCode.CONTRACT_DRIFT:
            entry = f": {_place(lesson.path)}" if lesson.path else ""
            return (
                f"{actor} was refused, because .orchestration/ holds an entry that does not belong"
                f" there{entry}"
            )
        case LessonCode.COMPLETION_FAILED:
            return f"{actor} tried to complete the work and failed{at_file}"
        case LessonCode.MUTATION_FAILED | LessonCode.VERIFICATION_FAILED:
            return f"{actor} failed{at_file}"
        case _:
            return f"{actor} was refused{at_file}"


def _actor(lesson: Lesson) -> str:
    """Return the tool's name in quotes, or, if it ran a program, `"Bash" running "rm"`."""
    tool = _quoted(lesson.tool, _NAME_AT_MOST)
    return f"{tool} running {_quoted(lesson.program, _NAME_AT_MOST)}" if lesson.program else tool


def _place(path: str) -> str:
    """Return the path in quotes, without secrets. A path that is too long loses its beginning."""
    # Redact before cutting: the redaction would not recognise a secret that has been cut.
    words = redacted(path)
    if len(words) <= _PATH_AT_MOST:
        return _quoted(words, _PATH_AT_MOST)
    return f'"…{neutral(words[1 - _PATH_AT_MOST :], _PATH_AT_MOST - 1)}"'


def _quoted(text: str, limit: int = SHOWN_AT_MOST) -> str:
    return f'"{neutral(text, limit)}"'
