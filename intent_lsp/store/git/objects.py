"""Opens a repository with libgit2 and queries it: commits, blobs, and their conversion to files.

Conversion is specified in requirements section 8.

Invariant: a path or HEAD that leads to nothing gives None or is left out; an unknown id raises.
Errors of libgit2 pass through, and the caller logs them; only `discover` logs them itself.
Invariant: `blob_lines` streams a large blob, and raises if it cannot read the whole blob.
Invariant: a blob is used unconverted only if `git cat-file --filters` would return the same bytes.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import logging
import os
import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from intent_lsp.core.paths import fold
from intent_lsp.store.git.program import stream_git

_log = logging.getLogger(__name__)

_NO_REPOSITORY: Final = "Repository not found"
_LINK_MODE: Final = 0o120000
_LINKS_AT_MOST: Final = 8
_WALKED_AT_MOST: Final = 5_000
"""The most commits that are searched for merges."""

WHOLE_AT_MOST: Final = 8 * 1024 * 1024
"""The largest blob, in bytes, that is read in one piece through libgit2."""

Attribute = str | bool | None
"""An attribute as libgit2 reports it: a value, True if set, False if unset, None if unspecified."""

NAMES: Final = ("filter", "working-tree-encoding", "ident", "text", "crlf", "eol")
"""Every attribute that `conversion` reads."""
SETTINGS: Final = ("core.autocrlf", "core.eol")
"""Every setting that `conversion` reads."""
TRUE: Final = ("true", "yes", "on", "1")
"""Every spelling of a setting that is on, in lower case."""


class Conversion(Struct, frozen=True, kw_only=True):
    """How git converts the blobs of one path into files.

    `program`: the path has a filter or a `working-tree-encoding`. Then the blob alone does not
    determine the file's bytes, and `said` is empty. Without `program`, `said` are the attributes
    and settings that determine git's built-in conversion; it is empty if the file's bytes are the
    blob's. Equal conversions without `program` turn a blob into equal bytes.
    """

    said: tuple[Attribute, ...] = ()
    program: bool = False


class Version(Struct, frozen=True, kw_only=True):
    """A file of a commit: its blob, and how git converts that blob when it checks out `path`.

    `path` is relative to the git top level. Equal versions have equal bytes, unless a program
    converts them (`how.program`).
    """

    path: str
    blob_id: str
    how: Conversion


def conversion(attribute: Callable[[str], Attribute], setting: Callable[[str], str]) -> Conversion:
    """Return the conversion that a path's attributes and the repository's settings determine.

    `attribute(name)` returns the value of an attribute. `setting(name)` returns a setting in lower
    case, or "" if it is not set.
    """
    if any(isinstance(value := attribute(name), str) and value for name in NAMES[:2]):
        return Conversion(program=True)
    ident, text, _, eol = said = tuple(map(attribute, NAMES[2:]))
    automatic, end = map(setting, SETTINGS)
    crlf = text is not False and ("crlf" in (eol, end) or automatic in TRUE)
    return Conversion(said=(*said, automatic, end)) if ident is True or crlf else Conversion()


def discover(root: Path) -> Any | None:
    """Open the repository around `root` and return it, or None if there is none with a work tree.

    If a repository cannot be opened, log the error and return None.
    """
    import pygit2  # noqa: PLC0415 - slow to import, and not always needed

    try:
        # `pygit2.discover_repository` drops a reference to None whenever it finds no repository.
        repository: Any = pygit2.Repository(os.fspath(root))
    except (pygit2.GitError, KeyError, ValueError, OSError) as problem:
        if not str(problem).startswith(_NO_REPOSITORY):
            _log.warning("%s: the git repository cannot be opened: %s", root, problem)
        return None
    return None if repository.workdir is None else repository


def setting(repository: Any, name: str) -> str:
    """Return the value of a git setting, such as `core.eol`, or "" if it is not set."""
    config = repository.config
    return str(config[name]) if name in config else ""


def head_commit(repository: Any) -> str | None:
    """Return the id of HEAD's commit, or None if there is no commit yet."""
    return None if repository.head_is_unborn else str(repository.head.peel().id)


def author_name(repository: Any, commit: Any) -> str:
    """Return the name of a commit's author, after the mapping by `.mailmap`; "" if it is empty."""
    import pygit2  # noqa: PLC0415 - slow to import, and not always needed

    author = pygit2.Mailmap.from_repository(repository).resolve_signature(commit.author)
    return author.raw_name.decode("utf-8", "replace").strip()


def blob_in_head(repository: Any, path: str) -> str | None:
    """Return the id of a file's blob in HEAD, or None if HEAD does not have the file.

    If the path is a symbolic link, the file is the one that it leads to.
    """
    return None if repository.head_is_unborn else _find(repository.head.peel().tree, path)


def blob_in_index(repository: Any, path: str) -> str | None:
    """Return the id of a file's blob in the index, or None if the index does not have it.

    For a symbolic link, this is the link's own blob.
    """
    entries = index(repository)
    return str(entries[path].id) if path in entries else None


