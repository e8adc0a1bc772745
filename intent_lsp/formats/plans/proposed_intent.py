"""Proposed intents, which are read from the plans of other tools, and the kinds of plans.

Specified in requirements section 3.10.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from intent_lsp.core.intents import Status

MAX_SENTENCES: Final = 100
"""The most constraints, and the most acceptance criteria, of one proposed intent."""

MAX_SENTENCE: Final = 500
"""The most characters of a name, a constraint or a criterion. Longer ones are cut off."""

MAX_NAMED: Final = 1_000
"""The most paths of one proposed intent that are taken from its documents."""


class PlanKind(StrEnum):
    """A kind of plan. The value is what `intent-lsp intents import --from` takes."""

    INTENTS = "intents"
    SPEC_KIT = "spec-kit"
    OPENSPEC = "openspec"
    KIRO = "kiro"
    TASK_LIST = "markdown"
    TABLE = "csv"


OF_DIRECTORIES: Final = (PlanKind.SPEC_KIT, PlanKind.OPENSPEC, PlanKind.KIRO)
"""The kinds whose unit is a directory of documents, which a root may have several of."""


class NamedPath(Struct, frozen=True):
    """A path as a document names it, such as `src/auth/login.py` or `src/auth/`.

    `stated`: the document leaves little doubt that it is a path, as it has a `/` and stands in a
    code span or after a word such as "in". Any other counts only if it exists.
    """

    text: str
    stated: bool


class PlanProblem(Struct, frozen=True, kw_only=True):
    """Something in a plan that could not be read, at its place.

    `line` counts from 1; 0 means the whole document. `cure` says what to do.
    """

    document: str
    line: int
    problem: str
    cure: str

    @property
    def place(self) -> str:
        """The document with its line, as `document:line`; the document alone for line 0."""
        return f"{self.document}:{self.line}" if self.line else self.document

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}; {self.cure}"


class ProposedIntent(Struct, frozen=True, kw_only=True):
    """An intent that a plan proposes, without an id and with paths instead of globs.

    `specification` identifies the work when the plan is imported again. `document` and `line` (from
    1) are where the plan tells of the work; `directory` holds the plan's documents, and is "" if
    the plan is a single file. `ticked` is the document in which the tool ticks off what is done,
    and which therefore belongs to the scope; None if there is none. `created_at` is a date, perhaps
    with a time, as written, or None.
    """

    specification: str
    name: str
    status: Status
    document: str
    line: int = 1
    acceptance_criteria: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    named: tuple[NamedPath, ...] = ()
    directory: str = ""
    ticked: str | None = None
    created_at: str | None = None


class ReadPlan(Struct, frozen=True):
    """The intents that a plan proposes, in its order, and what could not be read of it."""

    proposed: tuple[ProposedIntent, ...] = ()
    problems: tuple[PlanProblem, ...] = ()
