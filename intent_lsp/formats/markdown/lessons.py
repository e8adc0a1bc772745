"""The section of lessons in a Markdown file that otherwise belongs to people.

Specified in requirements section 9.

Invariant: nothing outside of the section changes. Inside of it, only lines in our format are ever
removed.
Invariant: the section is between an opening mark and a closing mark that have no mark between them.
Of several such pairs, the last counts. A damaged mark is ordinary text.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.agents.lessons import LessonLine
from intent_lsp.core.content import line_body, split_lines
from intent_lsp.formats.text_positions import line_end_of

KEPT_AT_MOST: Final = 50
"""The most lessons that are kept. The newest are last, and the oldest are removed first."""

_OPEN = "<!-- intent-lsp lessons -->"
_CLOSE = "<!-- /intent-lsp lessons -->"
_HEADING = "## Lessons (intent-lsp)"

LESSONS: Final = f"""\
# Lessons

What people and agents have learnt in this repository.

{_OPEN}
{_CLOSE}
"""
"""The text of a new file, with an empty section of lessons."""

_BYTE_ORDER_MARK = "\ufeff"
_LESSON = re.compile(r"[-*+] (?:[0-9]{4}-[0-9:.TZ+-]+|unknown): (.*)")


def with_lesson(text: str, line: LessonLine) -> str | None:
    """Return the text of a Markdown file with a lesson added to its section of lessons.

    Return None if the section has that lesson already, whatever its time. `text` is the whole file
    with its own line ends, and may begin with a byte order mark. A file without a section gets one
    at its end. The oldest lessons beyond KEPT_AT_MOST are removed.
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
    """Return the lines of all lessons in a Markdown file's section of lessons, oldest first.

    The lines have no line ends. The result is empty if the file has no such section.
    """
    lines = split_lines(text)
    start, end = _section(lines) or (0, 0)
    return tuple(line_body(line) for line in lines[start:end] if _lesson_of(line) is not None)


def _section(lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the lines of the section of lessons as (index of the first, index after the last).

    The first line is the one below the opening mark, and the line after the last is the closing
    mark. Of several sections, the last counts. Return None if `lines`, the whole file, have none.
    """
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
    """Return a lesson's text without its time, or None if the line is no lesson."""
    found = _LESSON.fullmatch(line_body(line).rstrip(" \t"))
    return found[1] if found else None


def _new_section(text: str, line: LessonLine) -> Iterator[str]:
    line_end = line_end_of(text)
    if text.strip(_BYTE_ORDER_MARK):
        # A blank line separates the section from people's text, whose last line may lack its line
        # end.
        yield line_end if text.endswith(("\n", "\r")) else line_end * 2
    for each in (_OPEN, _HEADING, "", line, _CLOSE):
        yield each + line_end
