"""The paths of a command as the disk has them: globs filled in, nobody's files left out.

Invariant: a path that is left out is compared after the command, as every other is.
"""

import os
from dataclasses import replace
from glob import escape, iglob
from itertools import islice
from typing import Final

from intent_lsp.core.commands.reading import Effect, TouchedPath
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.call_reading import CallReading
from intent_lsp.governance.denied_paths import denied_path
from intent_lsp.governance.rules import Rules
from intent_lsp.governance.stores import Stores
from intent_lsp.store.nobodys_places import is_ignored, is_temporary
from intent_lsp.store.places import real_relative
from intent_lsp.store.roots import RootsBelow

MATCHES_AT_MOST: Final = 1_000
"""Files of one glob that are judged by name."""

_DIRECTORIES: Final = frozenset({Effect.CREATE, Effect.DELETE})
"""What may become of a path that is not there and is a directory."""


class CommandPaths:
    """Finds on the disk of one root what the paths of a command mean."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def found(self, reading: CallReading, rules: Rules) -> CallReading:
        """Give a command's reading with the paths that somebody owns, each by its name."""
        if not reading.paths:
            return reading
        paths, unknown = list[TouchedPath](), list[str](reading.unknown)
        for touched in reading.paths:
            filled = self._filled(touched) if touched.pattern else (touched,)
            paths += filled
            if not 0 < len(filled) <= MATCHES_AT_MOST:
                unknown.append(f"`{touched.path}` stands for {len(filled) or 'no'} files")
        others = RootsBelow(self._stores.root)
        kept = tuple(each for each in paths if not self._is_nobodys(each, rules, others))
        looking = reading.looking and len(unknown) == len(reading.unknown)
        return replace(reading, paths=kept, unknown=tuple(unknown), looking=looking)

    def _filled(self, touched: TouchedPath) -> tuple[TouchedPath, ...]:
        """Give what a glob stands for now, as a shell would fill it in."""
        pattern = touched.path
        if pattern.startswith("~"):
            home, slash, rest = pattern.partition("/")
            pattern = escape(os.path.expanduser(home)) + slash + rest  # noqa: PTH111 - may be no path
        # Path.glob takes no absolute pattern.
        found = iglob(pattern, root_dir=self._stores.root)  # noqa: PTH207
        names = islice(found, MATCHES_AT_MOST + 1)
        return tuple(replace(touched, path=name, pattern=False) for name in names)

    def _is_nobodys(self, touched: TouchedPath, rules: Rules, others: RootsBelow) -> bool:
        path = touched.path
        if path.startswith("~") and "\0" not in path:
            path = os.path.expanduser(path)  # noqa: PTH111 - a path that may be no path
        place = real_relative(self._stores.root, path)
        if place is None or place.real is None:
            return "\0" not in path and is_temporary(self._stores.root, path)
        names = dict.fromkeys((place.path, place.real))
        return all(self._is_ignored(name, touched, rules, others) for name in names)

    def _is_ignored(
        self, path: WorkspacePath, touched: TouchedPath, rules: Rules, others: RootsBelow
    ) -> bool:
        git = self._stores.git
        if git is None or others.hold(path) or any(denied_path(rules, path)):
            return False
        absent = touched.effect in _DIRECTORIES and not os.path.lexists(self._stores.root / path)
        return is_ignored(git, path, directory=absent)
