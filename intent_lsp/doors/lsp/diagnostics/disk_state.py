"""What the disk held of a file that an editor has open, between its saves and at them."""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash, decode, hash_content, hash_if_there
from intent_lsp.governance.judging.file_snapshot import Overtaken


@dataclass(slots=True, kw_only=True)
class DiskState:
    """What the disk held of a file that an editor has open, as far as it was seen.

    `known` is its last known content (None: absent), `read` the hash that the editor last read.
    `agreed` is a content that disk and buffer shared after `known`: a save that has not been told
    yet, or a file that was loaded again. `former` is what a change from outside took the place of.
    `overtaken` is a first save that was perhaps made before the file was seen.
    """

    known: bytes | None = None
    read: ContentHash | None = None
    agreed: bytes | None = None
    former: bytes | None = None
    moved: bool = False
    overtaken: Overtaken | None = None

    def saw(self, data: bytes | None, *, same_as_buffer: bool) -> None:
        """Note the disk's content, seen between two saves."""
        if data == self.known:
            if same_as_buffer:
                # Loaded again, or a save of which the editor has not told yet: who knows?
                self.agreed, self.read = None, hash_if_there(data)
            return
        if same_as_buffer:
            # An empty file where none was is about to be written, more often than not.
            self.agreed = None if self.known is None and not data else data
            return
        if data is not None and data == self.agreed:
            # Typed over what both held: the editor has read it all the same.
            return
        if self.agreed is not None:
            self.known, self.read = self.agreed, hash_if_there(self.agreed)
        if not self._behind:
            self.former, self.moved = self.known, True
        self.known, self.agreed = data, None

    def loaded(self, data: bytes | None) -> None:
        """Note that the editor has loaded the disk's content as it was seen last."""
        if data == self.known:
            self.read = hash_if_there(data)

    def saved(self, data: bytes | None) -> None:
        """Note the disk's content at a save, or when the file was opened."""
        self.known, self.read = data, hash_if_there(data)
        self.agreed, self.former, self.moved = None, None, False
        self.overtaken = None

    @property
    def last_read(self) -> bytes | None:
        """What the editor read last: the content of which `read_now` is the hash."""
        if self.agreed is not None:
            return self.agreed
        return self.former if self._behind else self.known

    @property
    def _behind(self) -> bool:
        """Whether the editor has not read what the disk was seen to hold."""
        return self.moved and self.read != hash_if_there(self.known)

    @property
    def read_now(self) -> ContentHash | None:
        """The editor's read hash: what it agreed on last."""
        return self.read if self.agreed is None else hash_content(self.agreed)

    def before(self, data: bytes | None) -> tuple[bytes | None, ContentHash | None]:
        """Give what a save that left `data` replaced, and what the editor had read of it."""
        if self.agreed is not None and self.agreed != data:
            return self.agreed, hash_content(self.agreed)
        return self.begun(data)

    def begun(self, data: bytes | None) -> tuple[bytes | None, ContentHash | None]:
        """Give what was known before the editor wrote `data`, and what it had read of it."""
        if self.moved and begins(data, self.known):
            # The watcher was quicker than the editor's word of its own save, or than the save.
            return self.former, hash_if_there(self.former)
        return self.known, self.read


def holds(data: bytes | None, lines: list[str]) -> bool:
    """Whether a text is exactly what a file holds or held."""
    text = None if data is None else decode(data)
    return text is not None and text.text == "".join(lines)


def begins(data: bytes | None, part: bytes | None) -> bool:
    """Whether a content begins with another one; neither does where one is absent."""
    return data is not None and part is not None and data.startswith(part)
