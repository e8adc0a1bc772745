"""Whether a person may be asked to grant a pattern (requirements section 9, protocol section 2).

Invariant: a pattern that matches nothing, or everything, is refused before a person is asked.
"""

from collections.abc import Callable
from typing import Final

from intent_lsp.core.codes import FileCode
from intent_lsp.core.control_plane import (
    CONTROL_FAMILIES,
    CONTROL_FILES,
    CONTROL_NAMES,
    CONTROL_ROOMS,
)
from intent_lsp.core.scope.findings import pattern_findings, reaches_control_plane
from intent_lsp.core.scope.pattern import normalize

_REFUSED: Final = (FileCode.BAD_GLOB, FileCode.DEAD_GLOB, FileCode.WIDE_GLOB)
_HEADS: Final = tuple(
    f"{head}/"
    for head in (*CONTROL_ROOMS, *CONTROL_FILES, *(room for room, _, _ in CONTROL_FAMILIES))
)


def ungrantable(pattern: str, is_directory: Callable[[str], bool]) -> str | None:
    """Return a sentence that says why a pattern cannot be granted, or None if it can.

    `is_directory` takes a path relative to the root and returns whether a directory is there.
    """
    spelled = normalize(pattern)
    if spelled.exclusion:
        return "The glob begins with `!`, so it only excludes files."
    if spelled.glob in ("**", "**/*", "**/**"):
        return "The glob matches every file of the work tree."
    found = next((f for f in pattern_findings(pattern, is_directory) if f.code in _REFUSED), None)
    if found is not None:
        return found.message
    # The control plane is matched without case.
    folded = spelled.glob.lower()
    inside = f"{folded}/".startswith(_HEADS) and reaches_control_plane(folded)
    if inside or any(name in CONTROL_NAMES for name in folded.split("/")):
        return "The glob matches control files, which no intent can own."
    return None
