"""Asks Codex itself whether it trusts our hook: Codex skips a hook without trust, and is silent.

Invariant: only Codex's own answer counts. Without it, trust is unknown.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from intent_lsp import __version__
from intent_lsp.formats.registrations.registered_commands import RegisteredCommand
from intent_lsp.store.hook_runs import ask_program

PROGRAM: Final = "codex"
_SECONDS: Final = 15.0
_EVENT: Final = "pre_tool_use"
_TRUSTED: Final = ("trusted", "managed")


def codex_trust(root: Path, file: Path, found: RegisteredCommand) -> str | None:
    """Run Codex in `root`, and return the trust status of our hook, such as `trusted`.

    `found` is the hook's command before a call in the settings file `file`. Return `not listed` if
    Codex does not know it, and None if Codex is not installed or does not list its hooks within 15
    seconds.
    """
    client = {"clientInfo": {"name": "intent-lsp", "version": __version__}}
    requests: tuple[Mapping[str, Any], ...] = (
        {"id": 1, "method": "initialize", "params": client},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(root)]}},
    )
    answer = ask_program([PROGRAM, "app-server"], root, requests, _SECONDS)
    result = None if answer is None else answer.get("result")
    if not isinstance(result, Mapping):
        return None
    group, handler = found.at
    for hook in _hooks(result):
        path, _, place = str(hook.get("key", "")).partition(f":{_EVENT}:")
        same = os.path.realpath(path) == os.path.realpath(file)
        if same and place == f"{group}:{handler}":
            return str(hook.get("trustStatus", ""))
    return "not listed"


def is_trusted(status: str) -> bool:
    """Whether Codex runs a hook with this trust status."""
    return status.lower() in _TRUSTED


def _hooks(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    data = result.get("data")
    for each in data if isinstance(data, list) else ():
        hooks = each.get("hooks") if isinstance(each, Mapping) else None
        for hook in hooks if isinstance(hooks, list) else ():
            if isinstance(hook, Mapping):
                yield hook
