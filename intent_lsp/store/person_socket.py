"""Asks the person at the editor of a root's server, from another process."""

import os
import socket
from pathlib import Path
from typing import Final

from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.formats.person_wire import PersonQuestion, read_answer
from intent_lsp.store.hook_socket import exchange, is_private, socket_place

_REPLY_SECONDS: Final = 2.0


def server_listens(root: Path) -> bool:
    """Whether a server of a root can be asked. Its client may still have nobody to ask."""
    place = socket_place(root)
    if not is_private(place.parent):
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(os.fspath(place))
        except OSError:
            return False
    return True


def ask_person_at(root: Path, question: PersonQuestion) -> ApprovalAnswer:
    """Return the answer of the person at the editor of a root's server.

    If there is none, the answer says why.
    """
    return read_answer(exchange(root, question.encode(), question.seconds + _REPLY_SECONDS))
