"""The lessons' section in a Markdown file that otherwise belongs to people.

Specified in requirements section 9.

Invariant: outside of the section every character stays; inside of it only lines of our form are
ever taken out.
Invariant: the section stands between the last opening mark that a closing mark follows, with no
mark between them; a damaged mark is people's text like any other.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.agents.lessons import LessonLine
from intent_lsp.core.content import line_body, split_lines
from intent_lsp.formats.text_positions import line_end_of

KEPT_AT_MOST: Final = 50
"""Lessons; the newest stand last, and the oldest go first."""

_OPEN = "<!-- intent-lsp lessons -->"
_CLOSE = "<!-- /intent-lsp lessons -->"
_HEADING = "## Lessons (intent-lsp)"
_BYTE_ORDER_MARK = "\ufeff"
_LESSON = re.compile(r"[-*+] (?:[0-9]{4}-[0-9:.TZ+-]+|unknown): (.*)")


def with_lesson(text: str, line: LessonLine) -> str | None:
    """Add a lesson to a file's text; None: its text is there already.

    `text` is the whole file with its own line ends, and may begin with a byte order mark. A file
    without a section gets one at its end.
    """
    lines = split_lines(text)
    section = _section(lines)
    if section is None:
        return text + "".join(_new_section(text, line))
    start, end = section
    lesson = _lesson_of(line)
    known = [index for index in range(start, end) if _lesson_of(lines[index]) is not None]
    if any(_lesson_of(lines[index]) == lesson for index in known):
        return None
    spare = frozenset(known[: max(0, len(known) + 1 - KEPT_AT_MOST)])
    kept = [lines[index] for index in range(start, end) if index not in spare]
    added = line + line_end_of(lines[start - 1])
    return "".join((*lines[:start], *kept, added, *lines[end:]))


def lessons_in(text: str) -> tuple[str, ...]:
    """Give the lines of the section's lessons, without their line ends, oldest first."""
    lines = split_lines(text)
    start, end = _section(lines) or (0, 0)
    return tuple(line_body(line) for line in lines[start:end] if _lesson_of(line) is not None)


def _section(lines: Sequence[str]) -> tuple[int, int] | None:
    """Find the lines between the marks: the first of them, and the closing mark's."""
    found: tuple[int, int] | None = None
    opened: int | None = None
    for index, line in enumerate(lines):
        mark = line.strip(f" \t\r\n{_BYTE_ORDER_MARK}")
        if mark == _OPEN:
            opened = index + 1
        elif mark == _CLOSE:
            found = (opened, index) if opened is not None else found
            opened = None
    return found


def _lesson_of(line: str) -> str | None:
    """Give a lesson's text without its moment; None: no line of ours."""
    found = _LESSON.fullmatch(line_body(line).rstrip(" \t"))
    return found[1] if found else None


def _new_section(text: str, line: LessonLine) -> Iterator[str]:
    line_end = line_end_of(text)
    if text.strip(_BYTE_ORDER_MARK):
        # The marks stand apart from what people wrote, whose last line may lack its end.
        yield line_end if text.endswith(("\n", "\r")) else line_end * 2
    for each in (_OPEN, _HEADING, "", line, _CLOSE):
        yield each + line_end
