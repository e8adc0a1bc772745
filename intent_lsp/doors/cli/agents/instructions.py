"""The command `agents instructions`: prints what an agent has to know."""

from intent_lsp.doors.cli.command import Call, command
from intent_lsp.formats.registrations.instructions import INSTRUCTIONS


@command(
    examples=("intent-lsp agents instructions", "intent-lsp agents instructions --json"),
    json="write {instructions} as JSON",
    in_root=False,
)
def agents_instructions(call: Call) -> None:
    """Print the instructions for agents as Markdown, or with --json as JSON.

    Print the instructions for agents as Markdown: how to select an intent, what may be edited,
    and how to ask for more. `intent-lsp agents install --instructions` puts them into AGENTS.md
    or CLAUDE.md.
    """
    if call.options.json:
        call.page.json({"instructions": INSTRUCTIONS})
    else:
        call.page.text(INSTRUCTIONS)
