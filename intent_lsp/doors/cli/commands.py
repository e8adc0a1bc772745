"""Every command there is. A new one is made in a module of its family and entered here."""

from typing import Final

from intent_lsp.doors.cli import intents_commands as intents
from intent_lsp.doors.cli import plan_commands as plan
from intent_lsp.doors.cli.command import Command
from intent_lsp.doors.cli.explain_command import EXPLAIN
from intent_lsp.doors.cli.init_command import INIT
from intent_lsp.doors.cli.serve_command import SERVE
from intent_lsp.doors.cli.status_command import STATUS
from intent_lsp.doors.cli.trace_archive_command import ARCHIVE
from intent_lsp.doors.cli.trace_blame_command import BLAME
from intent_lsp.doors.cli.trace_commands import LIST, SHOW, VERIFY
from intent_lsp.doors.cli.trace_export_command import EXPORT
from intent_lsp.doors.cli.trace_flush_command import FLUSH
from intent_lsp.doors.cli.trace_import_command import IMPORT
from intent_lsp.doors.cli.trace_lines_command import LINES
from intent_lsp.doors.cli.trace_map_command import MAP
from intent_lsp.doors.cli.trace_merge_command import MERGE
from intent_lsp.doors.cli.trace_recover_command import RECOVER
from intent_lsp.doors.cli.trace_report_command import REPORT
from intent_lsp.doors.cli.trace_seal_command import SEAL
from intent_lsp.doors.cli.trace_stats_command import STATS

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
