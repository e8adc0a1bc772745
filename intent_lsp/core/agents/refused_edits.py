"""An edit that was refused to an agent, and whether a content shows that it was made all the same.

Invariant: pieces of text that were in the file before, or that are too short, do not show that an
edit was made.
"""

from datetime import timedelta
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ContentHash, decode
from intent_lsp.core.paths import WorkspacePath

KEPT_FOR: Final = timedelta(minutes=10)
"""How long after a refusal a change of its file is compared with it."""

PIECES_AT_MOST: Final = 64 * 1024
"""The most characters of text that a refused edit keeps. Of an edit with more, none is kept."""

_FEWEST: Final = 4
"""So many characters, besides white space, have to appear: fewer appear by chance."""


class RefusedEdit(Struct, frozen=True, kw_only=True):
    """A refused call that would have changed the file `path`.

    `call` is the call's fingerprint. `host` is the name of its agent host, or None if it is not
    known. `at` is an RFC 3339 time. `announced` is the hash of the whole text that the call said it
    would write, or None; `pieces` are the texts that it said it would put into the file.
    """

    path: WorkspacePath
    call: ContentHash
    tool: str
    host: str | None
    at: str
    announced: ContentHash | None = None
    pieces: tuple[str, ...] = ()

    def appears(self, new: ContentHash | None, before: bytes | None, after: bytes | None) -> bool:
        """Whether a change of the file from the content `before` to `after` is the refused edit.

        `new` is the hash of `after`. If the call announced its whole text, only that counts: the
        result is whether `new` is the hash of that text. If not, `after` must have all `pieces`
        that are not blank; those that are not in `before` must have at least _FEWEST characters
        together, besides white space. If `before` or `after` is not text, or is None (not known, or
        the file is gone), the result is then False. For a new file, `before` is `b""`.
        """
        if self.announced is not None:
            return new == self.announced
        old, now = (_plain(data) for data in (before, after))
        if old is None or now is None:
            return False
        pieces = [piece.replace("\r\n", "\n") for piece in self.pieces if piece.strip()]
        fresh = [piece for piece in pieces if piece not in old]
        enough = len("".join("".join(fresh).split())) >= _FEWEST
        return enough and all(piece in now for piece in pieces)


def _plain(data: bytes | None) -> str | None:
    text = None if data is None else decode(data)
    return None if text is None else text.text.replace("\r\n", "\n")
