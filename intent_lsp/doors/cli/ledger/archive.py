"""The command `trace archive`: moves the oldest records out of the main ledger file."""

import argparse

from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command, one_of
from intent_lsp.doors.cli.ledger.search import count, moment_given
from intent_lsp.governance.ledger.reader import tracing
from intent_lsp.store.ledger.archive import Archived, CutPoint, all_but_newest, archive, older_than


@command(
    one_of(
        argument("--before WHEN", "all older than 2w, 2026-11-21, or an RFC 3339 time"),
        argument("--keep N", "all but the newest N", type=count),
        required=True,
    ),
    examples=("intent-lsp trace archive --before 90d", "intent-lsp trace archive --keep 10000"),
    json="write {file, records, left, repeatedBytes} as JSON",
)
def trace_archive(call: Call) -> None:
    """Archive the records that the options choose, update the index, and print what was moved.

    Move the oldest records of .orchestration/agent_trace.jsonl into a file in
    .orchestration/archive/, which is named after the times of its first and last record.
    Both files are verified before any record is removed from the main file. The hash chain
    continues from the archive to the main file, and every command reads both. Commit the
    archive together with the main file.
    """
    root = call.root()
    found = archive(root, _cut(call.options))
    with tracing(root) as trace:
        # Update the index now, so that the next edit does not have to wait for it.
        trace.ledger.index.refresh()
    if call.options.json:
        told = {"file": found.file, "records": found.records, "left": found.left}
        call.page.json(told | {"repeatedBytes": found.repeated})
        return
    for line in _sentences(found):
        call.page.line(line)


def _cut(options: argparse.Namespace) -> CutPoint:
    if options.before is None:
        return all_but_newest(options.keep)
    return older_than(moment_given("--before", options.before))


def _sentences(found: Archived) -> list[str]:
    told, remaining = [], counted(found.left, "record")
    if found.repeated:
        told.append("duplicates left by an interrupted archiving were removed")
    if found.file is None:
        told.append(f"nothing was moved: the main ledger file keeps its {remaining}")
    else:
        told.append(f"{counted(found.records, 'record')} moved to {found.file}")
        told.append(f"the main ledger file keeps {remaining}")
    return told
