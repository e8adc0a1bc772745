"""The answer to `trace archive`: what was moved where, and what is left."""

import argparse
import json

from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.locate import root_above
from intent_lsp.doors.cli.terminal.times import since
from intent_lsp.governance.ledger.reader import tracing
from intent_lsp.store import clock
from intent_lsp.store.ledger.archive import Archived, Cut, all_but_newest, archive, older_than


def answer(call: Call) -> int:
    """Archive, and say what became of it."""
    root = root_above(call.options.root)
    found = archive(root, _cut(call.options))
    with tracing(root) as trace:
        # Read anew here, and not while the next edit waits for it.
        trace.ledger.index.refresh()
    if call.options.json:
        told = {"file": found.file, "records": found.records, "left": found.left}
        call.page.json(json.dumps(told | {"repeatedBytes": found.repeated}).encode())
        return Exit.FINE
    for line in _sentences(found):
        call.page.line(line)
    return Exit.FINE


def _cut(options: argparse.Namespace) -> Cut:
    if options.before is None:
        return all_but_newest(options.keep)
    moment = since(options.before, clock.now())
    if moment is None:
        raise WrongUsageError(
            f"--before: {options.before} is not a date or time",
            cure="say 2w, 90d, 2026-11-21 or 2026-11-21T20:27:33Z",
        )
    return older_than(moment)


def _sentences(found: Archived) -> list[str]:
    told = []
    if found.repeated:
        told.append("duplicates left by an interrupted archiving were removed")
    if found.file is None:
        told.append(f"nothing to move: the main ledger file keeps its {_counted(found.left)}")
    else:
        told.append(f"{_counted(found.records)} moved to {found.file}")
        told.append(f"{_counted(found.left)} remain in the main ledger file")
    return told


def _counted(number: int) -> str:
    return "1 record" if number == 1 else f"{number:,} records"
