"""Looks for agent hosts on this machine: programs on PATH, and directories that hosts make."""

import os
import shutil
from pathlib import Path

from intent_lsp.formats.registrations.agent_host import AgentHost


def home_directory() -> Path:
    """Return the home directory of this user."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home raises where this does not


def signs_of(host: AgentHost, root: Path, home: Path) -> tuple[str, ...]:
    """Return why a host counts as found, each as a path; none if it was not found.

    These are its programs, and what it keeps in the home directory (with `~/`) or in the root.
    """
    programs = [found for name in host.programs if (found := shutil.which(name)) is not None]
    at_home = [f"~/{name}" for name in host.at_home if (home / name).exists()]
    in_root = [name for name in host.in_root if (root / name).exists()]
    return (*programs, *at_home, *in_root)


def on_path(program: str) -> bool:
    """Whether a program is found on PATH."""
    return shutil.which(program) is not None
