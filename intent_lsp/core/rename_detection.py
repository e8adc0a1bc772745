"""Detects renames: pairs of a missing file and a new file with equal or similar content.

Invariant: a file with several possible partners is in no pair. If a partner has equal content,
those with similar content do not count.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from intent_lsp.core.paths import WorkspacePath

EQUAL_AT_LEAST: Final = 64
"""The least size in bytes of the larger file of a pair. Smaller files are alike by chance."""

COMPARED_AT_MOST: Final = 100
"""The most missing files, and the most new files, that are compared by similarity.

Files that were paired by equal content do not count. If there are more, no others are paired.
"""

_ALIKE: Final = 0.5
"""The least share of the larger file that two similar files have in common, as in git."""

_Contents = Mapping[WorkspacePath, bytes]


def renamed(gone: _Contents, came: _Contents) -> dict[WorkspacePath, WorkspacePath]:
    """Return the renames between two moments, as a map from the new path to the old path.

    `gone` are the contents of the files that are missing now, by path, `came` those of the new
    files. Files with equal contents are paired first. Then files with similar contents are, if at
    most COMPARED_AT_MOST are left on either side. Two files are paired only if neither has another
    possible partner. A pair is left out if its larger file has fewer than EQUAL_AT_LEAST bytes.
    """
    pairs = _only_equal(gone, came)
    left = {path: data for path, data in gone.items() if path not in pairs.values()}
    new = {path: data for path, data in came.items() if path not in pairs}
    if max(len(left), len(new)) <= COMPARED_AT_MOST:
        pairs |= _only_alike(left, new)
    return pairs


def _only_equal(gone: _Contents, came: _Contents) -> dict[WorkspacePath, WorkspacePath]:
    olds, news = _by_content(gone), _by_content(came)
    both = ((olds[data], found) for data, found in news.items() if data in olds)
    return {new[0]: old[0] for old, new in both if len(old) == len(new) == 1}


def _by_content(files: _Contents) -> dict[bytes, list[WorkspacePath]]:
    found: dict[bytes, list[WorkspacePath]] = {}
    for path, data in files.items():
        if len(data) >= EQUAL_AT_LEAST:
            found.setdefault(data, []).append(path)
    return found


def _only_alike(gone: _Contents, came: _Contents) -> dict[WorkspacePath, WorkspacePath]:
    fitting = [
        (new, old)
        for new, data in came.items()
        for old, before in gone.items()
        if _are_alike(before, data)
    ]
    news, olds = Counter(new for new, _ in fitting), Counter(old for _, old in fitting)
    return {new: old for new, old in fitting if news[new] == olds[old] == 1}


def _are_alike(before: bytes, data: bytes) -> bool:
    """Whether the lines that two contents have in common are at least half of the larger one.

    Halves are measured in bytes. False if the larger one has fewer than EQUAL_AT_LEAST bytes.
    """
    larger = max(len(before), len(data))
    if min(len(before), len(data)) < larger * _ALIKE or larger < EQUAL_AT_LEAST:
        return False
    common = Counter(before.splitlines(keepends=True)) & Counter(data.splitlines(keepends=True))
    return sum(len(line) * count for line, count in common.items()) >= larger * _ALIKE
