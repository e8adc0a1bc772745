"""Every command there is. A new one is made in a module of its family and entered here."""

from typing import Final

from intent_lsp.doors.cli.command import Command
from intent_lsp.doors.cli.explain_command import EXPLAIN
from intent_lsp.doors.cli.init import INIT
from intent_lsp.doors.cli.intents import options as intents
from intent_lsp.doors.cli.intents import plan_commands as plan
from intent_lsp.doors.cli.ledger.flush import FLUSH
from intent_lsp.doors.cli.ledger.intent_map import MAP
from intent_lsp.doors.cli.ledger.options import LIST, SHOW, VERIFY
from intent_lsp.doors.cli.ledger.trace_archive_command import ARCHIVE
from intent_lsp.doors.cli.ledger.trace_blame_command import BLAME
from intent_lsp.doors.cli.ledger.trace_export_command import EXPORT
from intent_lsp.doors.cli.ledger.trace_import_command import IMPORT
from intent_lsp.doors.cli.ledger.trace_lines_command import LINES
from intent_lsp.doors.cli.ledger.trace_merge_command import MERGE
from intent_lsp.doors.cli.ledger.trace_recover_command import RECOVER
from intent_lsp.doors.cli.ledger.trace_report_command import REPORT
from intent_lsp.doors.cli.ledger.trace_seal_command import SEAL
from intent_lsp.doors.cli.ledger.trace_stats_command import STATS
from intent_lsp.doors.cli.serve import SERVE
from intent_lsp.doors.cli.status_command import STATUS

COMMANDS: Final[tuple[Command, ...]] = (
    SERVE,
    INIT,
    STATUS,
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
    BLAME,
    LINES,
    STATS,
    MAP,
    REPORT,
    EXPORT,
    IMPORT,
    FLUSH,
    VERIFY,
    SEAL,
    MERGE,
    ARCHIVE,
    RECOVER,
)
