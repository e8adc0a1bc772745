"""The desk of a governed root, opened for one command and let go of after it.

Invariant: a command opens no editor's session, so that none is ended by it.
Invariant: what takes long is shown on a terminal, and is no part of the answer.
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
from intent_lsp.store.state.sessions_db import SessionRow

_CURES: Final = {
    RequestCode.INTENT_NOT_FOUND: "`intent-lsp intents list` shows them all",
    RequestCode.INTENT_CLOSED: f"choose an open intent, or reopen this one in {INTENTS_FILE}",
    RequestCode.INTENT_IGNORED: "choose another, or take the line out of .intentignore",
    RequestCode.INTENTS_FILE_UNWRITTEN: "fix that and run the command again, or edit the file",
    RequestCode.NOT_GOVERNED: "fix the file; governance is on again as soon as it can be read",
}

SHORT_SESSION: Final = 8
"""Characters of a session's id that name it for a person."""

_GONE: Final = "put it back, or run `intent-lsp init` to begin anew"


@contextmanager
def open_governance(root: Path) -> Iterator[Governance]:
    """Open the desk of a root."""
    governance = Governance(root)
    try:
        yield governance
    finally:
        governance.close(None)


def asking(
    governance: Governance, options: argparse.Namespace, page: Output
) -> tuple[str, str] | None:
    """Give the session that asks and its subagent; None: nobody knows which.

    Where none is named it is the only live one of this user's editors, which a remark says; one
    tells of a stranger, too.
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
    """Name a session by the beginning of its id, and by its intent."""
    intent = rules.active(row.active_intent)
    selected = row.active_intent if intent is None else title_of(intent)
    return f"{row.session_id[:SHORT_SESSION]}: {selected or 'no intent selected'}"


def governing(governance: Governance) -> Rules:
    """Give the rules in force. Raises WrongUsageError where governance is off."""
    rules = governance.rules.current()
    if rules.governed:
        return rules
    cure = _GONE if rules.state is FileState.MISSING else _CURES[RequestCode.NOT_GOVERNED]
    raise WrongUsageError(f"governance is off: {rules.reason}", cure=cure)


def refused(refusal: CheckoutRefusal) -> WrongUsageError:
    """Make the refusal of a request the end of the command."""
    return WrongUsageError(refusal.message.rstrip("."), cure=_CURES.get(refusal.code, ""))
