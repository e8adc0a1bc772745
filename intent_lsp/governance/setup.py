"""Setup of a root: creates the missing control files, and names git settings that the root lacks.

Specified in requirements section 2.

Invariant: nothing that exists is changed. Each named setting comes with a command that adds it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.paths import (
    CONTROL_ROOM,
    INTENT_MAP,
    INTENTS_FILE,
    LEDGER_FILE,
    POLICY_FILE,
    WorkspacePath,
)
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.write import create_file, make_directory
from intent_lsp.store.packaged_files import template

_ROOM_MODE = 0o755
_IGNORE: Final = f"{CONTROL_ROOM}/.gitignore"
_ATTRIBUTES: Final = f"{CONTROL_ROOM}/.gitattributes"
_GENERATED: Final = "linguist-generated"
# The intents file is created last, since its presence switches governance on.
_MADE = (_IGNORE, _ATTRIBUTES, POLICY_FILE, INTENTS_FILE)


class Lack(Struct, frozen=True):
    """A git setting that a root lacks: a sentence about it, and the shell command that adds it.

    The command is to be run in the root directory.
    """

    what: str
    command: str


def initialise(root: Path) -> tuple[str, ...]:
    """Create the missing control files, with commented examples. Return the paths created, sorted.

    Raise UnsafePathError if `.orchestration` is not a real directory, OSError if a write fails.
    """
    make_directory(root / CONTROL_ROOM, mode=_ROOM_MODE)
    made = [name for name in _MADE if create_file(root / name, template(name).encode())]
    return tuple(sorted(made))


def lacks(root: Path, tracked: Callable[[WorkspacePath], bool]) -> Iterator[Lack]:
    """Yield the git settings that the root lacks. `tracked` says whether git tracks a file of it.

    `.orchestration/.gitignore` should have a line `intent_map.md` or `/intent_map.md`. Git should
    not track the intent map. If git tracks the ledger, `linguist-generated` should be somewhere in
    `.orchestration/.gitattributes`.
    """
    ignored = (line.strip().lstrip("/") for line in _text(root / _IGNORE).splitlines())
    if "intent_map.md" not in ignored:
        command = _adding("intent_map.md", root, _IGNORE)
        yield Lack(f"{_IGNORE} does not name intent_map.md, which the server generates", command)
    if tracked(INTENT_MAP):
        what = f"git tracks {INTENT_MAP}, which changes after each commit"
        yield Lack(what, f"git rm --cached {INTENT_MAP}")
    if tracked(LEDGER_FILE) and _GENERATED not in _text(root / _ATTRIBUTES):
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
