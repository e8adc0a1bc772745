"""A work tree as a command found it (requirements section 6).

Invariant: a value; what it says is compared with the disk again, never taken for it.
"""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSeen:
    """What the files of a root held at one moment (None: there was no such file).

    `whole`: without a commit to start from, every file is in `files`. Else those that differ from
    the commit `head`: a file that is not among them held what `head` holds.
    """

    head: str | None
    files: tuple[tuple[WorkspacePath, ContentHash | None], ...]
    whole: bool
