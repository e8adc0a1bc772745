"""The documents of plans: texts of files below one directory, within limits.

Invariant: no file outside of the directory is read. A link that leads out of it is a problem.
Invariant: a file that cannot be read is a problem, never an error.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from intent_lsp.core.content import decode
from intent_lsp.core.paths import parse_relative
from intent_lsp.formats.plans.proposed_intent import PlanProblem
from intent_lsp.store.fs.files import TooLargeError, read_bytes
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.tree_reader import holds_file
from intent_lsp.store.fs.tree_walk import DirectoryNames, is_linked, names_in

MAX_DOCUMENT: Final = 1024 * 1024
"""The most bytes of a document in Markdown."""

MAX_TABLE: Final = 16 * 1024 * 1024
"""The most bytes of a tracker's table."""

_DEEPEST: Final = 6


class PlanDocuments:
    """Reads documents below the directory `base`. Paths are relative to it, "" for itself."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.problems: list[PlanProblem] = []

    def text(self, path: str, at_most: int = MAX_DOCUMENT) -> str | None:
        """Return the text of a file, or None if it has none that can be read.

        What is wrong with the file is added to `problems`: it has more than `at_most` bytes, cannot
        be read, is not UTF-8 text, or is a link that leads nowhere or out of `base`. Nothing is
        added if there is no file, or if `path` itself names a place outside `base`.
        """
        parsed = parse_relative(path)
        place = None if parsed is None else resolve_below(self.base, parsed)
        if place is None:
            return None
        file = self.base / place.path
        try:
            data = None if place.real is None else read_bytes(file, at_most)
        except TooLargeError:
            size = f"it has more than {at_most >> 20} MiB"
            self._unread(path, size, "split it, or leave parts out")
            return None
        except OSError as error:
            self._unread(path, error.strerror or str(error), "make it readable")
            return None
        text = None if data is None else decode(data)
        if data is not None and text is None:
            self._unread(path, "it is not UTF-8 text", "save it as UTF-8")
        elif data is None and holds_file(file):
            out = "it is a link that leads nowhere, or out of the directory that is imported"
            self._unread(path, out, "put the file itself there")
        return None if text is None else text.text

    def names(self, directory: str) -> DirectoryNames:
        """Return the names in a directory, sorted and without links.

        There are none if the directory is missing, cannot be listed, or is or leads through a link.
        """
        found = names_in(self.base, directory)
        return DirectoryNames(sorted(found.directories), sorted(found.files))

    def has_any(self, directory: str, names: Iterable[str]) -> bool:
        """Return whether a directory has a file or a link with one of these names.

        A directory that is or leads through a link has none.
        """
        if is_linked(self.base, directory):
            return False
        return any(holds_file(self.base / directory / name) for name in names)

    def files_named(self, directory: str, name: str, *, at_most: int) -> list[str]:
        """Return the paths of the files `name` in a directory and below it, sorted.

        `directory` is not "". They are at most `at_most`. What is more than five levels below is
        not searched, and of each level only the first 2 * `at_most` directories are.
        """
        found: list[str] = []
        level = [directory]
        for _ in range(_DEEPEST):
            below: list[str] = []
            for each in level:
                names = self.names(each)
                found += [f"{each}/{name}"] * (name in names.files)
                below += [f"{each}/{inner}" for inner in names.directories]
            level = below[: at_most * 2]
        return sorted(found)[:at_most]

    def _unread(self, path: str, problem: str, cure: str) -> None:
        self.problems.append(PlanProblem(document=path, line=0, problem=problem, cure=cure))
