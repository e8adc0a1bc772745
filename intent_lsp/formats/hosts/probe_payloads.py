"""Payloads with which `intent-lsp doctor` asks a host's hook whether the gate is on.

Invariant: the call is an edit of the intents file by an agent, which is refused in every mode.
"""

from collections.abc import Mapping
from typing import Any, Final

from intent_lsp.core.agents.hook_event import PROBE_SESSION
from intent_lsp.core.paths import INTENTS_FILE

_CALL: Final = "probe"
_TEXT: Final = "# A probe of `intent-lsp doctor`. It is never written.\n"


def probe_payload(host: str, event: str, root: str) -> Mapping[str, Any]:
    """Return the payload that a host sends before a call that edits the intents file of a root.

    `host` is the name in `intent-lsp hook NAME`, `event` the host's name of the event, and `root`
    the absolute path of the root.
    """
    path = f"{root}/{INTENTS_FILE}"
    make = _SHAPES.get(host)
    if make is not None:
        return make(event, path, root)
    tool, given = _tool(host, path)
    return {
        "hook_event_name": event,
        "session_id": PROBE_SESSION,
        "cwd": root,
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": _CALL,
    }


def _tool(host: str, path: str) -> tuple[str, Mapping[str, str]]:
    """Return the name of a tool of this host, and its input for writing the file at `path`.

    For Codex, the input is a patch that deletes the intents file.
    """
    match host:
        case "codex":
            patch = f"*** Begin Patch\n*** Delete File: {INTENTS_FILE}\n*** End Patch\n"
            return "apply_patch", {"command": patch}
        case "copilot":
            return "Write", {"path": path, "file_text": _TEXT}
        case "kimi":
            return "Write", {"path": path, "content": _TEXT}
        case "gemini" | "qwen":
            return "write_file", {"file_path": path, "content": _TEXT}
        case "kiro":
            return "fs_write", {"path": path, "file_text": _TEXT}
        case _:
            return "Write", {"file_path": path, "content": _TEXT}


def _antigravity(_event: str, path: str, root: str) -> Mapping[str, Any]:
    given = {"TargetFile": path, "CodeContent": _TEXT, "Cwd": root}
    return {
        "conversationId": PROBE_SESSION,
        "workspacePath": root,
        "toolCall": {"id": _CALL, "name": "write_to_file", "args": given},
    }


def _cline(_event: str, path: str, root: str) -> Mapping[str, Any]:
    given = {"path": path, "new_text": _TEXT}
    return {
        "hookName": "tool_call",
        "sessionContext": {"rootSessionId": PROBE_SESSION},
        "workspaceInfo": {"rootPath": root},
        "tool_call": {"id": _CALL, "name": "editor", "input": given},
        "preToolUse": {"toolName": "editor", "parameters": given},
    }


def _cursor(event: str, path: str, root: str) -> Mapping[str, Any]:
    return {
        "hook_event_name": event,
        "conversation_id": PROBE_SESSION,
        "workspace_roots": [root],
        "cwd": root,
        "tool_name": "Write",
        "tool_input": {"file_path": path, "contents": _TEXT},
        "tool_use_id": _CALL,
    }


def _grok(_event: str, path: str, root: str) -> Mapping[str, Any]:
    return {
        "sessionId": PROBE_SESSION,
        "workspaceRoot": root,
        "toolName": "write_file",
        "toolInput": {"path": path, "content": _TEXT},
        "toolUseId": _CALL,
    }


def _opencode(event: str, path: str, root: str) -> Mapping[str, Any]:
    return {
        "event": event,
        "tool": "write",
        "sessionID": PROBE_SESSION,
        "callID": _CALL,
        "args": {"filePath": path, "content": _TEXT},
        "directory": root,
        "worktree": root,
    }


def _windsurf(event: str, path: str, root: str) -> Mapping[str, Any]:
    return {
        "agent_action_name": event,
        "trajectory_id": PROBE_SESSION,
        "execution_id": _CALL,
        "tool_info": {
            "cwd": root,
            "file_path": path,
            "edits": [{"old_string": "", "new_string": _TEXT}],
        },
    }


_SHAPES: Final = {
    "antigravity": _antigravity,
    "cline": _cline,
    "cursor": _cursor,
    "grok": _grok,
    "opencode": _opencode,
    "windsurf": _windsurf,
}
