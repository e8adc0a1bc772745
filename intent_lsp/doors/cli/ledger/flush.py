"""The command `trace flush`: records unfinished runs of automatic saves now."""

from intent_lsp.doors.cli.command import Call, command
from intent_lsp.governance.ledger.reader import tracing


@command(
    examples=("intent-lsp trace flush", "intent-lsp trace flush --json"),
    json="write {recorded} as JSON",
)
def trace_flush(call: Call) -> None:
    """Record unfinished runs of automatic saves, and print how many records were added.

    When an editor saves automatically, a run of saves becomes one record, three seconds
    after the last save. This command records unfinished runs now, and also the edits that
    wait for the ledger, so that a commit contains both an edit and its record:

      intent-lsp trace flush && git add .orchestration
    """
    with tracing(call.root()) as trace:
        recorded = trace.ledger.end_runs()
    if call.options.json:
        call.page.json({"recorded": recorded})
    elif recorded:
        call.page.line("1 record was added" if recorded == 1 else f"{recorded} records were added")
