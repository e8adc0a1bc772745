"""A violation as it is shown on a text, independent of LSP types.

Specified in requirements section 8.

Invariant: this module imports core alone, so that encoding a violation loads little.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.codes import GateCode, HostCode, ShownCode
from intent_lsp.core.findings import Severity, Span
from intent_lsp.core.intents import IntentId
from intent_lsp.core.line_diff import Hunk

SEVERITIES: Final[Mapping[str, Severity]] = {
    GateCode.NO_ACTIVE_INTENT: Severity.WARNING,
    ShownCode.CONTROL_PLANE_EDIT: Severity.WARNING,
    ShownCode.MORE_VIOLATIONS: Severity.INFORMATION,
    HostCode.GATE_BLIND: Severity.WARNING,
}
"""The default severity of each code. A code that is not listed is an error."""


class RelatedPlace(Struct, frozen=True, kw_only=True):
    """A place in another file to which a violation refers. `span` counts in code points."""

    path: Path
    span: Span
    message: str


class Violation(Struct, frozen=True, kw_only=True):
    """One violation, to be shown on the lines `first_line` to `last_line` (from 0, inclusive).

    `hunk` is the marked change against HEAD, or None if there is none. `scope` are the globs of the
    intent `intent_id`, and `elsewhere` is the place where they are written. `owners` are
    intents that own the file, one of which could be selected instead. `owner_places` has a place
    for each of the first few owners: that of its id in the intents file, with its id and name as
    the message.
    """

    code: str
    message: str
    first_line: int
    last_line: int
    path: str
    intent_id: str | None = None
    owners: tuple[IntentId, ...] = ()
    elsewhere: tuple[RelatedPlace, ...] = ()
    hunk: Hunk | None = None
    scope: tuple[str, ...] = ()
    owner_places: tuple[RelatedPlace, ...] = ()

    @property
    def severity(self) -> Severity:
        """The default severity of this violation's code."""
        return severity_of(self.code)


def severity_of(code: str) -> Severity:
    """Return the default severity of a violation's code."""
    return SEVERITIES.get(code, Severity.ERROR)
