"""Files of a root that are out of bounds alike: the first is shown for all (disk section 3).

Invariant: every file shows its own violations, or exactly one other file of its root counts it,
or it is shown under the name that it has now.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import commonpath
from typing import Final

from intent_lsp.core.paths import WorkspacePath

SHOWN_ALIKE: Final = 50
"""How many files of one record each show their own; above it one is shown for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBounds:
    """A file that may not be as it is, by which code, and the record that says so.

    `record_id` is None as long as no record does. `opened`: an editor shows its text.
    `renamed_to` is the name that a file has now that is not here any more.
    """

    path: WorkspacePath
    code: str
    record_id: str | None
    opened: bool
    renamed_to: WorkspacePath | None = None


@dataclass(frozen=True, slots=True)
class Others:
    """For how many files one is shown besides itself, and the folder they are in ("": the root)."""

    count: int
    folder: str = ""


ALONE: Final = Others(0)


def shown_of(files: Iterable[OutOfBounds]) -> Mapping[WorkspacePath, Others]:
    """Give the files of a root that are shown, and for which others each of them is.

    A file that is open is shown for itself, and counts among those of its record all the same:
    to open one file lets no other appear. One that was renamed is shown under its new name alone.
    """
    alike: dict[tuple[str, str | None], list[OutOfBounds]] = {}
    for file in files:
        alike.setdefault((file.code, file.record_id), []).append(file)
    return {path: others for each in alike.values() for path, others in _shown(each).items()}


def _shown(alike: Sequence[OutOfBounds]) -> Mapping[WorkspacePath, Others]:
    names = {file.path for file in alike}
    alike = [file for file in alike if file.opened or file.renamed_to not in names]
    if len(alike) <= SHOWN_ALIKE:
        return {file.path: ALONE for file in alike}
    closed = sorted(file.path for file in alike if not file.opened)
    shown = {file.path: ALONE for file in alike if file.opened}
    if closed:
        shown[closed[0]] = Others(len(closed) - 1, _common_folder(closed))
    return shown


def _common_folder(paths: Sequence[WorkspacePath]) -> str:
    """Give the innermost folder that all of some paths are in, which are in order."""
    return commonpath([path.rpartition("/")[0] for path in (paths[0], paths[-1])])
