"""Git attributes that govern content conversion, read for many files by one `git check-attr`.

Invariant: an incomplete answer is None, never an answer that attributes are unspecified.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from intent_lsp.store.git.conversion import NAMES, Attribute
from intent_lsp.store.git.program import run_git

_WORDS: Final[Mapping[bytes, Attribute]] = {b"set": True, b"unset": False, b"unspecified": None}
_FIELDS: Final = 3


def attributes_of(top: Path, paths: Sequence[str]) -> Mapping[str, Mapping[str, Attribute]] | None:
    """Return the conversion attributes of each path, or None if git does not answer for all.

    Paths are relative to the git top level. A failure of git is logged.
    """
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    printed = run_git(top, "check-attr", "-z", "--stdin", *NAMES, given=given)
    found = {} if printed is None else read_attributes(printed)
    return found if all(len(found.get(path, ())) == len(NAMES) for path in paths) else None


def read_attributes(printed: bytes) -> Mapping[str, Mapping[str, Attribute]]:
    """Parse the output of `git check-attr -z`: for each path, the value of each attribute."""
    fields = printed.split(b"\0")
    found: dict[str, dict[str, Attribute]] = {}
    for at in range(0, len(fields) - _FIELDS, _FIELDS):
        path, name, word = fields[at : at + _FIELDS]
        value = _WORDS[word] if word in _WORDS else os.fsdecode(word)
        found.setdefault(os.fsdecode(path), {})[os.fsdecode(name)] = value
    return found
