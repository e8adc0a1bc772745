r"""A finding: what is wrong with a text that people wrote, where, and how to mend it.

Invariant: positions count lines from 0 and characters in code points from 0; a line ends at
`\r\n`, `\n` or `\r` and nowhere else.
"""

from dataclasses import dataclass, field
from enum import IntEnum

from intent_lsp.core.codes import FileCode


class Severity(IntEnum):
    """How loud a finding is; the numbers are those of the Language Server Protocol."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text: `line` from 0, `character` in code points from 0."""

    line: int
    character: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch of text."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class TextChange:
    """The text within `span` becomes `new_text`."""

    span: Span
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A cure that an editor can apply: `changes` do not overlap, in order of position."""

    title: str
    changes: tuple[TextChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedSpan:
    """Another place in the same text that a finding speaks of."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing wrong with a text, at its exact place."""

    code: FileCode
    severity: Severity
    message: str
    span: Span
    fixes: tuple[Fix, ...] = ()
    related: tuple[RelatedSpan, ...] = field(default=())
