"""Every command there is. A new one is made in a module of its family and entered here."""

from typing import Final

from intent_lsp.doors.cli import intents_commands as intents
from intent_lsp.doors.cli import plan_commands as plan
from intent_lsp.doors.cli.command import Command
from intent_lsp.doors.cli.explain_command import EXPLAIN
from intent_lsp.doors.cli.init_command import INIT
from intent_lsp.doors.cli.serve_command import SERVE
from intent_lsp.doors.cli.trace_commands import LIST, SHOW, VERIFY

COMMANDS: Final[tuple[Command, ...]] = (
    SERVE,
    INIT,
    intents.LIST,
    intents.SHOW,
    plan.ADD,
    plan.SELECT,
    plan.COMPLETE,
    intents.OWNERS,
    intents.COVERAGE,
    plan.IMPORT,
    EXPLAIN,
    LIST,
    SHOW,
    VERIFY,
)
