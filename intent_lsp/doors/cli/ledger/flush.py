"""The command `trace flush`: records unfinished runs of automatic saves now.

When an editor saves automatically, a run of saves becomes one record, three seconds
after the last save. This command records unfinished runs now, and also the edits that
wait for the ledger, so that a commit contains both an edit and its record:

  intent-lsp trace flush && git add .orchestration
"""

from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.governance.ledger.reader import tracing


def _answer(call: Call) -> None:
    with tracing(call.root()) as trace:
        recorded = trace.ledger.end_runs()
    if call.options.json:
        call.page.json({"recorded": recorded})
    elif recorded:
        call.page.line("1 record was added" if recorded == 1 else f"{recorded} records were added")


COMMAND: Final = Command(
    examples=("intent-lsp trace flush", "intent-lsp trace flush --json"),
    json="write {recorded} as JSON",
    answer=_answer,
)
