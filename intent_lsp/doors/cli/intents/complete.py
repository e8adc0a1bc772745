"""The command `intents complete`: sets an intent COMPLETED."""

from intent_lsp.core.gate.words import title_of
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.open import accepted, acting_session, governing
from intent_lsp.doors.cli.session_options import ASKER, identifier, session_needed
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.governance import Governance


@command(
    argument(
        "id",
        metavar="ID",
        type=identifier,
        nargs="?",
        help="the intent's id (default: the one that the session has selected)",
    ),
    *ASKER,
    examples=(
        "intent-lsp intents complete --session 7f3a",
        "intent-lsp intents complete INT-001 --session 7f3a --json",
    ),
    json="write {intent} as JSON",
)
def intents_complete(call: Call) -> None:
    """Set the intent given on the command line, or else the session's active intent, COMPLETED.

    Set the status of an intent to COMPLETED in the intents file, so that it can no longer
    be selected. If it was the session's active intent, the session has none afterwards.

    Raise WrongUsageError if no session is given, if there is no such intent, if the session cannot
    be used (`acting_session`), or if governance refuses.
    """
    options = call.options
    named = session_needed(options)
    with Governance(call.root()) as governance:
        governing(governance)
        session = governance.sessions.of_agent(*acting_session(governance, named, call))
        active = governance.sessions.active_intent(session.id, session.agent_id)
        wanted = options.id or active
        if wanted is None:
            raise WrongUsageError(
                f"session {named} has selected no intent", cure="give the intent's id"
            )
        done = accepted(governance.planning.complete(session, wanted, unsaved_file=False))
    if options.json:
        call.page.json({"intent": intent_json(done)})
    else:
        call.page.line(f"{title_of(done)} is now {done.status.value} in {INTENTS_FILE}")
