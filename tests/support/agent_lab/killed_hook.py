"""A hook that is killed once, in the middle, when it reports that an edit has happened.

It is started as a program: `killed_hook.py DIRECTORY COMMAND…`, with the payload on standard input.
"""

import json
import subprocess
import sys
from pathlib import Path

MARK = "killed"
_AFTERWARDS = (
    *("PostToolUse", "AfterTool", "tool.execute.after", "tool_result"),
    *("PostToolUseFailure", "postToolUse"),
)
_EDITED = "line three"
_PATIENCE = 0.1
"""Seconds until the kill: the command has started then, and has not ended."""


def main(directory: str, command: list[str]) -> int:
    """Pass the event on to the command, unless it is the first that follows an edit."""
    if "hook" not in command:
        return subprocess.run(command, check=False).returncode
    payload = sys.stdin.buffer.read()
    mark = Path(directory) / MARK
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    if _follows_an_edit(payload) and not mark.exists():
        mark.touch()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
        return 137
    process.communicate(payload)
    return process.returncode


def _follows_an_edit(payload: bytes) -> bool:
    text = payload.decode("utf-8", "replace")
    content = json.loads(text)
    names = (content.get("hook_event_name"), content.get("event"), content.get("hookName"))
    return _EDITED in text and any(name in _AFTERWARDS for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
