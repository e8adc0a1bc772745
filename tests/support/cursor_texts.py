"""Texts with a cursor mark `|`, and what becomes of them when a proposal is accepted."""

import re
from collections.abc import Sequence

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.text_positions import TextPositions
from tests.support.marked_text import cursor_in

MARK = "|"
_TAB_STOP = re.compile(
    r"\\(?P<literal>[\\$}])|\$(?P<number>\d+)"
    r"|\$\{(?P<filled>\d+)(?::(?P<default>(?:\\.|[^}\\])*)|\|(?P<first>[^,|]*)[^|]*\|)\}"
)


def marked(text: str) -> tuple[list[str], Position]:
    """Return the lines of a text without its mark, and the place of the mark."""
    rest, at = cursor_in(text)
    return split_lines(rest), TextPositions(rest).position(at)


def expanded(snippet: str, indent: str) -> str:
    """Return what an editor makes of a snippet: its defaults, and `|` at the first tab stop.

    Without a tab stop the mark is at the end. Further lines are indented by `indent`.
    """
    stops: list[int] = []

    def stop(found: re.Match[str]) -> str:
        if found["literal"] is not None:
            return found["literal"]
        number = int(found["number"] or found["filled"])
        stops.append(number)
        mark = MARK if number == min((each for each in stops if each), default=0) else ""
        default = re.sub(r"\\(.)", r"\1", found["default"] or found["first"] or "")
        return (mark if len(stops) == 1 else "") + default

    text = _TAB_STOP.sub(stop, snippet).replace("\n", "\n" + indent)
    return text if stops else text + MARK


def accepted(text: str, proposal: Proposal, *, snippets: bool = True, replace: bool = False) -> str:
    """Return a marked text after a proposal was accepted, with the mark where the cursor is then.

    `snippets`: the editor has snippets. `replace`: the rest of the word is replaced, too.
    """
    lines, place = marked(text)
    line, written = lines[place.line] if place.line < len(lines) else "", proposal.written
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if not line.strip():
        indent = line[: place.character]
    put = expanded(written.snippet, indent) if snippets else written.text + MARK
    whole = replace or written.over
    end = max(written.end, place.character) if whole else place.character
    made = line[: written.start] + put + line[end:]
    return "".join([*lines[: place.line], made, *lines[place.line + 1 :]])


def labels(proposals: Sequence[Proposal]) -> list[str]:
    """Return the labels of proposals, in order."""
    return [proposal.label for proposal in proposals]
