"""The filter `--path`: a file, the files below a directory, or those that a glob matches.

Invariant: a name that looks like a glob means that file if it or a record of it exists.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.core.scope.language import escape
from intent_lsp.core.scope.pattern import NameComparison, compile_pattern
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.locate import path_below
from intent_lsp.governance.ledger.reader import LedgerReader
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.resolve import case_sensitive
from intent_lsp.store.ledger.index.queries import Query

_MAGIC: Final = frozenset("*?[{")


@dataclass(frozen=True, slots=True)
class PathFilter:
    """A filter for records with a file whose current or previous path satisfies `covers`.

    `path` is the only path that does, which the index can be asked for, or None.
    """

    covers: Callable[[WorkspacePath], bool]
    path: WorkspacePath | None = None

    def passes(self, record: Record) -> bool:
        """Return whether any file of a record satisfies the filter."""
        return any(
            self.covers(path)
            for file in record.files
            for path in (file.path, file.previous)
            if path is not None
        )


def path_filter(options: argparse.Namespace, root: Path, trace: LedgerReader) -> PathFilter:
    """Return what `--path` means, seen from -C. Without it every path is covered.

    Raise WrongUsageError if it is outside the root or too complex.
    """
    spelled = options.path
    if spelled is None or _is_root(root, spelled, options.root):
        return PathFilter(lambda _: True)
    path = path_below(root, spelled, options.root)
    if spelled.endswith(("/", os.sep)) or _is_directory(root / path):
        return PathFilter(lambda found: found.startswith(f"{path}/"))
    if _MAGIC.isdisjoint(spelled) or _is_known(root, path, trace):
        return PathFilter(lambda found: found == path, path)
    pattern = compile_pattern(
        _from_here(root, path, options.root), NameComparison(case_sensitive=case_sensitive(root))
    )
    if pattern.refusal is not None:
        raise WrongUsageError(f"--path: {pattern.refusal}", cure="use a simpler glob")
    return PathFilter(pattern.matches)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # A name that is too long for any file.
        return False


def _is_known(root: Path, path: WorkspacePath, trace: LedgerReader) -> bool:
    return stamp(root / path) is not None or bool(trace.page(Query(path=path), limit=1).records)


def _is_root(root: Path, spelled: str, start: str) -> bool:
    try:
        return (Path(start) / spelled).resolve() == root.resolve()
    except (OSError, ValueError):  # A loop of links, or a NUL.
        return False


def _from_here(root: Path, glob: WorkspacePath, start: str) -> str:
    """Return a glob in which the working directory's own name is escaped."""
    here = path_below(root, "x", start).removesuffix("x")
    return escape(here) + glob[len(here) :] if here and glob.startswith(here) else glob
