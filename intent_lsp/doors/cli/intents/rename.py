"""The command `intents rename`: gives an intent another id.

Change the id of an intent in the intents file. The old id becomes an alias, so that its
records and grants stay with the intent, and so do the sessions that have selected it.
What names it changes with it: `active_intent` and lines of .intentignore that are
exactly the id. Nothing else in the files changes.
"""

import argparse
from typing import Final

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.open import accepted, governing
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.renaming import rename_on_disk


def answer(call: Call) -> None:
    """Give the intent with the id or alias `old` the id `new`, and print both ids.

    Warnings go to standard error. Raise WrongUsageError if governance refuses.
    """
    options = call.options
    with Governance(call.root()) as governance:
        governing(governance)
        # Unsaved edits in an editor are not known here. The editor will notice that the file has
        # changed.
        done = accepted(
            rename_on_disk(governance.writer, options.old, options.new, unsaved_file=False)
        )
    for warning in done.warnings:
        call.page.remark(f"intent-lsp: {warning}")
    if options.json:
        aliases = list(done.intent.aliases)
        intent = intent_json(done.intent)
        call.page.json({"intent": intent, "aliases": aliases, "oldId": done.old_id})
        return
    call.page.line(
        f"{done.old_id} is now {done.intent.id} in {INTENTS_FILE}, and {done.old_id} an alias of it"
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", type=identifier, help="the intent's id, or an alias")
    parser.add_argument("new", metavar="NEW", type=identifier, help="the id that it gets")


COMMAND: Final = Command(
    examples=(
        "intent-lsp intents rename INT-001 AUTH-1",
        "intent-lsp intents rename INT-001 AUTH-1 --json",
    ),
    json="write {intent, aliases, oldId} as JSON",
    arguments=_arguments,
    answer=answer,
)
