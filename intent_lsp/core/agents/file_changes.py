"""A change of one file that an agent asks the server to make (protocol section 2, `applyEdit`)."""

from collections.abc import Callable
from dataclasses import dataclass

from intent_lsp.core.commands.reading import Effect, TouchedPath, changed_paths

Rewrite = Callable[[str], str]
"""A function from a file's old text to its new text. The old text is empty if there is no file.

It raises ValueError if the old text is not one that it can be applied to.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The change of one file. `path` is as the caller spelled it.

    `source` is the old name of a file that is moved, else None. `rewrite` is None if the content
    stays. `version` is that of the open document that the change was made for, or None.
    """

    path: str
    effect: Effect = Effect.WRITE
    source: str | None = None
    rewrite: Rewrite | None = None
    version: int | None = None

    @property
    def touched(self) -> tuple[TouchedPath, ...]:
        """The paths that change.

        A move changes two: the old path is deleted, the new one written.
        """
        return changed_paths(self.path, self.effect, self.source)
