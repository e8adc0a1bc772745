"""The content of an open file on disk, as observed at and between the editor's saves."""

from msgspec import Struct

from intent_lsp.core.content import ABSENT, ContentHash, FileContent
from intent_lsp.governance.judging.file_snapshot import Overtaken


class DiskState(Struct, kw_only=True):
    """The content of one open file on disk, as far as it was observed.

    `known` is the last known content. `agreed` is a later content that disk and buffer shared (a
    save not reported yet, or a reload), or None. `read` is the hash of the content that the editor
    read last, apart from `agreed`. `former` is the content before a change from outside; `moved`:
    there was such a change since the last save. `overtaken` is a save that the editor may have made
    before the server first read the file, or None.
    """

    known: FileContent = ABSENT
    read: ContentHash | None = None
    agreed: FileContent | None = None
    former: FileContent = ABSENT
    moved: bool = False
    overtaken: Overtaken | None = None

    def saw(self, disk: FileContent, *, same_as_buffer: bool) -> None:
        """Update the state with the content `disk`, observed between two saves.

        `same_as_buffer`: the editor's buffer holds the same text, or has held it.
        """
        if disk.hash == self.known.hash:
            if same_as_buffer:
                # The editor reloaded the file, or saved it and has not reported that yet. The state
                # is the same.
                self.agreed, self.read = None, disk.hash
            return
        if same_as_buffer:
            # A new empty file is usually about to be filled by the editor, so it does not count
            # yet.
            self.agreed = None if self.known.absent and not disk.data else disk
            return
        if self.agreed is not None and disk.hash == self.agreed.hash:
            # The buffer was edited after both agreed: the editor has read this content all the
            # same.
            return
        if self.agreed is not None:
            self.known, self.read = self.agreed, self.agreed.hash
        if not self.behind:
            self.former, self.moved = self.known, True
        self.known, self.agreed = disk, None

    def loaded(self, disk: FileContent) -> None:
        """If `disk` equals the known content, note that the editor has reloaded the file."""
        if disk.hash == self.known.hash:
            self.read = disk.hash

    def saved(self, disk: FileContent) -> None:
        """Set the state to the content `disk` after a save or when the file is first read."""
        self.known, self.read = disk, disk.hash
        self.agreed, self.former, self.moved = None, ABSENT, False
        self.overtaken = None

    @property
    def last_read(self) -> FileContent:
        """The content that the editor read last; `read_now` is its hash."""
        if self.agreed is not None:
            return self.agreed
        return self.former if self.behind else self.known

    @property
    def behind(self) -> bool:
        """Whether the disk holds a change from outside that the editor has not read."""
        return self.moved and self.read != self.known.hash

    @property
    def read_now(self) -> ContentHash | None:
        """The hash of the content that the editor read last, or None if there was no file."""
        return self.read if self.agreed is None else self.agreed.hash

    def before(self, disk: FileContent) -> tuple[FileContent, ContentHash | None]:
        """Return the content that a save replaced, and the hash that the editor had read.

        The hash is None if the editor had read no file. `disk` is the content that the save left.
        """
        if self.agreed is not None and self.agreed.hash != disk.hash:
            return self.agreed, self.agreed.hash
        return self.begun(disk)

    def begun(self, disk: FileContent) -> tuple[FileContent, ContentHash | None]:
        """Return what `before` returns if `agreed` is None. `disk` is what the editor wrote."""
        if self.moved and begins(disk.data, self.known.data):
            # What the watcher saw was the editor's own write, perhaps half done: go back before it.
            return self.former, self.former.hash
        return self.known, self.read


def holds(content: FileContent, lines: list[str]) -> bool:
    """Return whether a content is the text of exactly these lines, which have their line ends."""
    return not content.absent and content.text == "".join(lines)


def begins(data: bytes | None, part: bytes | None) -> bool:
    """Return whether `data` starts with `part`. False if either is None."""
    return data is not None and part is not None and data.startswith(part)
