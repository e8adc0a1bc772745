"""Advice for a root set up by an earlier version: git settings that keep the work tree clean.

Specified in requirements section 2.

Invariant: nothing is changed by this module. Each piece of advice comes with a command that carries
it out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.paths import CONTROL_ROOM, INTENT_MAP, LEDGER_FILE
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.git.repository import Git

_IGNORE: Final = f"{CONTROL_ROOM}/.gitignore"
_ATTRIBUTES: Final = f"{CONTROL_ROOM}/.gitattributes"
_GENERATED: Final = "linguist-generated"


class Lack(Struct, frozen=True):
    """A git setting that a root lacks: a sentence about it, and the shell command that adds it.

    The command is to be run in the root directory.
    """

    what: str
    command: str


def lacks(root: Path, git: Git | None) -> Iterator[Lack]:
    """Yield the git settings that the root lacks; none if the root is in no git repository.

    A setting is lacking if `.orchestration/.gitignore` has no line with just the intent map's name
    (a `/` before it aside), if git tracks the intent map, or if git tracks the ledger and
    `linguist-generated` is nowhere in `.orchestration/.gitattributes`.
    """
    if git is None:
        return
    ignored = (line.strip().lstrip("/") for line in _text(root / _IGNORE).splitlines())
    if "intent_map.md" not in ignored:
        command = _adding("intent_map.md", root, _IGNORE)
        yield Lack(f"{_IGNORE} does not name intent_map.md, which the server generates", command)
    if git.tracked(INTENT_MAP):
        what = f"git tracks {INTENT_MAP}, which changes after each commit"
        yield Lack(what, f"git rm --cached {INTENT_MAP}")
    if git.tracked(LEDGER_FILE) and _GENERATED not in _text(root / _ATTRIBUTES):
        what = f"{_ATTRIBUTES} does not mark the ledger as generated, so reviews may show all of it"
        yield Lack(what, _adding(f"'*.jsonl {_GENERATED}'", root, _ATTRIBUTES))


def _adding(line: str, root: Path, name: str) -> str:
    """Return a shell command that appends `line` to the file `name` in the root.

    If the file's last line has no newline, the command first adds one.
    """
    text = _text(root / name)
    apart = "" if not text or text.endswith("\n") else f"echo >> {name} && "
    return f"{apart}echo {line} >> {name}"


def _text(path: Path) -> str:
    try:
        return (read_bytes(path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""
