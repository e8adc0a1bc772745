"""Codex: its edits are patches, and a refusal without a reason lets the edit pass.

Payloads recorded with version 0.169.0.
"""

import re
from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import TOLD_AT, Host
from intent_lsp.formats.hosts.payload import Payload

_EXIT: Final = re.compile(r"Exit code: (-?\d+)")


def _failure(payload: Payload) -> str | None:
    """Return the output of a patch that failed, or None if it did not fail.

    The failure of a shell command is not seen, since its output does not begin with its status.
    """
    said = payload.prose(("tool_response",))
    found = _EXIT.match(said)
    return said if found is not None and found[1] != "0" else None


CODEX: Final = Host(
    name="codex",
    version="0.169.0",
    told_at=TOLD_AT - {HookKind.FAILED_TOOL},
    failure=_failure,
    types_unseen=True,
)
