"""Files shipped with the package: command lists, the page of codes, templates of other files.

Invariant: these files are read from the installed package or the checkout, and never fetched.
"""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import intent_lsp
from intent_lsp.core.commands.rows import CommandLists, RowKind
from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.formats.command_lists import read_command_lists
from intent_lsp.store.fs.files import read_bytes

_TOOLS: Final = "tools.toml"
"""The list of agents' tools. It has no rows."""

_LISTS: Final = {
    "reading.toml": RowKind.READS,
    "git.toml": RowKind.READS,
    "verifying.toml": RowKind.VERIFIES,
    "writing.toml": RowKind.WRITES,
    "running.toml": RowKind.RUNS,
    _TOOLS: RowKind.READS,
}
_REPORT: Final = ("page.html", "page.css", "page.js")


@cache
def command_lists() -> CommandLists:
    """Return the lists of known shell commands and of agents' tools.

    They are read on first use and cached.
    """
    return _read_lists(_LISTS)


@cache
def tool_lists() -> CommandLists:
    """Return lists with agents' tools but no shell command.

    They are enough for a call without a command, and are read faster than those of
    `command_lists`. They are read on first use and cached.
    """
    return _read_lists([_TOOLS])


def _read_lists(names: Iterable[str]) -> CommandLists:
    place = files("intent_lsp") / "commands"
    return read_command_lists(
        {name: (_LISTS[name], (place / name).read_text("utf-8")) for name in names}
    )


def report_files() -> dict[str, str]:
    """Return the texts of the HTML report's template, style sheet and script, by file name."""
    place = files("intent_lsp") / "formats" / "report"
    return {name: (place / name).read_text("utf-8") for name in _REPORT}


def template(path: str) -> str:
    """Return the text with which `intent-lsp init` creates a control file.

    `path` is the control file's path, relative to the root.
    """
    name = path.removeprefix(f"{CONTROL_ROOM}/").removeprefix(".")
    return (files("intent_lsp") / "templates" / name).read_text("utf-8")


def codes_page() -> Path | None:
    """Return the path of `codes.md`, which explains all codes, or None if it is not installed."""
    package = Path(intent_lsp.__file__).parent
    pages = (package / "docs" / "codes.md", package.parent / "docs" / "codes.md")
    return next((page for page in pages if page.is_file()), None)


def sections() -> dict[str, str]:
    """Return the text about each code in `codes.md`, by code; empty if that page is missing."""
    page = codes_page()
    text = "" if page is None else (read_bytes(page) or b"").decode()
    found: dict[str, str] = {}
    for part in text.split("\n### ")[1:]:
        code, _, rest = part.partition("\n")
        found[code.strip()] = rest.split("\n## ")[0].strip()
    return found
