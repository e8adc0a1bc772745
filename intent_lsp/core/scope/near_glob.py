"""The glob that was probably meant where no file matches: a name in it is nearly one in the tree.

Invariant: what is suggested matches at least one file of the tree.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from intent_lsp.core.scope.file_tree import FileTree, TreeDirectory
from intent_lsp.core.scope.language import escape
from intent_lsp.core.scope.pattern import Pattern, compile_pattern
from intent_lsp.core.scope.suggestions import as_written

_MAGIC: Final = re.compile(r"(?<!\\)[*?\[\]{}()!+@|]")
_ESCAPED: Final = re.compile(r"\\(.)")
_NEAR: Final = 0.65
_NAMES_AT_MOST: Final = 500
"""In a directory with more names, none is looked for: comparing them would take too long."""


def near_glob(pattern: Pattern, tree: FileTree) -> str | None:
    """Return `pattern`, which matches no file, with its first wrong name spelled as in the tree.

    That is the first name that its directory does not have. Return None if there is none before the
    first wildcard, if no name there is nearly the same, if the directory has more names than
    _NAMES_AT_MOST, or if the new pattern matches no file either.
    """
    parts = pattern.spelling.glob.split("/")
    directory = tree.top
    for at, part in enumerate(parts):
        if not part or _MAGIC.search(part):
            return None
        name = pattern.reading.path(_ESCAPED.sub(r"\1", part))
        last = at == len(parts) - 1
        if not last and name in directory.below:
            directory = directory.below[name]
            continue
        near = _nearest(name, directory.names if last else directory.below)
        if near is None:
            return None
        spelled = escape(_spelled(directory, near, at))
        made = as_written(pattern, "/".join((*parts[:at], spelled, *parts[at + 1 :])))
        found = compile_pattern(made, pattern.reading)
        return made if next(tree.matching(found), None) is not None else None
    return None


def _nearest(name: str, names: Iterable[str]) -> str | None:
    listed = list(names)
    if len(listed) > _NAMES_AT_MOST:
        return None
    return next(iter(get_close_matches(name, listed, n=1, cutoff=_NEAR)), None)


def _spelled(directory: TreeDirectory, name: str, depth: int) -> str:
    """Return a name in a directory as its files spell it, which case and form may differ from.

    `depth` is the number of directories above it.
    """
    if name not in directory.below:
        return directory.files[directory.names.index(name)].split("/")[depth]
    found = directory.below[name]
    while not found.files:
        found = next(iter(found.below.values()))
    return found.files[0].split("/")[depth]
