"""The command `intents rename`: gives an intent another id."""

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.open import accepted, governing
from intent_lsp.doors.cli.session_options import identifier
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.renaming import IntentRenamer


@command(
    argument("old", metavar="OLD", type=identifier, help="the intent's id, or an alias"),
    argument("new", metavar="NEW", type=identifier, help="the id that it gets"),
    examples=(
        "intent-lsp intents rename INT-001 AUTH-1",
        "intent-lsp intents rename INT-001 AUTH-1 --json",
    ),
    json="write {intent, aliases, oldId} as JSON",
)
def intents_rename(call: Call) -> None:
    """Give the intent with the id or alias `old` the id `new`, and print both ids.

    Change the id of an intent in the intents file. The old id becomes an alias, so that its
    records and grants stay with the intent, and so do the sessions that have selected it.
    What names it changes with it: `active_intent` and lines of .intentignore that are
    exactly the id. Nothing else in the files changes.

    Raise WrongUsageError if governance refuses.
    """
    options = call.options
    with Governance(call.root()) as governance:
        governing(governance)
        renamer = IntentRenamer(
            root=governance.root, rules=governance.rules, writer=governance.writer
        )
        # Unsaved edits in an editor are not known here. The editor will notice that the file has
        # changed.
        done = accepted(renamer.rename(options.old, options.new, unsaved_file=False))
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
