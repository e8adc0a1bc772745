r"""The content of a file: its hash, its decoded text and its lines.

Invariant: a line ends at `\r\n`, `\n` or `\r` and at no other character (ledger section 1). Text
after the last line end is a line if it is not empty. Empty content has no line.
Invariant: only the raw bytes are hashed. A byte order mark belongs to no line.
"""

import codecs
import hashlib
import re
from functools import cached_property
from typing import Final, NewType

from msgspec import Struct

ContentHash = NewType("ContentHash", str)

EMPTY_HASH = ContentHash("sha256:" + hashlib.sha256(b"").hexdigest())

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_UTF16_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Text(Struct, frozen=True, kw_only=True):
    """The text of a file, decoded from its bytes.

    `mark` is the file's byte order mark, empty if there is none; `text` does not include it.
    """

    text: str
    encoding: str
    mark: bytes

    def encode(self, text: str) -> bytes:
        """Return a new `text` of this file as bytes: in its encoding, with its byte order mark.

        Raise UnicodeEncodeError if there is a lone surrogate in it.
        """
        return self.mark + text.encode(self.encoding)


def hash_content(data: bytes) -> ContentHash:
    """Return the hash of raw bytes: `sha256:` and 64 lower-case hexadecimal digits."""
    return ContentHash("sha256:" + hashlib.sha256(data).hexdigest())


def hash_if_there(data: bytes | None) -> ContentHash | None:
    """Return the hash of a file's raw bytes, or None if `data` is None because there is no file."""
    return None if data is None else hash_content(data)


def parse_hash(text: str) -> ContentHash | None:
    """Parse a SHA-256 in hexadecimal, in either case, with or without the prefix `sha256:`.

    The result has the prefix and lower-case digits. Return None if the text is not such a hash.
    """
    found = _HASH.fullmatch(text.lower())
    return ContentHash("sha256:" + found.group(1)) if found else None


def decode(data: bytes) -> Text | None:
    """Decode UTF-8 with or without a byte order mark, or UTF-16 with one.

    Return None if the bytes are neither. As in git, UTF-8 with a NUL byte is not text.
    """
    encoding, mark = "utf-8", b""
    if data.startswith(codecs.BOM_UTF8):
        mark = codecs.BOM_UTF8
    for start, name in _UTF16_MARKS:
        if data.startswith(start):
            encoding, mark = name, start
    if encoding == "utf-8" and b"\0" in data:
        return None
    try:
        return Text(text=data[len(mark) :].decode(encoding), encoding=encoding, mark=mark)
    except UnicodeDecodeError:
        return None


def split_lines(text: str) -> list[str]:
    """Split a text into lines, each with its line end, so that joining them gives `text` again."""
    if "\r" in text:
        return _LINE.findall(text)
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines]
    if last:
        lines.append(last)
    return lines


def lines_if_text(data: bytes | None) -> list[str]:
    """Return the lines of a file's raw bytes, or an empty list if `data` is None or not text."""
    text = None if data is None else decode(data)
    return [] if text is None else split_lines(text.text)


def line_body(line: str) -> str:
    """Return a line without its line end."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


class FileContent(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """The content of a file at one moment. Hash, text and lines are computed once, on first use.

    `data` are the raw bytes, or None if they are not known. `known_hash` is their hash if the
    caller knew it. If both are None, the file is absent. `committed`: the content comes from a
    commit.

    The class has a `__dict__`, because cached properties need it.
    """

    data: bytes | None = None
    known_hash: ContentHash | None = None
    committed: bool = False

    @cached_property
    def hash(self) -> ContentHash | None:
        """The hash of the raw bytes, or None if the file is absent."""
        return self.known_hash or hash_if_there(self.data)

    @cached_property
    def decoded(self) -> Text | None:
        """The decoded bytes, or None if they are no text or not known, or if there is no file."""
        return None if self.data is None else decode(self.data)

    @property
    def text(self) -> str | None:
        """The text without byte order mark, "" if the file is absent.

        None if the content is not text or only its hash is known.
        """
        if self.absent:
            return ""
        return None if self.decoded is None else self.decoded.text

    @cached_property
    def lines(self) -> list[str] | None:
        """The lines with their line ends, or None if `text` is None.

        If the file is absent, the list is empty.
        """
        return None if self.text is None else split_lines(self.text)

    @property
    def absent(self) -> bool:
        """Whether the file does not exist."""
        return self.data is None and self.known_hash is None

    def __eq__(self, other: object) -> bool:
        """Whether both have the same hash and `committed`, and both or neither have bytes."""
        if not isinstance(other, FileContent):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Return a hash of the fields that `__eq__` compares."""
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.hash, self.data is None, self.committed


ABSENT: Final = FileContent()


def content_of(
    data: bytes | None, *, known_hash: ContentHash | None = None, committed: bool = False
) -> FileContent:
    """Return the content made of the raw bytes `data`.

    `known_hash` is the hash of the bytes if the caller already has it. If only `data` is None, the
    content is known by its hash alone; if both are None, the file is absent. `committed`: the bytes
    come from a commit.
    """
    return FileContent(data=data, known_hash=known_hash, committed=committed)
