"""The commands `intents select` and `intents complete`: the intent that a session works for."""

from intent_lsp.core.gate.words import title_of
from intent_lsp.core.paths import INTENTS_FILE, LOCAL_ROOM
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.open import (
    ASKER,
    accepted,
    acting_session,
    agent_named,
    governing,
    identifier,
    session_named,
    session_needed,
)
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import selection_json
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.sessions import Session, session_name


@command(
    argument("id ID", "the intent's id", type=identifier),
    *ASKER,
    examples=(
        "intent-lsp intents select INT-001 --session 7f3a",
        "intent-lsp intents select INT-001 --session 7f3a --json",
    ),
    json="write {intent, context, text, warnings} as JSON",
)
def intents_select(call: Call) -> None:
    """Make the given intent active in a session, and print what its worker has to know.

    Make an intent the active intent of a session, and print what you have to know to work for
    it. A PLANNED intent becomes IN_PROGRESS in the intents file. Give the session by its id or
    its handle, with --session or in INTENT_LSP_SESSION. In the shell of an agent whose host
    runs `intent-lsp hook`, it need not be given. If it is not given at a terminal, you are
    asked whether the session of your only open editor is meant.
    """
    options = call.options
    with Governance(call.root()) as governance:
        rules = governing(governance)
        _require_state(governance)
        if _selected_by_hook(governance, rules, call):
            done = accepted(governance.checkout.context(options.id))
        else:
            session = _session(governance, rules, call)
            done = accepted(governance.checkout.select(session, options.id, unsaved_file=False))
    for warning in done.warnings:
        call.page.remark(f"intent-lsp: {warning}")
    if options.json:
        call.page.json(selection_json(done))
    elif call.page.terminal:
        for line in done.text.splitlines():
            call.page.line(line)
    else:
        call.page.text(done.text)


def _selected_by_hook(governance: Governance, rules: Rules, call: Call) -> bool:
    """Return whether a hook has just selected the intent for the agent that runs this command.

    That is assumed if an agent that was active within the last minute has selected the intent in
    its turn. Return False if a session is named, or if somebody can be asked at a terminal.
    """
    if session_named(call.options) is not None or call.page.asks:
        return False
    # The hook has stored the present id, whatever id the command names.
    intent = rules.active(call.options.id)
    return intent is not None and governance.handles.just_selected(intent.id) is not None


def _session(governance: Governance, rules: Rules, call: Call) -> Session:
    """Return the session in which to select the intent.

    It is the one that the options or the environment name, else that of the user's editor, if the
    person agrees. A named session that does not exist yet is created. Raise WrongUsageError if no
    session is found, or if it cannot be used (`acting_session`).
    """
    named = session_named(call.options)
    if named is None:
        return governance.sessions.open_agent(_of_editor(governance, rules, call))
    return governance.sessions.open_agent(*acting_session(governance, named, call))


def _require_state(governance: Governance) -> None:
    """Raise WrongUsageError if the root's state, and so a selection, cannot be stored."""
    problem = governance.stores.problem()
    if governance.stores.state is None:
        problem = f"{LOCAL_ROOM} is not a directory that can be written to"
    if problem is not None:
        raise WrongUsageError(
            f"the selection cannot be stored: {problem}", cure="fix that, then select again"
        )


def _of_editor(governance: Governance, rules: Rules, call: Call) -> str:
    """Return the id of this user's only live editor session, if the person agrees to change it.

    Raise WrongUsageError if there is no such session, if --agent is given, if nobody can be asked
    at a terminal, or if the person does not agree. A command in an agent's shell must not change
    the person's intent.
    """
    editor = governance.sessions.asker(None, agent_named(call.options))
    if editor is None or not call.page.asks:
        return session_needed(call.options)
    name = session_name(editor.session_id, editor.row, rules)
    question = f"Select {call.options.id} in your editor's session {name}?"
    if not call.page.agreed(question):
        raise WrongUsageError(
            "nothing was selected", cure="to select it in another session, use --session S"
        )
    return editor.session_id


@command(
    argument(
        "id ID",
        "the intent's id (default: the one that the session has selected)",
        type=identifier,
        nargs="?",
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

    Raise WrongUsageError if no session is given, even if an intent is; if there is no such intent,
    or no active one; if the session cannot be used (`acting_session`); or if governance refuses.
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
