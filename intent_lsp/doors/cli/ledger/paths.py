"""The filter option `--path`: a file, the files below a directory, or those that a glob matches.

Invariant: a value that looks like a glob is taken as a file's name if that file or a record of it
exists.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.core.scope.language import escape
from intent_lsp.core.scope.pattern import NameComparison, compile_pattern
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.locate import path_below
from intent_lsp.governance.ledger.reader import LedgerReader
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.resolve import case_sensitive, is_directory
from intent_lsp.store.ledger.index.queries import Query

_MAGIC: Final = frozenset("*?[{")


class PathFilter(Struct, frozen=True):
    """A filter of records by the paths of their files.

    `covers` gets a path relative to the root, and returns whether it matches. If only one path
    matches, `path` is that path, which the index can search for. Otherwise `path` is None.
    """

    covers: Callable[[WorkspacePath], bool]
    path: WorkspacePath | None = None

    def passes(self, record: Record) -> bool:
        """Return whether the current or previous path of any file of a record matches."""
        return any(
            self.covers(path)
            for file in record.files
            for path in (file.path, file.previous)
            if path is not None
        )


def path_filter(options: argparse.Namespace, root: Path, trace: LedgerReader) -> PathFilter:
    """Return the filter for the option `--path`: the files below a directory, one file, or a glob.

    Without the option, or if its value is the root, the filter covers every path. A value with glob
    characters names one file if that file or a record of it exists. The value is relative to -C.
    Raise WrongUsageError if it is outside the root or the glob is too complex.
    """
    spelled = options.path
    if spelled is None or _is_root(root, spelled, options.root):
        return PathFilter(lambda _: True)
    path = path_below(root, spelled, options.root)
    if spelled.endswith(("/", os.sep)) or is_directory(root, path):
        return PathFilter(lambda found: found.startswith(f"{path}/"))
    if _MAGIC.isdisjoint(spelled) or _is_known(root, path, trace):
        return PathFilter(lambda found: found == path, path)
    pattern = compile_pattern(
        _from_here(root, path, options.root), NameComparison(case_sensitive=case_sensitive(root))
    )
    if pattern.refusal is not None:
        raise WrongUsageError(f"--path: {pattern.refusal}", cure="use a simpler glob")
    return PathFilter(pattern.matches)


def _is_known(root: Path, path: WorkspacePath, trace: LedgerReader) -> bool:
    return stamp(root / path) is not None or bool(trace.page(Query(path=path), limit=1).records)


def _is_root(root: Path, spelled: str, start: str) -> bool:
    try:
        return (Path(start) / spelled).resolve() == root.resolve()
    except (OSError, ValueError):  # A loop of links, or a NUL.
        return False


def _from_here(root: Path, glob: WorkspacePath, start: str) -> str:
    """Return `glob` with the directory `start` at its beginning escaped.

    `glob` is relative to the root. Only what the user typed, below `start`, is a glob. If `glob`
    does not begin with `start`, return it unchanged.
    """
    here = path_below(root, "x", start).removesuffix("x")
    return escape(here) + glob[len(here) :] if here and glob.startswith(here) else glob
