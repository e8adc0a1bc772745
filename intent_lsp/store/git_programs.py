"""Whether git, as it is configured here, runs programs of others where it only reads.

Invariant: what cannot be asked counts as if it did.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from intent_lsp.store.git import Git
from intent_lsp.store.git_objects import index

_RUN: Final = frozenset({"diff.external", "core.pager", "gpg.program"})
"""Settings that name a program."""

_RUN_PARTS: Final = (("diff.", (".command", ".textconv")), ("filter.", (".clean", ".process")))
"""How the names of those settings begin and end that every driver and filter has of its own."""

_SWITCHES: Final = frozenset({"", "true", "false", "yes", "no", "on", "off", "0", "1"})
"""What `core.fsmonitor` and `pager.<command>` may be set to without naming a program."""

_HARMLESS: Final = frozenset(
    {
        *("GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"),
        *("GIT_OPTIONAL_LOCKS", "GIT_CEILING_DIRECTORIES", "GIT_SSH", "GIT_SSH_COMMAND"),
        "GIT_CONFIG_NOSYSTEM",
    }
)
"""Variables that change nothing of what only reads the repository."""

_HARMLESS_HEADS: Final = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSL_", "GIT_HTTP_")
_PAGERS: Final = frozenset({"", "cat", "less", "more"})
_INDEX_HOOK: Final = "post-index-change"


def runs_programs(git: Git | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether `git status`, `log`, `diff` and their like may run anything but git.

    Without a repository it is not known what git would read.
    """
    if git is None or any(_directs(*variable) for variable in environment.items()):
        return True
    return _has_hook(git) or git.ask(otherwise=True, question=_names_program)


def _directs(name: str, value: str) -> bool:
    if name in {"PAGER", "GIT_PAGER"}:
        return value not in _PAGERS
    return (
        name.startswith("GIT_") and name not in _HARMLESS and not name.startswith(_HARMLESS_HEADS)
    )


def _has_hook(git: Git) -> bool:
    elsewhere = git.setting("core.hooksPath")
    room = git.top / Path(elsewhere).expanduser() if elsewhere else git.common_dir / "hooks"
    return (room / _INDEX_HOOK).exists()


def _names_program(repository: Any) -> bool:  # noqa: ANN401 - pygit2 is loaded late
    # Git asks each submodule, as it is configured itself, for its status.
    index(repository)
    asks_others = bool(repository.listall_submodules())
    return asks_others or any(_is_program(entry.name, entry.value) for entry in repository.config)


def _is_program(name: str, value: str | None) -> bool:
    name = name.lower()
    if name == "core.fsmonitor" or name.startswith("pager."):
        # A name without a value is switched on.
        return (value or "").lower() not in _SWITCHES
    driver = any(name.startswith(head) and name.endswith(tails) for head, tails in _RUN_PARTS)
    return driver or name in _RUN
