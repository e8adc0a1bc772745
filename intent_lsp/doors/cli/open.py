"""Opens a governed root for one command, and finds the session that the command acts for.

Invariant: a command opens no editor session, so it ends none.
Invariant: progress is shown only on a terminal, and is not part of the output.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.gate.messages_for_people import title_of
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.session_options import agent_named, session_named
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.rules import FileState, Rules
from intent_lsp.store.state.session_row import SessionRow

_CURES: Final = {
    RequestCode.INTENT_NOT_FOUND: "`intent-lsp intents list` shows them all",
    RequestCode.INTENT_CLOSED: f"choose an open intent, or reopen this one in {INTENTS_FILE}",
    RequestCode.INTENT_IGNORED: "choose another, or take the line out of .intentignore",
    RequestCode.INTENTS_FILE_UNWRITTEN: "fix that and run the command again, or edit the file",
    RequestCode.NOT_GOVERNED: "fix the file; governance is on again as soon as it can be read",
}

SHORT_SESSION: Final = 8
"""Characters of a session id that are shown to a person."""

_GONE: Final = "put it back, or run `intent-lsp init` to begin anew"


@contextmanager
def open_governance(root: Path) -> Iterator[Governance]:
    """Open governance of a root, and close it when the context ends."""
    governance = Governance(root)
    try:
        yield governance
    finally:
        governance.close(None)


def asking(
    governance: Governance, options: argparse.Namespace, page: Output
) -> tuple[str, str] | None:
    """Return the ids of the session and subagent that ask, or None if unknown.

    Without a name, the session of this user's only live editor is taken, and a remark says so. A
    remark also reports a session that is not known.
    """
    session_id, agent_id = session_named(options), agent_named(options)
    if session_id is None:
        editor = None if agent_id else governance.sessions.only_editor()
        if editor is None:
            return None
        name = session_name(editor, governance.rules.current())
        page.remark(f"intent-lsp: for your editor's session, {name}")
        return editor.session_id, ""
    if governance.sessions.row(session_id, agent_id) is None:
        page.remark(f"intent-lsp: there is no known session {session_id}")
    return session_id, agent_id


def session_name(row: SessionRow, rules: Rules) -> str:
    """Return a session's name for a person: the start of its id, and its intent."""
    intent = rules.active(row.active_intent)
    selected = row.active_intent if intent is None else title_of(intent)
    return f"{row.session_id[:SHORT_SESSION]}: {selected or 'no intent selected'}"


def governing(governance: Governance) -> Rules:
    """Return the rules in force. Raise WrongUsageError if governance is off."""
    rules = governance.rules.current()
    if rules.governed:
        return rules
    cure = _GONE if rules.state is FileState.MISSING else _CURES[RequestCode.NOT_GOVERNED]
    raise WrongUsageError(f"governance is off: {rules.reason}", cure=cure)


def refused(refusal: CheckoutRefusal) -> WrongUsageError:
    """Return the refusal of a request as an error that ends the command."""
    return WrongUsageError(refusal.message.rstrip("."), cure=_CURES.get(refusal.code, ""))
