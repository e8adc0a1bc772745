"""Claude Code: the host whose hooks most other hosts have copied.

Payloads recorded with version 2.1.330. A refusal without JSON, or with text that is no JSON, lets
the call pass.
"""

from typing import Final

from intent_lsp.core.agents.hook_answer import COPILOT_VARIABLE
from intent_lsp.core.agents.hook_event import ShownText
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.payload import Payload

_FILE: Final = ("tool_response.file",)


def _shown(payload: Payload) -> ShownText | None:
    file = payload.part(_FILE)
    path, text = file.text(("filePath",)), file.text(("content",))
    if path is None or text is None:
        return None
    return ShownText(path, text, file.number(("startLine",), 1))


def _by_person(payload: Payload) -> bool:
    return payload.is_set(("tool_response.userModified",))


CLAUDE: Final = Host(
    name="claude",
    version="2.1.330",
    shown=_shown,
    by_person=_by_person,
    # Copilot runs the hooks in Claude's file too, and shows no reason with exit status 2.
    silent_under=COPILOT_VARIABLE,
)
