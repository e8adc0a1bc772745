"""What the disk held of an open file, as observed at and between the editor's saves."""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash, decode, hash_content, hash_if_there
from intent_lsp.governance.judging.file_snapshot import Overtaken


@dataclass(slots=True, kw_only=True)
class DiskState:
    """The disk's content of one open file, as far as it was observed.

    `known` is the last known content (None: no file). `read` is the hash of what the editor read
    last. `agreed` is a content that disk and buffer shared after `known`: a save not reported yet,
    or a reload. `former` is the content before a change from outside; `moved`: there was such a
    change since the last save. `overtaken` is a first save that may have happened before the file
    was first read here.
    """

    known: bytes | None = None
    read: ContentHash | None = None
    agreed: bytes | None = None
    former: bytes | None = None
    moved: bool = False
    overtaken: Overtaken | None = None

    def saw(self, data: bytes | None, *, same_as_buffer: bool) -> None:
        """Update the state with the disk's content `data`, observed between two saves."""
        if data == self.known:
            if same_as_buffer:
                # The editor reloaded the file, or saved it and has not reported that yet. The state
                # is the same.
                self.agreed, self.read = None, hash_if_there(data)
            return
        if same_as_buffer:
            # A new empty file is usually about to be filled by the editor, so it does not count
            # yet.
            self.agreed = None if self.known is None and not data else data
            return
        if data is not None and data == self.agreed:
            # The buffer was edited after both agreed: the editor has read this content all the
            # same.
            return
        if self.agreed is not None:
            self.known, self.read = self.agreed, hash_if_there(self.agreed)
        if not self._behind:
            self.former, self.moved = self.known, True
        self.known, self.agreed = data, None

    def loaded(self, data: bytes | None) -> None:
        """Note that the editor has reloaded the file, if `data` is the last known content."""
        if data == self.known:
            self.read = hash_if_there(data)

    def saved(self, data: bytes | None) -> None:
        """Set the state to the disk's content `data` at a save, or when the file is first read."""
        self.known, self.read = data, hash_if_there(data)
        self.agreed, self.former, self.moved = None, None, False
        self.overtaken = None

    @property
    def last_read(self) -> bytes | None:
        """The content that the editor read last. Its hash is `read_now`."""
        if self.agreed is not None:
            return self.agreed
        return self.former if self._behind else self.known

    @property
    def _behind(self) -> bool:
        """Whether the disk holds a change from outside that the editor has not read."""
        return self.moved and self.read != hash_if_there(self.known)

    @property
    def read_now(self) -> ContentHash | None:
        """The hash of the content that the editor read last."""
        return self.read if self.agreed is None else hash_content(self.agreed)

    def before(self, data: bytes | None) -> tuple[bytes | None, ContentHash | None]:
        """Return the content that a save replaced, and the hash of what the editor had read.

        `data` is what the save left on disk.
        """
        if self.agreed is not None and self.agreed != data:
            return self.agreed, hash_content(self.agreed)
        return self.begun(data)

    def begun(self, data: bytes | None) -> tuple[bytes | None, ContentHash | None]:
        """Return the content known before the editor wrote `data`, and the hash it had read."""
        if self.moved and begins(data, self.known):
            # What the watcher saw was the editor's own write, perhaps half done: go back before it.
            return self.former, hash_if_there(self.former)
        return self.known, self.read


def holds(data: bytes | None, lines: list[str]) -> bool:
    """Return whether the bytes of a file decode to exactly these lines."""
    text = None if data is None else decode(data)
    return text is not None and text.text == "".join(lines)


def begins(data: bytes | None, part: bytes | None) -> bool:
    """Return whether `data` starts with `part`. False if either is None."""
    return data is not None and part is not None and data.startswith(part)
