"""The environment of the tests: no test sees the person's git settings, home directory or hooks.

Invariant: set before anything imports pygit2, which reads these variables when it is imported.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from intent_lsp.doors.cli.agents.choice import AGENT_VARIABLES

# Set by git for its hooks: tests run by a hook would write into the repository around them.
_FROM_A_HOOK = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")
_FROM_A_PERSON = ("GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EDITOR", "GIT_PAGER")

_SETTINGS = """\
[user]
    name = Ada Lovelace
    email = ada@example.org
[init]
    defaultBranch = main
[core]
    hooksPath = /dev/null
    fsync = none
[commit]
    gpgSign = false
[tag]
    gpgSign = false
[gc]
    auto = 0
[maintenance]
    auto = false
[protocol "file"]
    allow = always
"""


def isolate(home: Path) -> Mapping[str, str]:
    """Move this process and its children into `home`; return the variables that were set."""
    settings = home / ".gitconfig"
    settings.write_text(_SETTINGS)
    runtime = home / "runtime"
    runtime.mkdir(mode=0o700)
    variables = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_RUNTIME_DIR": str(runtime),
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_DATE": "2026-02-16T12:00:00Z",
        "GIT_COMMITTER_DATE": "2026-02-16T12:00:00Z",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
    }
    for name in (*_FROM_A_HOOK, *_FROM_A_PERSON, *AGENT_VARIABLES):
        os.environ.pop(name, None)
    os.environ.update(variables)
    return variables
