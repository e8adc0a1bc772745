"""A file's content at one moment: its hash, its text and its lines.

Invariant: a value. Lines are split on first use, once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from intent_lsp.core.content import ContentHash, decode, hash_content, split_lines


@dataclass(frozen=True, kw_only=True)
class FileContent:
    """The content of a file. `text` has no byte order mark.

    `text` is None if the file is not text, or only its hash is known. An absent file has no hash
    and an empty text. `committed`: the content comes from a commit. Not slotted, because the lines
    of a large file are split lazily.
    """

    hash: ContentHash | None
    text: str | None
    committed: bool = False

    @cached_property
    def lines(self) -> list[str] | None:
        """The lines with their terminators; None where there is no text."""
        return None if self.text is None else split_lines(self.text)


ABSENT: Final = FileContent(hash=None, text="")


def content_of(data: bytes | None, *, committed: bool = False) -> FileContent:
    """Return the content made of raw bytes. None: the file is absent."""
    if data is None:
        return FileContent(hash=None, text="", committed=committed)
    text = decode(data)
    return FileContent(
        hash=hash_content(data), text=None if text is None else text.text, committed=committed
    )
