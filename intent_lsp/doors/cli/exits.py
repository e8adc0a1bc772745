"""Exit statuses, and the one refusal of a command line that cannot be obeyed (protocol section 5).

Invariant: a status keeps its meaning for ever.
"""

from enum import IntEnum

from intent_lsp.core.errors import IntentLspError


class Exit(IntEnum):
    """What a command ends with; the last two are what a shell expects of an ended process."""

    FINE = 0
    VIOLATIONS = 1
    WRONG_USAGE = 2
    INTERRUPTED = 130
    NOBODY_READS = 141


class WrongUsageError(IntentLspError):
    """What was typed cannot be obeyed; `cure` says what to type instead."""

    def __init__(self, problem: str, *, cure: str = "") -> None:
        super().__init__(problem)
        self.problem, self.cure = problem, cure
