r"""What the exports of trackers are written in: delimited text (CSV), tags of HTML, wiki markup.

In delimited text, `,`, `;`, a tab or `|` stands between two cells. A quoted cell may have line
ends. A byte order mark is skipped.

Invariant: a text has rows or one problem, and never raises an error.
Invariant: the time to read markup is linear in the length of the text. Other text stays as it is.
"""

import csv
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.formats.plans.proposed_intent import PlanProblem
from intent_lsp.formats.text_positions import LINE_END

MAX_ROWS: Final = 10_000
"""The most rows of a table, without its header."""

_DELIMITERS: Final = ",;\t|"
_QUOTE: Final = '"'
_CURES: Final = {
    "unexpected end of data": "close the quote of the last cell",
    "field larger": "leave out the columns with long texts, and export again",
}
_CURE: Final = "quote cells that have the delimiter, a quote or a line end, and double inner quotes"
_TAG: Final = re.compile(
    r"<(?:/?(?:br|div|p|li|ul|ol|span|b|i|em|strong|code|a)\b[^<>]*)>", re.IGNORECASE
)
_CODE: Final = re.compile(r"\{(?:code|noformat)(?::[^{}\n]*)?\}")
_MONOSPACED: Final = re.compile(r"\{\{([^{}`\n]+)\}\}")
_HEADING: Final = re.compile(r"(?<=\n)[ \t]*h([1-6])\.[ \t]+")
_ITEM: Final = re.compile(r"(?<=\n)[ \t]*([*#-]+)[ \t]+(?=\S)")
_FENCE: Final = "```"


class DelimitedRow(Struct, frozen=True):
    """One row: the line of the text in which it begins, from 1, and its cells, unquoted."""

    line: int
    cells: tuple[str, ...]


def read_table(document: str, text: str) -> Sequence[DelimitedRow] | PlanProblem:
    """Return the rows of a delimited text, or one problem with it in the document `document`.

    The first row of the result is the header; rows without any text are left out. A text that is
    empty, has a row that cannot be read or has more than MAX_ROWS is a problem. A first line such
    as `sep=;`, which Excel reads, names the delimiter. Without it, the delimiter is the one that
    stands most often in the header, outside of quotes.
    """
    bare = text.removeprefix("\ufeff")
    named = bare[:4].casefold() == "sep=" and len(bare) > len("sep=") and bare[4] in _DELIMITERS
    lines = LINE_END.split(bare)
    first = 1 if named else next((at for at, line in enumerate(lines) if line.strip()), 0)
    if not any(line.strip() for line in lines[first:]):
        cure = "export the table with a header and rows"
        return PlanProblem(document=document, line=0, problem="the table is empty", cure=cure)
    delimiter = bare[4] if named else _delimiter_of(lines[first])
    return _rows(document, [f"{line}\n" for line in lines[first:]], first, delimiter)


def without_tags(text: str) -> str:
    """Return a text without the tags of HTML that exports write.

    Tags that end a line become line ends. Other text between `<` and `>` stays.
    """
    ended = re.sub(r"<(?:br\s*/?|/(?:div|p|li))>", "\n", text, flags=re.IGNORECASE)
    return _TAG.sub("", ended)


def markdown_of_wiki(text: str) -> str:
    """Return a text in Jira's wiki markup as Markdown. Numbered items are all number 1.

    Only headings, list items and code are translated.
    """
    # A line begins behind a line end: what follows code is within its line.
    parts = _CODE.split(f"\n{text}")
    # Of an even number of parts, the last one is behind a mark that nothing closes.
    closed = len(parts) - 1 + len(parts) % 2
    spelled = [
        _code(part) if at % 2 and at < closed else _prose(part) for at, part in enumerate(parts)
    ]
    return "".join(spelled)[1:]


def _delimiter_of(header: str) -> str:
    """Return the delimiter that stands most often in a header, outside of quotes."""
    outside = "".join(header.split(_QUOTE)[::2])
    return max(_DELIMITERS, key=outside.count)


def _rows(
    document: str, lines: list[str], skipped: int, delimiter: str
) -> Sequence[DelimitedRow] | PlanProblem:
    reader = csv.reader(lines, delimiter=delimiter, quotechar=_QUOTE, strict=True)
    rows: list[DelimitedRow] = []
    line = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(DelimitedRow(skipped + line + 1, tuple(cells)))
            line = reader.line_num
            if len(rows) > MAX_ROWS + 1:
                return _too_many(document, skipped + line)
    except csv.Error as error:
        return _unread(document, skipped + line + 1, str(error))
    return rows


def _too_many(document: str, line: int) -> PlanProblem:
    problem = f"the table has more than {MAX_ROWS:,} rows"
    cure = "export fewer, such as only those that are open"
    return PlanProblem(document=document, line=line, problem=problem, cure=cure)


def _unread(document: str, line: int, told: str) -> PlanProblem:
    cure = next((cure for start, cure in _CURES.items() if told.startswith(start)), _CURE)
    problem = f"the row that begins here cannot be read: {told}"
    return PlanProblem(document=document, line=line, problem=problem, cure=cure)


def _code(body: str) -> str:
    """Return code as a span, or as a block if it has several lines."""
    if "\n" not in body.strip():
        return f"`{body.strip()}`"
    return f"\n{_FENCE}\n{body.strip()}\n{_FENCE}\n"


def _prose(text: str) -> str:
    text = _ITEM.sub(_item, text)
    text = _HEADING.sub(lambda found: "#" * int(found[1]) + " ", text)
    return _MONOSPACED.sub(lambda found: f"`{found[1].strip()}`", text)


def _item(found: re.Match[str]) -> str:
    """Return the start of an item in Markdown. In Jira, an item of level 2 begins with `**`."""
    marks = found[1]
    return "  " * (len(marks) - 1) + ("1. " if marks[-1] == "#" else "- ")
