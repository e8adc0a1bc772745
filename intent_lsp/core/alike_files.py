"""Files of one folder that are out of bounds alike: the first is shown for all (disk section 3).

Invariant: every file shows its own violations, or exactly one other file of its folder counts it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.paths import WorkspacePath

SHOWN_A_FOLDER: Final = 50
"""How many files of one record each show their own in a folder; above it one is shown for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBounds:
    """A file that may not be as it is, by which code, and the record that says so.

    `record_id` is None as long as no record does. `opened`: an editor shows its text.
    """

    path: WorkspacePath
    code: str
    record_id: str | None
    opened: bool


def shown_in_folder(files: Iterable[OutOfBounds]) -> Mapping[WorkspacePath, int]:
    """Give the files of one folder that are shown, and for how many others each of them is.

    A file that is open is shown for itself, and counts among those of its record all the same:
    to open one file lets no other appear.
    """
    alike: dict[tuple[str, str | None], list[OutOfBounds]] = {}
    for file in files:
        alike.setdefault((file.code, file.record_id), []).append(file)
    return {path: others for each in alike.values() for path, others in _shown(each).items()}


def _shown(alike: Sequence[OutOfBounds]) -> Mapping[WorkspacePath, int]:
    if len(alike) <= SHOWN_A_FOLDER:
        return {file.path: 0 for file in alike}
    closed = sorted(file.path for file in alike if not file.opened)
    first = {closed[0]: len(closed) - 1} if closed else {}
    return {**{file.path: 0 for file in alike if file.opened}, **first}
