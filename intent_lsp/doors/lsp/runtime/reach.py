"""The reach of a connection: governed roots inside or above its workspace folders.

Specified in scope section 4.

Invariant: root and folder are compared as given and with links resolved.
"""

import os
from collections.abc import Sequence

from intent_lsp.core.paths import relative_to


def in_reach(root: str, folders: Sequence[str]) -> bool:
    """Return whether a root lies inside or above a folder, or there are no folders.

    May wait on the disk to resolve links.
    """
    ours = {root, os.path.realpath(root)}
    theirs = [{folder, os.path.realpath(folder)} for folder in folders]
    near = (_near(a, b) for folder in theirs for a in ours for b in folder)
    return not theirs or any(near)


def _near(one: str, other: str) -> bool:
    return (
        one == other or relative_to(one, other) is not None or relative_to(other, one) is not None
    )
