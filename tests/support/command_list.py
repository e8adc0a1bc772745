"""The list of commands in docs/spec/protocol.md, made from the summaries in the command table.

`python -m tests.support.command_list` writes it; a test compares it with the code.
"""

import re
from pathlib import Path

from intent_lsp.doors.cli.main import COMMANDS

PAGE = Path(__file__).parent.parent.parent / "docs" / "spec" / "protocol.md"

_LIST = re.compile(r"(?<=\| command \| what \|\n\| --- \| --- \|\n)(?:\| `intent-lsp.*\n)+")


def written() -> str:
    """Return the list that is in the page."""
    found = _LIST.search(PAGE.read_text(encoding="utf-8"))
    return found.group() if found else ""


def made() -> str:
    """Return the list made from the commands: a row for each, with its summary."""
    return "".join(f"| `{command.line}` | {command.summary} |\n" for command in COMMANDS)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_LIST.sub(lambda _: made(), page), encoding="utf-8")
