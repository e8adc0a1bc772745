"""A file that a patch names."""

from dataclasses import dataclass

from intent_lsp.core.commands.reading import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchedFile:
    """One file as a patch spells it; `previous` is the path before a MOVE, which is gone after it.

    `doubtful`: a second spelling, or a name that another header contradicts. Whoever applies the
    patch may mean it, and may not.
    """

    path: str
    effect: Effect
    previous: str | None = None
    doubtful: bool = False
