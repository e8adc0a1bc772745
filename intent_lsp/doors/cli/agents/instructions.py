"""The command `agents instructions`: prints what an agent has to know.

Print the instructions for agents as Markdown: how to select an intent, what may be edited,
and how to ask for more. `intent-lsp agents install --instructions` puts them into AGENTS.md
or CLAUDE.md.
"""

from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.formats.registrations.instructions import INSTRUCTIONS


def answer(call: Call) -> None:
    """Print the instructions for agents as Markdown, or with --json as JSON."""
    if call.options.json:
        call.page.json({"instructions": INSTRUCTIONS})
    else:
        call.page.text(INSTRUCTIONS)


COMMAND: Final = Command(
    examples=("intent-lsp agents instructions", "intent-lsp agents instructions --json"),
    json="write {instructions} as JSON",
    in_root=False,
    answer=answer,
)
