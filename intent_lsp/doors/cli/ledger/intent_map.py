"""The command `trace map`: the intent map, which files and definitions each intent changed."""

from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.open import governing
from intent_lsp.governance.governance import Governance


def _answer(call: Call) -> None:
    with Governance(call.root()) as governance:
        governing(governance)
        call.page.text(governance.intent_map.text())


COMMAND: Final = Command(
    about=(
        "Write the intent map: a section for each intent, a row for each file that was edited for\n"
        "it. The server keeps the same in .orchestration/intent_map.md. Git ignores it, as a\n"
        "view in the tree would be changed by each commit. This is for a place of your own."
    ),
    examples=("intent-lsp trace map", "intent-lsp trace map -C ~/work/shop"),
    answer=_answer,
)
