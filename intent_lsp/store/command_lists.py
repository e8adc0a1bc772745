"""The command lists that come with the package (`intent_lsp/commands/`)."""

from functools import cache
from importlib.resources import files
from typing import Final

from intent_lsp.core.commands.rows import CommandLists, RowKind
from intent_lsp.formats.command_lists import read_command_lists

_LISTS: Final = {
    "reading.toml": RowKind.READS,
    "git.toml": RowKind.READS,
    "verifying.toml": RowKind.VERIFIES,
    "writing.toml": RowKind.WRITES,
    "running.toml": RowKind.RUNS,
}


@cache
def command_lists() -> CommandLists:
    """Read the lists; not at the start, since many sessions run no command."""
    place = files("intent_lsp") / "commands"
    return read_command_lists(
        {name: (kind, (place / name).read_text("utf-8")) for name, kind in _LISTS.items()}
    )
