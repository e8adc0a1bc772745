"""The reach of a connection: the roots that lie inside or above its workspace folders.

Specified in scope section 4.

Invariant: a folder and a root are compared as they are spelled and as they really are.
"""

import os
from collections.abc import Sequence

from intent_lsp.core.paths import relative_to


def in_reach(root: str, folders: Sequence[str]) -> bool:
    """Whether a root lies inside or above a folder; without folders every root does.

    Asks the disk where links lead.
    """
    ours = {root, os.path.realpath(root)}
    theirs = [{folder, os.path.realpath(folder)} for folder in folders]
    near = (_near(a, b) for folder in theirs for a in ours for b in folder)
    return not theirs or any(near)


def _near(one: str, other: str) -> bool:
    return (
        one == other or relative_to(one, other) is not None or relative_to(other, one) is not None
    )
