"""What commands ask first: the session that they act for, and whether the root is governed."""

import argparse
from typing import Final, TypeVar

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.session_options import agent_named, session_named
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.governance.root.sessions import Asker, session_name

T = TypeVar("T")

_CURES: Final = {
    RequestCode.INTENT_NOT_FOUND: "`intent-lsp intents list` shows all intents",
    RequestCode.INTENT_CLOSED: f"choose an open intent, or reopen this one in {INTENTS_FILE}",
    RequestCode.INTENT_IGNORED: (
        "choose another intent, or take the line that matches this one's id out of .intentignore"
    ),
    RequestCode.INTENTS_FILE_UNWRITTEN: (
        f"fix that and run the command again, or edit {INTENTS_FILE} by hand"
    ),
    RequestCode.NOT_GOVERNED: (
        "fix the intents file; governance is on again as soon as it can be read"
    ),
}

_USE_HANDLE: Final = "use the handle that your session was given at its beginning, or in a refusal"

_GONE: Final = "restore the intents file, or run `intent-lsp init` to create a new one"


def asking(governance: Governance, options: argparse.Namespace, page: Output) -> Asker | None:
    """Return the session that the command acts for, or None if there is none.

    It is the one that the options or the environment name, else, without --agent, the session of
    this user's only live editor. For the latter, and for a session that is not known in this root,
    print a remark on `page`. Raise WrongUsageError if the environment names a session by a
    malformed text.
    """
    named, agent_id = session_named(options), agent_named(options)
    if named is not None and (found := governance.handles.resolve(named)) is not None:
        named, agent_id = found[0], agent_id or found[1]
    asker = governance.sessions.asker(named, agent_id)
    if asker is not None and named is None:
        rules = governance.rules.current()
        name = session_name(asker.session_id, asker.row, rules)
        page.remark(f"intent-lsp: this command acts for your editor's session {name}")
    elif asker is not None and asker.row is None:
        page.remark(
            f"intent-lsp: no session {asker.session_id} is known here, so no intent is selected"
        )
    return asker


def acting_session(governance: Governance, named: str, call: Call) -> tuple[str, str]:
    """Return the ids of the session and the subagent ("": none) for which a command changes things.

    `named` is the session's id, or a handle; --agent names a subagent before the handle does. Raise
    WrongUsageError for an unknown handle, and, if nobody can be asked at a terminal, for the id of
    a session that has a handle: it could be the session of another agent.
    """
    found = governance.handles.resolve(named)
    if found is None:
        raise WrongUsageError(f"there is no session {named}", cure=_USE_HANDLE)
    if not call.page.asks and found[0] == named and governance.handles.has_handle(named):
        raise WrongUsageError(
            f"{named} is the id of an agent's session, and only a person may give it",
            cure=_USE_HANDLE,
        )
    return found[0], agent_named(call.options) or found[1]


def governing(governance: Governance) -> Rules:
    """Return the rules in force in the root. Raise WrongUsageError if governance is off."""
    rules = governance.rules.current()
    if rules.governed:
        return rules
    cure = _GONE if rules.state is FileState.MISSING else _CURES[RequestCode.NOT_GOVERNED]
    raise WrongUsageError(f"governance is off: {rules.reason}", cure=cure)


def accepted(result: T | CheckoutRefusal) -> T:
    """Return a result of governance. Raise WrongUsageError if it is a refusal, with a cure."""
    if isinstance(result, CheckoutRefusal):
        raise WrongUsageError(result.message.rstrip("."), cure=_CURES.get(result.code, ""))
    return result
