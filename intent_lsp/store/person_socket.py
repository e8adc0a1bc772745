"""Asks the person at the editor of a root's server, from another process."""

from pathlib import Path
from typing import Final

from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.formats.person_wire import PersonQuestion, read_answer
from intent_lsp.store.hook_socket import connect, exchange

_REPLY_SECONDS: Final = 2.0


def server_listens(root: Path) -> bool:
    """Whether a server of a root can be asked. Its client may still have nobody to ask."""
    connection = connect(root, _REPLY_SECONDS)
    if connection is None:
        return False
    connection.close()
    return True


def ask_person_at(root: Path, question: PersonQuestion) -> ApprovalAnswer:
    """Return the answer of the person at the editor of a root's server.

    If there is none, the answer says why.
    """
    return read_answer(exchange(root, question.encode(), question.seconds + _REPLY_SECONDS))
