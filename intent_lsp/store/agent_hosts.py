"""Looks for agent hosts on this machine: their programs on PATH, and what they keep on disk."""

import os
import shutil
from pathlib import Path

from intent_lsp.formats.registrations.agent_host import AgentHost


def home_directory() -> Path:
    """Return the home directory of this user, or the relative path `~` if it is unknown."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home raises where this does not


def signs_of(host: AgentHost, root: Path, home: Path) -> tuple[str, ...]:
    """Return the paths that show that a host is in use on this machine; empty if there are none.

    First the paths of its programs on PATH, then what it keeps in `home` (as `~/NAME`) and in
    `root` (relative to it).
    """
    programs = [found for name in host.programs if (found := shutil.which(name)) is not None]
    both = host.directories
    at_home = [f"~/{name}" for name in (*both, *host.at_home) if (home / name).exists()]
    in_root = [name for name in (*both, *host.in_root) if (root / name).exists()]
    return (*programs, *at_home, *in_root)


def on_path(program: str) -> bool:
    """Return whether a program is found on PATH."""
    return shutil.which(program) is not None
