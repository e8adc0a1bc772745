"""The wiki markup of Jira, in which its exports write long texts, as Markdown.

Only what plans consist of is told apart: headings, list items and code.

Invariant: linear in the length of the text. What is no markup stays.
"""

import re
from typing import Final

_CODE: Final = re.compile(r"\{(?:code|noformat)(?::[^{}\n]*)?\}")
_MONOSPACED: Final = re.compile(r"\{\{([^{}`\n]+)\}\}")
_HEADING: Final = re.compile(r"(?<=\n)[ \t]*h([1-6])\.[ \t]+")
_ITEM: Final = re.compile(r"(?<=\n)[ \t]*([*#-]+)[ \t]+(?=\S)")
_FENCE: Final = "```"


def markdown_of_wiki(text: str) -> str:
    """Return a text in Jira's wiki markup as Markdown. Numbered items are all number 1."""
    # A line begins behind a line end: what follows code is within its line.
    parts = _CODE.split(f"\n{text}")
    # Of an even number of parts, the last one is behind a mark that nothing closes.
    closed = len(parts) - 1 + len(parts) % 2
    spelled = [
        _code(part) if at % 2 and at < closed else _prose(part) for at, part in enumerate(parts)
    ]
    return "".join(spelled)[1:]


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
    """Return the start of an item: Jira repeats its sign for each list that it is in."""
    marks = found[1]
    return "  " * (len(marks) - 1) + ("1. " if marks[-1] == "#" else "- ")
