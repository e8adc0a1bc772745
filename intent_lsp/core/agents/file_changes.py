"""A change of one file that an agent wants made for it (protocol section 2, `applyEdit`)."""

from collections.abc import Callable
from dataclasses import dataclass

from intent_lsp.core.commands.reading import Effect, TouchedPath

Rewrite = Callable[[str], str]
"""Makes a file's new text of its old one, which is empty where there is no file.

Raises ValueError for a text that it was not made for.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """What becomes of one file; `path` as its caller spells it.

    `source` is the old name of a file that is moved; `rewrite` None: its content stays.
    """

    path: str
    effect: Effect = Effect.WRITE
    source: str | None = None
    rewrite: Rewrite | None = None

    @property
    def touched(self) -> tuple[TouchedPath, ...]:
        """The paths that change: a move's are both ends."""
        new = TouchedPath(self.path, self.effect, self.source)
        return (new,) if self.source is None else (TouchedPath(self.source, Effect.DELETE), new)
