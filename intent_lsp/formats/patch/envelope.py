r"""Lines of an `apply_patch` envelope that name files.

Invariant: the envelope's first and last line may be missing; a here-document around it, prose and
`\r\n` mean nothing.
Invariant: an indented line of an update is text, unless it is indented as the update itself.
"""

import re
from collections.abc import Sequence

from intent_lsp.core.commands.reading import Effect
from intent_lsp.formats.patch.headers import Header
from intent_lsp.formats.patch.patched_file import PatchedFile

_MARKER = re.compile(
    r"(\s*)\*\*\*\s*(?:(add|update|delete)\s+file|(move)\s+to)\s*:(.*)", re.IGNORECASE | re.DOTALL
)
_EDGE = re.compile(r"(.*)\*\*\*\s*(?:begin|end)\s+patch\s*", re.IGNORECASE | re.DOTALL)
_EFFECTS = {"add": Effect.CREATE, "update": Effect.WRITE, "delete": Effect.DELETE}


class Envelope:
    """Reads an envelope line by line: what a line means depends on the section it stands in."""

    def __init__(self) -> None:
        self.open = False
        # Of the update that is open; None in a section whose text is never indented.
        self._indent: str | None = None

    def read(self, lines: Sequence[str], at: int) -> Header | None:
        """Read a line that opens a section or ends the envelope; None for every other.

        `open` says from now on whether the lines that follow are a section's own.
        """
        found = _MARKER.fullmatch(lines[at])
        if found is None or self._is_text(found[1]):
            return self._edge(lines[at], at)
        verb, path = (found[2] or "move").lower(), _path(found[4])
        self.open = True
        self._indent = found[1] if verb == "update" else None
        if not path.strip():
            return Header(files=(), end=at + 1, problem=f"`{verb}` names no file")
        moved = _moved(lines, at + 1) if verb == "update" else None
        if moved in (None, path):
            # A `Move to` without its update still names what would be written.
            file = PatchedFile(path=path, effect=_EFFECTS.get(verb, Effect.CREATE))
        else:
            file = PatchedFile(path=moved, effect=Effect.MOVE, previous=path)
        return Header(files=(file,), end=at + (1 if moved is None else 2))

    def close(self) -> None:
        """Take the lines that follow as a section's own no longer."""
        self.open = False

    def _is_text(self, indent: str) -> bool:
        return self.open and self._indent is not None and indent not in ("", self._indent)

    def _edge(self, line: str, at: int) -> Header | None:
        found = _EDGE.fullmatch(line)
        if found is None or (self.open and found[1].strip()) or self._is_text(found[1]):
            return None
        self.close()
        return Header(files=(), end=at + 1)


def _moved(lines: Sequence[str], at: int) -> str | None:
    """Give the name that an update on the line before gets."""
    found = _MARKER.fullmatch(lines[at]) if at < len(lines) else None
    return _path(found[4]) if found and found[3] and found[4].strip() else None


def _path(text: str) -> str:
    return text.removeprefix(" ")
