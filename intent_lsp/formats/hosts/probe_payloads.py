"""Payloads with which `intent-lsp doctor` asks a host's hook whether the gate is on.

Invariant: the call is an edit of the intents file by an agent, which is refused in every mode.
"""

from collections.abc import Mapping
from typing import Any, Final

from intent_lsp.core.agents.hook_event import PROBE_SESSION
from intent_lsp.core.paths import INTENTS_FILE

_CALL: Final = "probe"
_TEXT: Final = "# A probe of `intent-lsp doctor`. It is never written.\n"

# Values in the shapes below whose place the event, the intents file and its root take.
_EVENT, _FILE, _ROOT = "@EVENT@", "@FILE@", "@ROOT@"

_PATCH: Final = f"*** Begin Patch\n*** Delete File: {INTENTS_FILE}\n*** End Patch\n"
_TOOLS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "codex": ("apply_patch", {"command": _PATCH}),
    "copilot": ("Write", {"path": _FILE, "file_text": _TEXT}),
    "kimi": ("Write", {"path": _FILE, "content": _TEXT}),
    "gemini": ("write_file", {"file_path": _FILE, "content": _TEXT}),
    "qwen": ("write_file", {"file_path": _FILE, "content": _TEXT}),
    "kiro": ("fs_write", {"path": _FILE, "file_text": _TEXT}),
}
"""The tool with which a host writes a file, and its input, where they are not Claude Code's.

For Codex, the input is a patch that deletes the intents file.
"""

_CLINE_INPUT: Final = {"path": _FILE, "new_text": _TEXT}
_SHAPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "antigravity": {
        "conversationId": PROBE_SESSION,
        "workspacePath": _ROOT,
        "toolCall": {
            "id": _CALL,
            "name": "write_to_file",
            "args": {"TargetFile": _FILE, "CodeContent": _TEXT, "Cwd": _ROOT},
        },
    },
    "cline": {
        "hookName": "tool_call",
        "sessionContext": {"rootSessionId": PROBE_SESSION},
        "workspaceInfo": {"rootPath": _ROOT},
        "tool_call": {"id": _CALL, "name": "editor", "input": _CLINE_INPUT},
        "preToolUse": {"toolName": "editor", "parameters": _CLINE_INPUT},
    },
    "cursor": {
        "hook_event_name": _EVENT,
        "conversation_id": PROBE_SESSION,
        "workspace_roots": [_ROOT],
        "cwd": _ROOT,
        "tool_name": "Write",
        "tool_input": {"file_path": _FILE, "contents": _TEXT},
        "tool_use_id": _CALL,
    },
    "grok": {
        "sessionId": PROBE_SESSION,
        "workspaceRoot": _ROOT,
        "toolName": "write_file",
        "toolInput": {"path": _FILE, "content": _TEXT},
        "toolUseId": _CALL,
    },
    "opencode": {
        "event": _EVENT,
        "tool": "write",
        "sessionID": PROBE_SESSION,
        "callID": _CALL,
        "args": {"filePath": _FILE, "content": _TEXT},
        "directory": _ROOT,
        "worktree": _ROOT,
    },
    "windsurf": {
        "agent_action_name": _EVENT,
        "trajectory_id": PROBE_SESSION,
        "execution_id": _CALL,
        "tool_info": {
            "cwd": _ROOT,
            "file_path": _FILE,
            "edits": [{"old_string": "", "new_string": _TEXT}],
        },
    },
}
"""The payloads of the hosts that do not send what Claude Code sends."""


def probe_payload(host: str, event: str, root: str) -> Mapping[str, Any]:
    """Return the payload that a host sends before a call that edits the intents file of a root.

    `host` is the name in `intent-lsp hook NAME`, `event` the host's name of the event, and `root`
    the absolute path of the root.
    """
    tool, given = _TOOLS.get(host, ("Write", {"file_path": _FILE, "content": _TEXT}))
    usual = {
        "hook_event_name": _EVENT,
        "session_id": PROBE_SESSION,
        "cwd": _ROOT,
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": _CALL,
    }
    known = {_EVENT: event, _FILE: f"{root}/{INTENTS_FILE}", _ROOT: root}
    filled: Mapping[str, Any] = _filled(_SHAPES.get(host, usual), known)
    return filled


def _filled(shape: object, known: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return `shape` with each placeholder replaced by its value in `known`."""
    if isinstance(shape, Mapping):
        return {key: _filled(value, known) for key, value in shape.items()}
    if isinstance(shape, list):
        return [_filled(value, known) for value in shape]
    return known.get(shape, shape) if isinstance(shape, str) else shape
