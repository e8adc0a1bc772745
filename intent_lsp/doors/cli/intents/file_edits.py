"""The commands `intents add` and `intents rename`, which edit the intents file."""

from functools import partial
from typing import Final

from intent_lsp.core.gate.words import listed
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.paths import INTENTS_FILE, parse_relative
from intent_lsp.core.scope.findings import pattern_findings
from intent_lsp.doors.cli.command import Call, argument, command, repeated
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.intents.list_intents import status
from intent_lsp.doors.cli.open import accepted, governing, identifier, sentence
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.renaming import rename_on_disk
from intent_lsp.store.fs.resolve import is_directory

_CURE: Final = 'give a glob such as "src/auth/**"; docs/scope.md says what a glob means'


@command(
    argument("name NAME", "what people will read", type=sentence),
    argument(
        "--scope GLOB",
        "the files it owns, from the root; quote it, or the shell reads it first",
        type=sentence,
        nargs="+",
        action="extend",
        required=True,
    ),
    argument("--id ID", "its id (default: the next free INT-NNN)", type=identifier),
    repeated("--constraint TEXT", "what it must keep to; may be given again", type=sentence),
    repeated("--criterion TEXT", "when it is done; may be given again", type=sentence),
    argument(
        "--status S",
        "its status (default: %(default)s, which selecting makes IN_PROGRESS)",
        type=status,
        default=Status.PLANNED,
    ),
    examples=(
        'intent-lsp intents add "Login by token" --scope "src/auth/**" "tests/auth/**"',
        'intent-lsp intents add Docs --scope "docs/**" --criterion "no dead link" --json',
    ),
    json="write {intent} as JSON",
)
def intents_add(call: Call) -> None:
    """Add the intent that the options describe to the intents file, and print its id.

    Add an intent at the end of the intents file and print its id. Nothing else in the file
    changes. A glob that can match nothing, that matches everything, or that matches control
    files is refused.
    """
    options = call.options
    wanted = Intent(
        id=IntentId(options.id or ""),
        name=options.name,
        owned_scope=tuple(options.scope),
        constraints=tuple(options.constraint),
        acceptance_criteria=tuple(options.criterion),
        status=options.status,
    )
    with Governance(call.root()) as governance:
        made = _created(governance, wanted)
        seen = partial(is_directory, governance.root)
        doubts = [
            f"{pattern}: {finding.message}"
            for pattern in wanted.owned_scope
            for finding in pattern_findings(pattern, seen)
        ]
    for doubt in doubts:
        call.page.remark(f"intent-lsp: {doubt}")
    if options.json:
        call.page.json({"intent": intent_json(made)})
        return
    call.page.line(
        f"{made.id} was added to {INTENTS_FILE}: {made.name} ({made.status.value}),"
        f" owns {listed(made.owned_scope)}"
    )


def _created(governance: Governance, wanted: Intent) -> Intent:
    governing(governance)
    for pattern in wanted.owned_scope:
        directory = parse_relative(pattern)
        if directory is not None and is_directory(governance.root, directory):
            raise WrongUsageError(
                f"--scope: {pattern!r} is a directory; as a glob it matches no file in it",
                cure=f'say "{directory}/**"',
            )
    found = governance.planning.ungrantable(wanted.owned_scope, of_new_intent=True)
    if found is not None:
        pattern, reason = wanted.owned_scope[found[0]], found[1].rstrip(".")
        problem = f"--scope: {pattern!r} is refused: {reason}"
        raise WrongUsageError(problem, cure=_CURE)
    # Unsaved edits in an editor are not known here. The editor will notice that the file has
    # changed.
    return accepted(governance.planning.create(wanted, unsaved_file=False))


@command(
    argument("old OLD", "the intent's id, or an alias", type=identifier),
    argument("new NEW", "the id that it gets", type=identifier),
    examples=(
        "intent-lsp intents rename INT-001 AUTH-1",
        "intent-lsp intents rename INT-001 AUTH-1 --json",
    ),
    json="write {intent, aliases, oldId} as JSON",
)
def intents_rename(call: Call) -> None:
    """Give the intent with the id or alias `old` the id `new`, and print both ids.

    Change the id of an intent in the intents file. The old id becomes an alias, so that the
    records, grants and sessions of the intent stay with it. The new id also replaces the old
    one in `active_intent` and in lines of .intentignore that are exactly the old id. Nothing
    else in the files changes.

    Raise WrongUsageError if governance refuses.
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
        f"{done.old_id} is now {done.intent.id} in {INTENTS_FILE}; {done.old_id} is an alias of it"
    )
