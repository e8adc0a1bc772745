"""The command `trace map`: the intent map, which files and definitions each intent changed."""

from intent_lsp.doors.cli.command import Call, command
from intent_lsp.doors.cli.open import governing
from intent_lsp.governance.governance import Governance


@command(examples=("intent-lsp trace map", "intent-lsp trace map -C ~/work/shop"))
def trace_map(call: Call) -> None:
    """Print the intent map as Markdown.

    Write the intent map: a section for each intent, with a row for each file that was
    edited for that intent. The server keeps the same map in .orchestration/intent_map.md,
    which git ignores, because each commit would change it. This command writes the map to
    standard output.
    """
    with Governance(call.root()) as governance:
        governing(governance)
        call.page.text(governance.intent_map.text())
