"""The paths of a command as the disk has them: globs and directories filled in, nobody's left out.

Invariant: a path that is left out is compared after the command, as every other is.
"""

import os
import posixpath
from collections.abc import Iterator
from dataclasses import replace
from glob import escape, iglob
from itertools import islice
from pathlib import Path
from typing import Final

from intent_lsp.core.commands.reading import Effect, TouchedPath
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.call_reading import CallReading
from intent_lsp.governance.denied_paths import denied_path
from intent_lsp.governance.rules import Rules
from intent_lsp.governance.stores import Stores
from intent_lsp.store.nobodys_places import is_ignored, is_temporary
from intent_lsp.store.places import Place, real_relative
from intent_lsp.store.roots import RootsBelow

MATCHES_AT_MOST: Final = 1_000
"""Files of one glob or directory that are judged by name."""

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
        others = RootsBelow(self._stores.root)
        for touched in reading.paths:
            named = self._filled(touched) if touched.pattern else (touched,)
            if not 0 < len(named) <= MATCHES_AT_MOST:
                unknown.append(f"`{touched.path}` stands for {len(named) or 'no'} files")
            for each in named:
                if self._is_nobodys(each, rules, others):
                    continue
                files = [*islice(self._files(each, rules, others), MATCHES_AT_MOST + 1)]
                paths += files[:MATCHES_AT_MOST]
                if len(files) > MATCHES_AT_MOST:
                    unknown.append(f"`{each.path}` holds more than {MATCHES_AT_MOST} files")
        looking = reading.looking and len(unknown) == len(reading.unknown)
        return replace(
            reading, paths=tuple(dict.fromkeys(paths)), unknown=tuple(unknown), looking=looking
        )

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

    def _files(
        self, touched: TouchedPath, rules: Rules, others: RootsBelow
    ) -> Iterator[TouchedPath]:
        """Give the files that a path stands for: of a directory, those in it."""
        place = real_relative(self._stores.root, touched.path)
        if place is None or place.real is None or others.hold(place.path):
            yield touched
            return
        denied = [*denied_path(rules, place.path), *denied_path(rules, place.real)]
        if denied or touched.directory:
            # A directory that is made is no file; what is denied is denied as a place.
            yield from [touched] if denied else ()
            return
        at, source = self._stores.root / place.path, self._source(touched)
        if at.is_dir() and not at.is_symlink() and touched.source is not None:
            touched = replace(touched, path=_below(touched.path, _last_name(touched.source)))
            inside = [_below(touched.path, name) for name in _names_in(source)]
        elif at.is_dir() and not at.is_symlink():
            inside = [_below(touched.path, name) for name in self._names(touched, place)]
            touched = replace(touched, directory=True)
        else:
            inside = [_below(touched.path, name) for name in _names_in(source)]
        if source is None and not touched.directory:
            yield touched
        named = (replace(touched, path=path, directory=False) for path in inside)
        yield from (each for each in named if not self._is_nobodys(each, rules, others))

    def _names(self, touched: TouchedPath, place: Place) -> Iterator[str]:
        """Give the names of the files in a directory that a command writes, deletes or restores."""
        git = self._stores.git
        if touched.effect is Effect.CREATE:
            return iter(())
        if not touched.restores or git is None:
            return _names_in(self._stores.root / place.path)
        # Git puts back what differs, and leaves alone what it does not track.
        begin = f"{place.path}/"
        changed = (path for path in git.changed_paths() if path.startswith(begin))
        return (path.removeprefix(begin) for path in changed if git.tracked(path))

    def _source(self, touched: TouchedPath) -> Path | None:
        """Give the directory that is copied or moved; None: it is none, or a link is made to it."""
        if touched.source is None or touched.effect is Effect.CREATE:
            return None
        source = self._stores.root / Path(touched.source).expanduser()
        return source if source.is_dir() and not source.is_symlink() else None

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


def _names_in(directory: Path | None) -> Iterator[str]:
    """Give the paths of the files below a directory, from it; no more than are judged."""
    if directory is None:
        return
    for place, _, names in os.walk(directory):
        below = Path(place).relative_to(directory).as_posix()
        yield from (posixpath.normpath(posixpath.join(below, name)) for name in names)


def _below(directory: str, name: str) -> str:
    return f"{directory.rstrip('/')}/{name}"


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
