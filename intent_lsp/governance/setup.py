"""Setup of a root: creates the files that governance needs (requirements section 2).

Invariant: nothing that exists is changed.
"""

from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM, INTENTS_FILE, POLICY_FILE
from intent_lsp.store.fs.write import create_file, make_directory
from intent_lsp.store.packaged_files import template

_ROOM_MODE = 0o755
_MADE = (
    f"{CONTROL_ROOM}/.gitignore",
    f"{CONTROL_ROOM}/.gitattributes",
    POLICY_FILE,
    # Create it last, since its presence switches governance on.
    INTENTS_FILE,
)


def initialise(root: Path) -> tuple[str, ...]:
    """Create the missing control files, with commented examples. Return the paths created, sorted.

    Raise UnsafePathError if `.orchestration` is not a real directory, OSError if a write fails.
    """
    make_directory(root / CONTROL_ROOM, mode=_ROOM_MODE)
    made = [name for name in _MADE if create_file(root / name, template(name).encode())]
    return tuple(sorted(made))
