r"""A finding: a problem in a text that people wrote, its place, and how to fix it.

Invariant: positions count lines from 0 and characters in code points from 0. A line ends at `\r\n`,
`\n` or `\r` and nowhere else.
"""

from enum import IntEnum

from msgspec import Struct

from intent_lsp.core.codes import FileCode


class Severity(IntEnum):
    """How severe a finding is. The numbers are those of the Language Server Protocol."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


class Position(Struct, frozen=True, order=True):
    """A position in a text: `line` from 0, `character` in code points from 0."""

    line: int
    character: int


class Span(Struct, frozen=True, order=True):
    """A part of a text from `start` up to but not including `end`."""

    start: Position
    end: Position


class TextChange(Struct, frozen=True):
    """The replacement of the text in `span` by `new_text`."""

    span: Span
    new_text: str


class Fix(Struct, frozen=True):
    """A fix that an editor can apply. `changes` do not overlap and are sorted by position.

    `safe`: *Fix all* applies it too. A safe fix removes no value and no comment. It keeps what the
    text means, or it corrects a key or a word that is wrong only in letter case or separators.
    """

    title: str
    changes: tuple[TextChange, ...]
    safe: bool = False


class RelatedSpan(Struct, frozen=True, kw_only=True):
    """Another place in the same text that a finding refers to, and a message about that place."""

    span: Span
    message: str


class Finding(Struct, frozen=True, kw_only=True):
    """One problem in a text, at its place `span`.

    `fixes` are the repairs that an editor offers, `related` are other places that explain the
    problem.
    """

    code: FileCode
    severity: Severity
    message: str
    span: Span
    fixes: tuple[Fix, ...] = ()
    related: tuple[RelatedSpan, ...] = ()
