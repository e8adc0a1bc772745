"""Content conversion: whether a blob is checked out as it is, converted by git, or by a filter.

Specified in requirements section 8.

Invariant: where a blob is used unconverted, `git cat-file --filters` returns the same bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Attribute = str | bool | None
"""An attribute as libgit2 reports it: a value, True if set, False if unset, None if unspecified."""

NAMES: Final = ("filter", "working-tree-encoding", "ident", "text", "crlf", "eol")
"""Every attribute that `conversion` reads."""
SETTINGS: Final = ("core.autocrlf", "core.eol")
"""Every setting that `conversion` reads."""
_TRUE: Final = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How the blobs of one path become work-tree files; equal conversions give equal bytes.

    `said` are the attributes and settings that determine git's own conversion. It is empty if the
    file is the blob. `program` is whether a filter or a `working-tree-encoding` makes the bytes, so
    that the blob alone does not determine them.
    """

    said: tuple[Attribute, ...] = ()
    program: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A file of a commit: its blob, and how git writes that blob into the work tree at `path`.

    `path` is relative to the git top level. Equal versions have equal bytes, unless a program
    produces them (`how.program`).
    """

    path: str
    blob_id: str
    how: Conversion


def conversion(attribute: Callable[[str], Attribute], setting: Callable[[str], str]) -> Conversion:
    """Return the conversion that a path's attributes and the repository's settings determine.

    `attribute` returns an attribute by its name. `setting` returns a setting in lower case, or ""
    if it is not set.
    """
    if any(isinstance(value := attribute(name), str) and value for name in NAMES[:2]):
        return Conversion(program=True)
    ident, text, _, eol = said = tuple(map(attribute, NAMES[2:]))
    automatic, end = map(setting, SETTINGS)
    crlf = text is not False and ("crlf" in (eol, end) or automatic in _TRUE)
    return Conversion(said=(*said, automatic, end)) if ident is True or crlf else Conversion()
