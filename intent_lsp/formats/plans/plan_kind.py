"""The kinds of plans that are imported, as the command line names them."""

from enum import StrEnum
from typing import Final


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
