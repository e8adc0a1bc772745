"""Texts that editors show, as Markdown or plain: hovers, and the messages of violations.

Specified in protocol sections 4 and 4.2.

Invariant: whatever a value holds, it never acts as markup and never adds a line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode, HostCode, ShownCode
from intent_lsp.core.text import on_one_line, some_of, whole

LONGEST_TEXT: Final = 1_000
"""The most characters of one paragraph or item."""

GLOBS_SHOWN: Final = 10
"""The most globs of a scope that are shown."""

_WAYS: Final[Mapping[str, str]] = {
    GateCode.OUTSIDE_WORKSPACE: (
        "edit the target in its own workspace, or replace the link by a file"
    ),
    GateCode.STALE_FILE: "compare with the version on disk, and take it or save yours over it",
    GateCode.PATH_DENIED: "leave the file alone; a person may edit it",
    ShownCode.CONTROL_PLANE_EDIT: "revert the file",
    HostCode.REFUSAL_IGNORED: (
        "run `intent-lsp doctor`, and revert the file if you do not want the change"
    ),
}
"""The way out of each code that depends on nothing else, as Markdown."""

# Numbers of up to nine digits begin a list.
_NUMBER: Final = "|".join(rf"(?<=\A[0-9]{{{digits}}})" for digits in range(1, 10))
# Few characters are markup wherever they stand. Editors that show the source of a hover also show
# the escapes, so the others are escaped only where they would be: `_` at the edge of a word, what
# begins a link at its beginning, and what begins a heading, a list or a line at the start.
_MARKUP: Final = re.compile(
    r"[\\`*\[\]<>|~&$@]|(?<!\w)_++|(?<!_)_++(?![^\W_])|:(?=//)|(?i:(?<=www)\.)"
    rf"|\A[#+=-]|(?:{_NUMBER})[.)]"
)
_FENCES: Final = re.compile(r"`+")


class HoverParagraph(Struct, frozen=True):
    """One paragraph of a hover: a text, then the values `items`, each on a line of its own.

    `ours` says that the text is written by this project as Markdown, and so is not escaped.
    """

    text: str
    items: tuple[str, ...] = ()
    ours: bool = False


class LinkedText(Struct, frozen=True):
    """A text, such as the id and name of an intent, and the URI to which it leads."""

    text: str
    uri: str


class ViolationText(Struct, frozen=True, kw_only=True):
    """What a violation says: its code and its sentence, and what belongs to it.

    `intent_id` is the active intent, or None. `scope` are the globs of that intent. `scope_uri` is
    where the globs are listed, or None if there is no place to show. `owners` are the open intents
    that own the file, by id and name.
    """

    code: str
    message: str
    intent_id: str | None
    scope: Sequence[str]
    scope_uri: str | None
    owners: Sequence[LinkedText]


def markdown_of(title: str, paragraphs: Iterable[HoverParagraph], glob: str = "") -> str:
    """Return a hover as Markdown: a bold title, then paragraphs.

    Items are set as code, and so is a `glob` before the title. Each text is put on one line and cut
    to LONGEST_TEXT characters. A paragraph's text is left out if it is empty.
    """
    head = [code_span(glob)] if glob.strip() else []
    head += [escaped_line(title)] if title else []
    parts = [f"**{' '.join(head)}**"]
    for each in paragraphs:
        line = _line(each.text).strip()
        parts += [line if each.ours else escaped(line)] if line else []
        parts += ["\n".join(f"- {code_span(item)}" for item in each.items)] if each.items else []
    return "\n\n".join(parts)


def plain_of(title: str, paragraphs: Iterable[HoverParagraph], glob: str = "") -> str:
    """Return a hover as plain text: a title, then paragraphs. Each item is on its own line.

    A `glob` stands before the title. Each text is put on one line and cut to LONGEST_TEXT
    characters. A paragraph's text is left out if it is empty.
    """
    lines = [_line(f"{glob} {title}".strip())]
    for each in paragraphs:
        lines += [_line(each.text)] if each.text else []
        lines += [f"  {_line(item)}" for item in each.items]
    return "\n".join(lines)


def violation_markdown(told: ViolationText) -> str:
    """Return the message of a violation as Markdown, each of its parts as a paragraph.

    The sentence comes first. As far as they apply, the intent's scope, the owners of the file and
    the way out follow.
    """
    return "\n\n".join(_paragraphs(told))


def escaped(text: str) -> str:
    """Return the line `text` escaped as text in Markdown. It must not begin with white space."""
    return _MARKUP.sub(lambda found: "".join(f"\\{char}" for char in found[0]), text)


def escaped_line(text: str) -> str:
    """Return a text on one line, in which no character acts as markup in Markdown.

    It is first cut to LONGEST_TEXT characters. White space at its ends is removed.
    """
    return escaped(_line(text).strip())


def code_span(text: str) -> str:
    """Return a text on one line as a code span, whose fences are longer than any in the text.

    It is cut to LONGEST_TEXT characters. White space alone stays plain text.
    """
    line = _line(text)
    if not line.strip():
        return escaped(line)  # A text of blanks is no code span.
    fence = "`" * (1 + max(map(len, _FENCES.findall(line)), default=0))
    # Markdown takes away one blank at each end, if there is one at both.
    blank = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def _paragraphs(told: ViolationText) -> Iterator[str]:
    yield escaped_line(told.message)
    if told.code == GateCode.SCOPE_VIOLATION and told.intent_id is not None:
        label = escaped_line(f"Scope of {told.intent_id}")
        head = label if told.scope_uri is None else f"[{label}]({told.scope_uri})"
        globs = some_of(tuple(map(code_span, told.scope)), GLOBS_SHOWN)
        yield f"{head}: {globs or 'nothing'}"
    if told.owners:
        owners = ", ".join(f"[{escaped_line(each.text)}]({each.uri})" for each in told.owners)
        yield f"Owned by {owners}"
    way = _way_out(told)
    if way is not None:
        yield f"Way out: {way}."


def _way_out(told: ViolationText) -> str | None:
    """Return the ways out of a violation as a clause in Markdown, or None if there are none."""
    if told.code in NO_USABLE_INTENT:
        select = "select an owner" if told.owners else "select an intent"
        return f"{select}, create an intent for this file, or revert the lines"
    if told.code == GateCode.SCOPE_VIOLATION:
        active = "the active intent" if told.intent_id is None else escaped_line(told.intent_id)
        select = "select an owner, " if told.owners else ""
        return f"{select}expand the scope of {active}, or revert the lines"
    return _WAYS.get(told.code)


def _line(text: str) -> str:
    return on_one_line(whole(text), LONGEST_TEXT)
