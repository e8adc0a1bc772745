"""opencode: it has no hooks of its own; a plug-in passes its events to `intent-lsp hook opencode`.

Payloads recorded with version 1.18.33. The plug-in throws the text on standard error when the exit
status is 2.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind, ShownText
from intent_lsp.formats.hosts.host import Fields, Host
from intent_lsp.formats.hosts.payload import Payload

_DISPLAY: Final = ("output.metadata.display",)


def _shown(payload: Payload) -> ShownText | None:
    display = payload.part(_DISPLAY)
    path, text = display.text(("path",)), display.text(("text",))
    if path is None or text is None or display.text(("type",)) != "file":
        return None
    return ShownText(path, text, display.number(("lineStart",), 1))


def _failure(payload: Payload) -> str | None:
    status = payload.find(("output.metadata.exit",))[1]
    return f"exit status {status}" if isinstance(status, int) and status else None


OPENCODE: Final = Host(
    name="opencode",
    version="1.18.33",
    events={
        "tool.execute.before": HookKind.BEFORE_TOOL,
        "tool.execute.after": HookKind.AFTER_TOOL,
        "session.created": HookKind.SESSION_START,
        "session.deleted": HookKind.SESSION_END,
        "session.idle": HookKind.TURN_END,
        "chat.message": HookKind.PROMPT,
    },
    fields=Fields(
        # An event of the plug-in's hook `event` has its own name in `type`.
        event=("input.type", "event"),
        session=("sessionID", "input.sessionID", "input.properties.sessionID"),
        agent=(),
        parent=("parentID", "input.properties.info.parentID"),
        cwd=("directory", "input.properties.info.directory", "input.directory"),
        tool=("tool", "input.tool"),
        tool_input=("args", "output.args", "input.args"),
        call_id=("callID", "input.callID"),
        model=("model", "output.message.model.modelID"),
        prompt=("prompt", "output.parts"),
    ),
    refuse=lambda _event, reason: {"reason": reason},
    told_at=frozenset(),
    failure=_failure,
    shown=_shown,
)
