"""The session that a command acts for, and whether its root is governed.

Invariant: no session is invented: it comes from an option or the environment, or there is none.
"""

import argparse
import os
from typing import Final, TypeVar

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.text import whole
from intent_lsp.doors.cli.command import Call, argument
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.governance.root.sessions import Asker, session_name

VARIABLE: Final = "INTENT_LSP_SESSION"
LONGEST_ID: Final = 256
LONGEST_TEXT: Final = 4096


def identifier(text: str) -> str:
    """Return `text` unchanged if it can be the id of a session, intent or tool.

    This is a type function for argparse: raise argparse.ArgumentTypeError if the text is empty, has
    more than 256 characters, is not UTF-8 or has a null character.
    """
    return _text(text, LONGEST_ID)


def sentence(text: str) -> str:
    """Return `text` unchanged if it can be a name, sentence or glob.

    This is a type function for argparse: raise argparse.ArgumentTypeError if the text is empty, has
    more than 4096 characters, is not UTF-8 or has a null character.
    """
    return _text(text, LONGEST_TEXT)


def _text(text: str, longest: int) -> str:
    length = len(text)
    if not 1 <= length <= longest:
        raise argparse.ArgumentTypeError(f"must have 1 to {longest} characters, but has {length}")
    # Shell arguments can be any bytes; what is stored must be text.
    if whole(text) != text or "\0" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8 text")
    return text


ASKER: Final = (
    argument(
        "--session S", f"the session that asks (default: what {VARIABLE} says)", type=identifier
    ),
    argument("--agent A", "a subagent of that session", type=identifier),
)
"""The options for the session that a command acts for, and for its subagent."""


def session_named(options: argparse.Namespace) -> str | None:
    """Return the id or handle of the session given by --session, else by INTENT_LSP_SESSION.

    Return None if neither gives one. Raise WrongUsageError if it is malformed.
    """
    named: str | None = options.session or os.environ.get(VARIABLE) or None
    try:
        return None if named is None else identifier(named)
    except argparse.ArgumentTypeError as problem:
        raise WrongUsageError(
            f"{VARIABLE}: {problem}", cure="set the variable to a session's id"
        ) from None


def session_needed(options: argparse.Namespace) -> str:
    """Return the id or handle of the session given by --session, else by INTENT_LSP_SESSION.

    Raise WrongUsageError if neither gives one, or if it is malformed.
    """
    session_id = session_named(options)
    if session_id is None:
        raise WrongUsageError("no session was given", cure=f"use --session S, or set {VARIABLE}")
    return session_id


def agent_named(options: argparse.Namespace) -> str:
    """Return the id of the subagent given by --agent, or "" without one."""
    return options.agent or ""


T = TypeVar("T")

_CURES: Final = {
    RequestCode.INTENT_NOT_FOUND: "`intent-lsp intents list` shows all intents",
    RequestCode.INTENT_CLOSED: (
        f"choose an open intent, or set the status of this one to IN_PROGRESS in {INTENTS_FILE}"
    ),
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

    It is the session that --session or the environment names. If neither names one, and --agent is
    not given, it is the session of this user's only live editor. Print a remark on `page` if it is
    the editor's session, or if the session is not known in this root. Raise WrongUsageError if the
    environment names a session by a malformed text.
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

    `named` is the session's id, or a handle. A subagent given by --agent counts before that of the
    handle. Raise WrongUsageError for an unknown handle. Raise it also, if nobody can be asked at a
    terminal, for the id of a session that has a handle: it could be the session of another agent.
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
    """Return a result of governance. If it is a refusal, raise WrongUsageError with a cure."""
    if isinstance(result, CheckoutRefusal):
        raise WrongUsageError(result.message.rstrip("."), cure=_CURES.get(result.code, ""))
    return result
