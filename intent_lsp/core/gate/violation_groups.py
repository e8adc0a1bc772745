"""Groups a root's files with the same violation: one is shown for all (disk section 3).

Invariant: every file shows its own violation, or is counted by exactly one other file of its root,
or is shown under its new name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import commonpath
from typing import Final

from intent_lsp.core.paths import WorkspacePath

SHOWN_ALIKE: Final = 50
"""The most files of one record that each show their own violation. Above it one stands for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfBounds:
    """A file with a violation: its code, and the id of the record that holds it.

    `record_id` is None if no record holds it yet. `opened`: an editor has the file open.
    `renamed_to` is the file's new name, if it was renamed since.
    """

    path: WorkspacePath
    code: str
    record_id: str | None
    opened: bool
    renamed_to: WorkspacePath | None = None


@dataclass(frozen=True, slots=True)
class Others:
    """How many other files one file stands for, and their common folder ("" is the root)."""

    count: int
    folder: str = ""


ALONE: Final = Others(0)


def shown_of(files: Iterable[OutOfBounds]) -> Mapping[WorkspacePath, Others]:
    """Return the files of a root that are shown, each with the other files that it stands for.

    An open file is always shown, and still counts towards the limit of its record, so that opening
    one file does not make others appear. A renamed file is shown only under its new name.
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
    """Return the innermost folder that contains all of the paths, which are sorted."""
    return commonpath([path.rpartition("/")[0] for path in (paths[0], paths[-1])])
