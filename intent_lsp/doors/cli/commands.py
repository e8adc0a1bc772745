"""Every command there is. A new one is made in a module of its family and entered here."""

from typing import Final

from intent_lsp.doors.cli.command import Command
from intent_lsp.doors.cli.init_command import INIT
from intent_lsp.doors.cli.serve_command import SERVE
from intent_lsp.doors.cli.trace_commands import LIST, SHOW, VERIFY

COMMANDS: Final[tuple[Command, ...]] = (SERVE, INIT, LIST, SHOW, VERIFY)
