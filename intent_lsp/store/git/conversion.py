"""How a blob becomes a file of the work tree: as it is, as git converts it, or as a filter does.

Specified in requirements section 8.

Invariant: where a blob is taken as it is, `git cat-file --filters` gives the same bytes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Attribute = str | bool | None
"""As libgit2 tells it: a value, set, unset, or None where nothing is said."""

NAMES: Final = ("filter", "working-tree-encoding", "ident", "text", "crlf", "eol")
"""Every attribute that `conversion` reads."""
SETTINGS: Final = ("core.autocrlf", "core.eol")
"""Every setting that it reads."""
_TRUE: Final = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How one path's blobs become work-tree files; equal ones convert alike.

    `said` are the attributes and settings by which git converts; empty: the blob is the file.
    `program`: a filter or an encoding makes the bytes, which the blob alone does not tell.
    """

    said: tuple[Attribute, ...] = ()
    program: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A file of a commit: its blob, and how git writes it into the work tree at `path`.

    `path` is seen from the git top level. Equal versions have the same bytes, unless a program
    makes them (`how.program`).
    """

    path: str
    blob_id: str
    how: Conversion


def conversion(attribute: Callable[[str], Attribute], setting: Callable[[str], str]) -> Conversion:
    """Read a path's attributes and the repository's settings, lower-case, "" where unset."""
    if any(isinstance(value := attribute(name), str) and value for name in NAMES[:2]):
        return Conversion(program=True)
    ident, text, _, eol = said = tuple(map(attribute, NAMES[2:]))
    automatic, end = map(setting, SETTINGS)
    crlf = text is not False and ("crlf" in (eol, end) or automatic in _TRUE)
    return Conversion(said=(*said, automatic, end)) if ident is True or crlf else Conversion()