def blobs_in_commit(repository: Any, paths: Iterable[str], *, commit: str) -> Mapping[str, str]:
    """Return the blob ids of `paths` in a commit. Paths that the commit does not have are left out.

    If a path is a symbolic link in the commit, its blob is that of the file that it leads to. Raise
    KeyError if the commit does not exist.
    """
    tree = repository.revparse_single(f"{commit}^{{tree}}")
    found = ((path, _find(tree, path)) for path in paths)
    return {path: blob_id for path, blob_id in found if blob_id is not None}


def merge_parents(repository: Any, path: str) -> Iterator[str]:
    """Yield the ids of the parents of each merge whose file at `path` differs from all parents'.

    Only the newest `_WALKED_AT_MOST` commits in HEAD's history are searched, newest first. Parents
    that the repository lacks are left out.
    """
    if repository.head_is_unborn:
        return
    for commit in islice(repository.walk(repository.head.peel().id), _WALKED_AT_MOST):
        parents = [str(each) for each in commit.parent_ids if each in repository]
        if len(parents) > 1:
            sides = [_find(repository[each].tree, path) for each in parents]
            if _find(commit.tree, path) not in sides:
                yield from parents


def blob_data(repository: Any, blob_id: str) -> bytes:
    """Return a blob's content, unconverted. Raise KeyError if there is no such blob."""
    data: bytes = repository[blob_id].data
    return data


def index(repository: Any) -> Any:
    """Return libgit2's index of the repository, reloaded if the file on disk has changed."""
    found = repository.index
    found.read(force=False)
    return found


def conflicting(found: Any) -> frozenset[bytes]:
    """Return the paths in conflict in an index of libgit2, relative to the git top level."""
    entries = (entry for conflict in found.conflicts or () for entry in conflict)
    return frozenset(os.fsencode(entry.path) for entry in entries if entry is not None)


def outside_ignored(repository: Any, paths: Sequence[str]) -> Sequence[str]:
    """Return those of `paths` that no ignore rule of git matches, or that the index has.

    `paths` are relative to the git top level. A path that ends with `/` is a directory, and the
    index has it if it has a file below it.
    """
    ignored = [path for path in paths if repository.path_is_ignored(path)]
    if not ignored:
        return paths
    entries = index(repository)
    hidden = {path for path in ignored if not _in_index(entries, path)}
    return [path for path in paths if path not in hidden]


def _in_index(entries: Any, path: str) -> bool:
    if not path.endswith("/"):
        return path in entries
    # The entries are in order, so the first one that is not before the directory decides.
    at = bisect_left(range(len(entries)), path, key=lambda place: entries[place].path)
    return at < len(entries) and entries[at].path.startswith(path)


def submodules(repository: Any) -> bool:
    """Return whether the repository has submodules, by its index or `.gitmodules`."""
    # libgit2 caches the index, so it is reloaded first.
    index(repository)
    return bool(repository.listall_submodules())


def conversion_of(repository: Any, path: str) -> Conversion:
    """Return how git converts a path's blobs, from the path's attributes and the settings."""
    attribute: Callable[[str], Attribute] = partial(repository.get_attr, os.fsencode(path))
    return conversion(attribute, lambda key: setting(repository, key).lower())


def _find(tree: Any, path: str) -> str | None:
    """Return the id of a file's blob in a tree, or None if the tree has no such file.

    If the path is a symbolic link, the file is the one that it leads to in the tree. A link among
    the directories of a path is not followed, and after `_LINKS_AT_MOST` links there is no file.
    """
    for _ in range(_LINKS_AT_MOST):
        try:
            found = tree[path]
        except KeyError:
            return None
        if found.type_str != "blob":
            return None
        if found.filemode != _LINK_MODE:
            return str(found.id)
        target = os.fsdecode(found.data)
        folded = fold(posixpath.join(posixpath.dirname(path), target))
        if not folded or folded.startswith("/"):
            return None
        path = folded
    return None


def blob_size(repository: Any, blob_id: str) -> int:
    """Return a blob's size in bytes without reading it. Raise KeyError if there is no such blob."""
    _, size = repository.odb.read_header(blob_id)
    return int(size)


def blob_lines(repository: Any, blob_id: str) -> Iterator[bytes]:
    """Yield the lines of a blob, each with its newline except perhaps the last.

    Raise KeyError if the blob is unknown, OSError if the git program has to read it and fails.
    """
    if blob_size(repository, blob_id) <= WHOLE_AT_MOST:
        return lines_of((blob_data(repository, blob_id),))
    # libgit2 would load the whole blob into memory.
    return lines_of(stream_git(Path(repository.path), "cat-file", "blob", blob_id))


def lines_of(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join chunks of bytes and yield the lines, each with its newline except perhaps the last."""
    rest: list[bytes] = []
    for piece in pieces:
        first, *lines = piece.split(b"\n")
        rest.append(first)
        for line in lines:
            yield b"".join(rest) + b"\n"
            rest = [line]
    torn = b"".join(rest)
    if torn:
        yield torn
