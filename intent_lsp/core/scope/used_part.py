"""The part of a glob that an intent's work has used, as narrower globs (requirements section 3.3).

Invariant: narrower globs match every file that was touched, and nothing that the glob does not.
"""

import re
from collections.abc import Iterable, Sequence
from posixpath import commonpath
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.language import escape

MOST_DIRECTORIES: Final = 3
"""The most narrower globs for one glob."""

FEWEST_TOUCHED: Final = 5
FEWEST_MATCHED: Final = 50
MOST_SHARE: Final = 4
"""The used part is small if it has at most one in this number of the matched files."""

# A directory without wildcards, `**`, and perhaps a pattern for the file's name.
_BELOW: Final = re.compile(
    r"(?P<base>(?:[^*?\[\]{}()!+@\\/]+/)*)\*\*(?P<tail>/(?!\*\*(?:/|\Z))[^/]+)?"
)


def used_part(
    glob: str, touched: Sequence[WorkspacePath], matched: Iterable[WorkspacePath]
) -> tuple[str, ...] | None:
    """Return the narrower globs for the part of a glob that was used, or None.

    Of the files that the glob matches, `touched` are those that an intent changed, and `matched`
    all of the tree. Return None if these are too few to say, if the touched files are not all in a
    few directories below that of the glob, if the part is not small, or if the glob is not `**`
    below a directory without wildcards, with or without a pattern for file names after it.
    """
    found = _BELOW.fullmatch(glob)
    if found is None or len(touched) < FEWEST_TOUCHED:
        return None
    directories = _directories(found["base"].rstrip("/"), touched)
    if not directories:
        return None
    prefixes = tuple(f"{directory}/" for directory in directories)
    count = part = 0
    for path in matched:
        count += 1
        part += path.startswith(prefixes)
    if count < FEWEST_MATCHED or part * MOST_SHARE > count:
        return None
    return tuple(f"{escape(each)}/**{found['tail'] or ''}" for each in directories)


def _directories(base: str, touched: Sequence[WorkspacePath]) -> tuple[str, ...]:
    """Return at most MOST_DIRECTORIES directories below `base` that have all touched files.

    Each is as deep as it can be. Return () if there are no such directories.
    """
    parents = sorted({path.rpartition("/")[0] for path in touched})
    common = commonpath(parents)
    if common != base:
        return (common,) if _is_below(common, base) else ()
    groups: dict[str, list[str]] = {}
    start = len(base) + 1 if base else 0
    for parent in parents:
        child = parent[start:].partition("/")[0]
        if not child or not _is_below(parent, base):
            return ()
        groups.setdefault(child, []).append(parent)
    if len(groups) > MOST_DIRECTORIES:
        return ()
    return tuple(commonpath(group) for group in groups.values())


def _is_below(directory: str, base: str) -> bool:
    return not base or directory.startswith(f"{base}/")
