"""What a repository that was set up long ago lacks, so that its tree stays clean.

Specified in requirements section 2.

Invariant: nothing is changed here; each lack comes with the command that mends it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import CONTROL_ROOM, INTENT_MAP, LEDGER_FILE
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.git.repository import Git

_IGNORE: Final = f"{CONTROL_ROOM}/.gitignore"
_ATTRIBUTES: Final = f"{CONTROL_ROOM}/.gitattributes"
_GENERATED: Final = "linguist-generated"


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing, and the command that mends it, as typed in the root."""

    what: str
    command: str


def lacks(root: Path, git: Git | None) -> Iterator[Lack]:
    """Tell what git should know of our files and does not; without a repository: nothing."""
    if git is None:
        return
    if not _has_line(root / _IGNORE, "intent_map.md"):
        command = _adding("intent_map.md", root, _IGNORE)
        yield Lack(f"git does not ignore {INTENT_MAP}", command)
    if git.tracked(INTENT_MAP):
        what = f"git tracks {INTENT_MAP}, which changes after each commit"
        yield Lack(what, f"git rm --cached {INTENT_MAP}")
    if git.tracked(LEDGER_FILE) and _GENERATED not in _text(root / _ATTRIBUTES):
        what = "a forge shows the ledger in each review as if people had written it"
        yield Lack(what, _adding(f"'*.jsonl {_GENERATED}'", root, _ATTRIBUTES))


def _adding(line: str, root: Path, name: str) -> str:
    """Give the command that adds a line to a file, whose last one may not have ended."""
    text = _text(root / name)
    apart = "" if not text or text.endswith("\n") else f"echo >> {name} && "
    return f"{apart}echo {line} >> {name}"


def _has_line(path: Path, wanted: str) -> bool:
    return any(line.strip().lstrip("/") == wanted for line in _text(path).splitlines())


def _text(path: Path) -> str:
    try:
        return (read_bytes(path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
