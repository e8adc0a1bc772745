"""The attributes by which git converts files, asked of the git program for many at once.

Invariant: an answer that is not whole is None, never "nothing is said".
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
    """Ask for the attributes of files, whose paths are seen from the git top level.

    None, and a line in the log: no answer.
    """
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    printed = run_git(top, "check-attr", "-z", "--stdin", *NAMES, given=given)
    found = {} if printed is None else read_attributes(printed)
    return found if all(len(found.get(path, ())) == len(NAMES) for path in paths) else None


def read_attributes(printed: bytes) -> Mapping[str, Mapping[str, Attribute]]:
    """Read what `git check-attr -z` printed: of each path, what each attribute says."""
    fields = printed.split(b"\0")
    found: dict[str, dict[str, Attribute]] = {}
    for at in range(0, len(fields) - _FIELDS, _FIELDS):
        path, name, word = fields[at : at + _FIELDS]
        value = _WORDS[word] if word in _WORDS else os.fsdecode(word)
        found.setdefault(os.fsdecode(path), {})[os.fsdecode(name)] = value
    return found
