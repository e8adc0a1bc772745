"""Setup of a root: creates the files that governance needs (requirements section 2).

Invariant: nothing that exists is changed.
"""

from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM, INTENTS_FILE, POLICY_FILE
from intent_lsp.formats.intents import templates
from intent_lsp.store.fs.write import create_file, make_directory

_ROOM_MODE = 0o755


def initialise(root: Path) -> tuple[str, ...]:
    """Create the missing control files, with commented examples; return the paths created, sorted.

    Raise UnsafePathError if `.orchestration` is not a real directory, OSError if a write fails.
    """
    wanted = (
        (f"{CONTROL_ROOM}/.gitignore", templates.GITIGNORE),
        (f"{CONTROL_ROOM}/.gitattributes", templates.GITATTRIBUTES),
        (POLICY_FILE, templates.POLICY),
        # Create it last, since its presence switches governance on.
        (INTENTS_FILE, templates.INTENTS),
    )
    make_directory(root / CONTROL_ROOM, mode=_ROOM_MODE)
    made = [name for name, text in wanted if create_file(root / name, text.encode())]
    return tuple(sorted(made))
