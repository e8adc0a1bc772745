"""The paths of a shell command as they exist on disk: globs and directories are expanded."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from glob import escape, iglob
from itertools import islice
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.commands.reading import Effect, TouchedPath
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.formats.tool_call import CallReading
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.unowned_places import is_ignored, is_temporary

MATCHES_AT_MOST: Final = 1_000
"""The most files of one command that are judged by name."""

_REST: Final = "…"
"""A file name that stands for any other file in a directory."""

_GLOB: Final = re.compile(r"[*?\[{]")
_DIRECTORIES: Final = frozenset({Effect.CREATE, Effect.DELETE})
"""Effects under which a path that does not exist may be a directory."""


class CommandPaths:
    """Expands the globs and directories that a shell command names to the files of one root.

    What `rules` forbid agents to change is kept, even if git ignores it.
    """

    def __init__(self, stores: Stores, rules: Rules) -> None:
        self._stores = stores
        self._rules = rules
        self._others = RootsBelow(stores.root)

    def found(self, reading: CallReading) -> CallReading:
        """Return the reading of a command with its paths expanded to files.

        Ignored and temporary files are left out. A glob that matches no file or too many, or a path
        that brings the command's files above MATCHES_AT_MOST, adds a sentence to `unknown`.
        """
        if not reading.paths:
            return reading
        paths, unknown = dict[TouchedPath, None](), list[str](reading.unknown)
        for touched in map(_at_home, reading.paths):
            named = self._filled(touched) if touched.pattern else (touched,)
            if not named:
                unknown.append(f"`{touched.path}` matches no files")
            elif len(named) > MATCHES_AT_MOST:
                unknown.append(f"`{touched.path}` matches more than {MATCHES_AT_MOST} files")
            for each in named:
                room = MATCHES_AT_MOST - len(paths)
                files = [*islice(self._kept(each), max(room, 0) + 1)]
                paths |= dict.fromkeys(files)
                if len(files) > room:
                    # Too many files to list: judge a placeholder that only an intent that owns the
                    # whole directory covers.
                    paths[replace(each, path=_below(each.path, _REST), source=None)] = None
                    unknown.append(
                        f"with `{each.path}`, the command names more than {MATCHES_AT_MOST} files"
                    )
        looking = reading.looking and len(unknown) == len(reading.unknown)
        return replace(reading, paths=tuple(paths), unknown=tuple(unknown), looking=looking)

    def _filled(self, touched: TouchedPath) -> tuple[TouchedPath, ...]:
        """Return the existing paths that a glob matches, as a shell would expand the glob.

        There is one path more than MATCHES_AT_MOST if the glob matches too many.
        """
        # Path.glob does not accept an absolute pattern.
        found = iglob(touched.path, root_dir=self._stores.root)  # noqa: PTH207
        names = islice(found, MATCHES_AT_MOST + 1)
        return tuple(replace(touched, path=name, pattern=False) for name in names)

    def _kept(self, touched: TouchedPath) -> Iterator[TouchedPath]:
        """Yield the file at a path, or a directory's files, without ignored and temporary files.

        A path in a governed root below this one is yielded as it is.
        """
        for each in self._files(touched):
            # Git listed the files of a directory, so they are known not to be ignored.
            asked = each is not touched and each.source is None and self._stores.git is not None
            if asked or not self._is_nobodys(each):
                yield each

    def _files(self, touched: TouchedPath) -> Iterator[TouchedPath]:
        """Yield what is to be judged at a path: the path itself, or for a directory its files.

        A path is yielded itself if it is outside the root, in a governed root below it, denied to
        agents, or a directory that may hold a denied path. Else a `directory` (see TouchedPath)
        yields nothing, unless a file is there. For another existing directory, the files copied or
        moved into it are yielded; if nothing is, its own files (`_in_directory`). Other paths, and
        links to directories, are yielded by `_copied`.
        """
        place = resolve_below(self._stores.root, touched.path)
        if place is None or place.real is None or self._others.hold(place.path):
            yield touched
            return
        at = self._at(place.path)
        is_directory = os.path.isdir(at)  # noqa: PTH112 - Path asks by exceptions
        if self._is_denied(place, directory=is_directory or touched.directory):
            yield touched
        elif touched.directory and not os.path.isfile(at):  # noqa: PTH113 - as above
            return
        elif is_directory and touched.source is not None:
            inside = _below(place.real, _last_name(touched.source))
            yield from self._copied(replace(touched, path=inside))
        elif is_directory and not os.path.islink(at):  # noqa: PTH114 - as above
            yield from self._in_directory(touched, place)
        else:
            yield from self._copied(touched)

    def _copied(self, touched: TouchedPath) -> Iterator[TouchedPath]:
        """Yield a path; if a directory is copied or moved to it, the path of each file instead.

        A directory copied or moved to a place that git ignores yields nothing.
        """
        source = None if touched.effect is Effect.CREATE else touched.source
        full = self._at(source or "")
        if source is None or os.path.islink(full) or not os.path.isdir(full):  # noqa: PTH112, PTH114 - as above
            yield touched
            return
        place = resolve_below(self._stores.root, touched.path)
        if place is None or not self._is_ignored(place.path, touched, directory=True):
            for name in _walked(full):
                yield replace(touched, path=_below(touched.path, name))

    def _in_directory(self, touched: TouchedPath, place: ResolvedPath) -> Iterator[TouchedPath]:
        """Yield the files of a directory that a command deletes or writes.

        Of a directory that the command restores, yield the tracked files that git reports changed.
        Yield nothing if the command creates the directory. Yield the directory itself if the
        command writes into it and no file in it is found.
        """
        if touched.effect is Effect.CREATE:
            return
        names = self._names(place, tracked=touched.restores)
        if names is None:
            names = _walked(self._at(place.path))
        if touched.restores and self._stores.git is not None:
            # Git only rewrites the files that differ.
            changed = frozenset(self._stores.git.changed_paths())
            names = (name for name in names if _below(place.path, name) in changed)
        any_ = False
        for name in names:
            any_ = True
            yield replace(touched, path=_below(place.path, name))
        if not any_ and touched.effect is not Effect.DELETE and not touched.restores:
            # The files that the command will write into it are unknown: judge the directory itself.
            yield touched

    def _at(self, path: str) -> str:
        """Return the absolute path for a path that is absolute or relative to the root."""
        return os.path.join(self._stores.root, path)  # noqa: PTH118 - Path asks by exceptions

    def _names(self, place: ResolvedPath, *, tracked: bool) -> Iterable[str] | None:
        """Return the unignored files below a directory, or None if git cannot list them.

        They are relative to the directory. With `tracked`, return only those that git tracks.
        """
        readable = os.access(self._at(place.path), os.R_OK | os.X_OK)
        git = self._stores.git
        return None if git is None or not readable else git.names_in(place.path, tracked=tracked)

    def _is_denied(self, place: ResolvedPath, *, directory: bool) -> bool:
        """Return whether agents are forbidden to change a path.

        With `directory`, the path is a directory's; then also return True if agents are forbidden
        to change some path that may lie in it.
        """
        rules = self._rules
        for path in (place.path, place.real or place.path):
            inside = WorkspacePath(_below(path, _REST))
            if rules.denied(path) or (directory and rules.denied(inside)):
                return True
            heads = (_GLOB.split(rule.path_glob)[0] for rule in rules.policy.deny_mutations)
            if directory and any(head.startswith(f"{path}/") for head in heads):
                return True
        return False

    def _is_nobodys(self, touched: TouchedPath) -> bool:
        place = resolve_below(self._stores.root, touched.path)
        if place is None or place.real is None:
            return "\0" not in touched.path and is_temporary(self._stores.root, touched.path)
        if touched.effect is Effect.DELETE and touched.path.endswith(LOCAL_ROOM):
            # If `.local/` exists, a deletion that names it would delete it, even though git ignores
            # it.
            return not os.path.lexists(self._stores.root / place.path)
        names = dict.fromkeys((place.path, place.real))
        is_directory = os.path.isdir(self._at(place.path))  # noqa: PTH112 - as above
        if self._is_denied(place, directory=is_directory or touched.directory):
            return False
        return all(self._is_ignored(name, touched, directory=False) for name in names)

    def _is_ignored(self, path: WorkspacePath, touched: TouchedPath, *, directory: bool) -> bool:
        """Return whether git ignores a path. Nothing in a governed root below counts as ignored.

        `directory`: the path is a directory's. It also counts as one if nothing is there and the
        command creates or deletes it (`touched`).
        """
        git = self._stores.git
        if git is None or self._others.hold(path):
            return False
        absent = touched.effect in _DIRECTORIES and not os.path.lexists(self._stores.root / path)
        return is_ignored(git, path, directory=directory or absent)


def _at_home(touched: TouchedPath) -> TouchedPath:
    """Return a path with `~` expanded, as a shell does."""
    path, source = touched.path, touched.source
    if path.startswith("~") and "\0" not in path:
        home, slash, rest = path.partition("/")
        home = os.path.expanduser(home)  # noqa: PTH111 - Path raises for a user whom nobody knows
        path = (escape(home) if touched.pattern else home) + slash + rest
    if source is not None and source.startswith("~") and "\0" not in source:
        source = os.path.expanduser(source)  # noqa: PTH111 - as above
    return replace(touched, path=path, source=source)


def _walked(directory: str) -> Iterator[str]:
    """Yield the paths of the files and links below a directory, relative to it.

    For a subdirectory that cannot be read, yield a placeholder that stands for any file in it.
    """
    closed: list[str] = []
    for place, rooms, names in os.walk(directory, onerror=lambda p: closed.append(p.filename)):
        below = os.path.relpath(place, directory)
        links = [each for each in rooms if os.path.islink(os.path.join(place, each))]  # noqa: PTH114, PTH118 - as above
        for name in (*names, *links):
            yield posixpath.normpath(posixpath.join(below, name))
    for place in closed:
        yield posixpath.normpath(posixpath.join(os.path.relpath(place, directory), _REST))


def _below(directory: str, name: str) -> str:
    return directory if not name else f"{directory.rstrip('/')}/{name}"


def _last_name(path: str) -> str:
    last = path.rstrip("/").rpartition("/")[2]
    return "" if last in {".", ".."} else last
