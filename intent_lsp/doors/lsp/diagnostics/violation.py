"""A problem: one thing to show on a text, still without the protocol's types.

Specified in requirements section 8.

Invariant: a spelling of problems needs this and no desk, so that it is loaded without one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from intent_lsp.core.codes import GateCode, ShownCode
from intent_lsp.core.findings import Severity, Span
from intent_lsp.core.intents import IntentId
from intent_lsp.core.ranges import Hunk

SEVERITIES: Final[Mapping[str, Severity]] = {
    GateCode.NO_ACTIVE_INTENT: Severity.WARNING,
    ShownCode.CONTROL_PLANE_EDIT: Severity.WARNING,
    ShownCode.MORE_VIOLATIONS: Severity.INFORMATION,
}
"""How loud each code is; what is not listed is an Error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedPlace:
    """A place in another file that a problem speaks of; `span` in code points."""

    path: Path
    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing to show on whole lines, `first_line` to `last_line` from 0, both inclusive.

    `hunk` is the change against HEAD behind it, where there is one.
    """

    code: str
    message: str
    first_line: int
    last_line: int
    path: str
    intent_id: str | None = None
    owners: tuple[IntentId, ...] = ()
    elsewhere: tuple[RelatedPlace, ...] = ()
    hunk: Hunk | None = field(default=None)

    @property
    def severity(self) -> Severity:
        """How loud it is where no setting says otherwise."""
        return severity_of(self.code)


def severity_of(code: str) -> Severity:
    """Tell how loud a code is where no setting says otherwise."""
    return SEVERITIES.get(code, Severity.ERROR)
