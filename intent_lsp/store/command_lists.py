"""Files that come with the package: the page on codes, the command lists, the report's template.

Invariant: it is read from where it is installed, or from the checkout; nothing is fetched.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import intent_lsp
from intent_lsp.core.commands.rows import CommandLists, RowKind
from intent_lsp.formats.command_lists import read_command_lists
from intent_lsp.store.fs.files import read_bytes

_LISTS: Final = {
    "reading.toml": RowKind.READS,
    "git.toml": RowKind.READS,
    "verifying.toml": RowKind.VERIFIES,
    "writing.toml": RowKind.WRITES,
    "running.toml": RowKind.RUNS,
}
_REPORT: Final = ("page.html", "page.css", "page.js")


@cache
def command_lists() -> CommandLists:
    """Read the lists; not at the start, since many sessions run no command."""
    place = files("intent_lsp") / "commands"
    return read_command_lists(
        {name: (kind, (place / name).read_text("utf-8")) for name, kind in _LISTS.items()}
    )


def report_files() -> dict[str, str]:
    """Read the template of a report, its style sheet and its script."""
    place = files("intent_lsp") / "formats" / "report"
    return {name: (place / name).read_text("utf-8") for name in _REPORT}


def codes_page() -> Path | None:
    """Find the page: beside the package in a checkout, inside it when installed."""
    package = Path(intent_lsp.__file__).parent
    pages = (package / "docs" / "codes.md", package.parent / "docs" / "codes.md")
    return next((page for page in pages if page.is_file()), None)


def sections() -> dict[str, str]:
    """Give the text of each code's section, as Markdown; nothing where the page is missing."""
    page = codes_page()
    text = "" if page is None else (read_bytes(page) or b"").decode()
    found: dict[str, str] = {}
    for part in text.split("\n### ")[1:]:
        code, _, rest = part.partition("\n")
        found[code.strip()] = rest.split("\n## ")[0].strip()
    return found
