"""From a blob to the work tree: line ends and `$Id$`, as git writes them (requirements section 8).

Invariant: pure; the same bytes as `git cat-file --filters` for every attribute but `filter` and
`working-tree-encoding`, for which the git program is needed.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

Attribute = str | bool | None
"""As libgit2 tells it: a value, set, unset, or None where nothing is said."""

# With white space inside, it is an id of another version control system, which git keeps.
_ID = re.compile(rb"\$Id(?::(?:[^$\n][^ $\n]* ?)?)?\$")
_LONE_FEED = re.compile(rb"(?<!\r)\n")
# What git's heuristic calls unprintable; a text may have one for each 128 printable characters.
_UNPRINTABLE = bytes({*range(0x20), 0x7F} - {0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_END_OF_FILE = 0x1A
_TRUE = ("true", "yes", "on", "1")

SETTINGS = ("core.autocrlf", "core.eol")
"""The settings that `conversion` reads."""


class LineEnds(Enum):
    """What happens to the line ends of a blob on its way to the work tree."""

    KEEP = "keep"
    CRLF = "crlf"
    CRLF_IF_TEXT = "crlf if text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How one path's blobs become work-tree files; `program`: only the git program can."""

    ends: LineEnds = LineEnds.KEEP
    ident: bool = False
    program: bool = False

    @property
    def nothing(self) -> bool:
        """Whether the blob is the file."""
        return self == Conversion()


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A file of a commit: its blob, and how git writes it into the work tree at `path`.

    `path` is seen from the git top level. Equal versions have the same bytes, unless the git
    program makes them (`how.program`).
    """

    path: str
    blob_id: str
    how: Conversion


def conversion(attribute: Callable[[str], Attribute], setting: Callable[[str], str]) -> Conversion:
    """Read a path's attributes and the repository's settings, lower-case, "" where unset."""
    if _named(attribute("filter")) or _named(attribute("working-tree-encoding")):
        return Conversion(program=True)
    return Conversion(ends=_ends(attribute, setting), ident=attribute("ident") is True)


def to_work_tree(data: bytes, blob_id: str, how: Conversion) -> bytes:
    """Give the bytes that git writes for a blob; `how` must not want the program."""
    if how.ident and b"$Id" in data:
        data = _ID.sub(b"$Id: " + blob_id.encode() + b" $", data)
    if how.ends is LineEnds.KEEP or b"\n" not in data:
        return data
    if how.ends is LineEnds.CRLF_IF_TEXT and (b"\r" in data or _binary(data)):
        return data
    return _LONE_FEED.sub(b"\r\n", data)


def _named(value: Attribute) -> bool:
    return isinstance(value, str) and bool(value)


def _ends(attribute: Callable[[str], Attribute], setting: Callable[[str], str]) -> LineEnds:
    kind = _kind(attribute("text")) or _kind(attribute("crlf"))
    eol = attribute("eol")
    if kind == "binary" or eol == "lf" or (kind == "input" and eol != "crlf"):
        return LineEnds.KEEP
    if eol == "crlf":
        return LineEnds.CRLF_IF_TEXT if kind == "auto" else LineEnds.CRLF
    if kind is None:
        return LineEnds.CRLF_IF_TEXT if setting("core.autocrlf") in _TRUE else LineEnds.KEEP
    if not _crlf_is_the_end(setting):
        return LineEnds.KEEP
    return LineEnds.CRLF if kind == "text" else LineEnds.CRLF_IF_TEXT


def _kind(value: Attribute) -> str | None:
    """Give what `text`, or `crlf` of old, says; None: nothing that git knows."""
    if isinstance(value, bool):
        return "text" if value else "binary"
    return value if value in ("auto", "input") else None


def _crlf_is_the_end(setting: Callable[[str], str]) -> bool:
    automatic = setting("core.autocrlf")
    if automatic in _TRUE:
        return True
    if automatic == "input":
        return False
    end = setting("core.eol")
    return end == "crlf" or (end != "lf" and os.linesep == "\r\n")


def _binary(data: bytes) -> bool:
    """Git's own guess, for data without a carriage return."""
    if b"\0" in data:
        return True
    text = data.translate(None, _UNPRINTABLE)
    unprintable = len(data) - len(text)
    if data.endswith(bytes((_END_OF_FILE,))):
        unprintable -= 1
    printable = len(text) - text.count(b"\n")
    return printable >> 7 < unprintable
