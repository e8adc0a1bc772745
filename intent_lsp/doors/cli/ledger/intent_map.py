"""The command `trace map`: the intent map, which files and definitions each intent changed.

Write the intent map: a section for each intent, a row for each file that was edited for
it. The server keeps the same in .orchestration/intent_map.md. Git ignores it, as a
view in the tree would be changed by each commit. This is for a place of your own.
"""

from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.open import governing
from intent_lsp.governance.governance import Governance


def _answer(call: Call) -> None:
    with Governance(call.root()) as governance:
        governing(governance)
        call.page.text(governance.intent_map.text())


COMMAND: Final = Command(
    examples=("intent-lsp trace map", "intent-lsp trace map -C ~/work/shop"),
    answer=_answer,
)
