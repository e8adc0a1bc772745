"""Exit statuses, and the error of a command line that cannot be carried out (protocol section 5).

Invariant: the meaning of a status never changes.
"""

from enum import IntEnum

from intent_lsp.core.errors import IntentLspError


class Exit(IntEnum):
    """The exit status of a command.

    VIOLATIONS means that the command found something wrong: a broken ledger, a checkpoint that does
    not hold, a change in git that fails the check, or an intents file with a fix to make. It also
    stands for an edit that the gate refuses or asks about, and for a registered agent host that
    does not block edits.
    WRONG_USAGE stands for every other failure, also of reading or writing. INTERRUPTED and
    NOBODY_READS are 128 plus the numbers of SIGINT and SIGPIPE, as in a shell.
    """

    FINE = 0
    VIOLATIONS = 1
    WRONG_USAGE = 2
    INTERRUPTED = 130
    NOBODY_READS = 141


class WrongUsageError(IntentLspError):
    """Raised for a command line that cannot be carried out. `cure` says what to do, or is ""."""

    def __init__(self, problem: str, *, cure: str = "") -> None:
        super().__init__(problem)
        self.problem, self.cure = problem, cure
