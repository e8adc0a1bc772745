"""The names of one directory that a glob may be completed with, as many as are worth showing.

Invariant: only the one directory is listed, so that the size of the tree does not matter.
Invariant: what git says it ignores, the control plane, links, nested repositories and roots, and
names that cannot be printed are left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import has_in_order
from intent_lsp.formats.intents.completion.globs import Listed
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.tree_walk import DirectoryNames, is_foreign, names_in
from intent_lsp.store.git.ignored import not_ignored

NAMES_AT_MOST: Final = 200
"""The most names of a directory that are proposed at once."""

_SAMPLED: Final = 200
"""The most files that are looked at for frequent extensions."""

_ASKED_AT_ONCE: Final = 256


class DirectoryListing(Struct, frozen=True, kw_only=True):
    """The names to propose (`listed`), and a sample of the names of the directory's files.

    `whole` is False if the directory has more than NAMES_AT_MOST names, so that another listing is
    due when more is typed.
    """

    listed: Listed
    sample: Sequence[str]
    whole: bool


def list_directory(stores: Stores, directory: str, typed: str) -> DirectoryListing:
    """Return the names in a directory with which a glob may be completed.

    `directory` is relative to the root, "" for the root itself. At most NAMES_AT_MOST names are
    listed, sorted. If the directory has more, first come those that begin with `typed`, then those
    that have its characters in that order, each sorted; letter case of `typed` does not matter. A
    directory that is in a nested repository or root, or is one, has no names, and neither has one
    that is missing or behind a link.
    """
    names = names_in(stores.root, directory)
    if (names.directories or names.files) and _is_nested(stores, directory):
        names = DirectoryNames([], [])
    head = f"{directory}/" if directory else ""
    rooms = [f"{head}{name}/" for name in sorted(filter(str.isprintable, names.directories))]
    files = [head + name for name in sorted(filter(str.isprintable, names.files))]
    everything = [*rooms, *files]
    few = len(everything) <= NAMES_AT_MOST
    wanted = everything if few else _matching(everything, len(head), typed)
    found = tuple(islice(_shown(stores, wanted), NAMES_AT_MOST))
    listed = Listed(
        directories=[path[len(head) : -1] for path in found if path.endswith("/")],
        files=[path[len(head) :] for path in found if not path.endswith("/")],
    )
    sampled = _shown(stores, files[:_SAMPLED])
    sample = listed.files if few else [path[len(head) :] for path in sampled]
    return DirectoryListing(listed=listed, sample=sample, whole=few)


def _is_nested(stores: Stores, directory: str) -> bool:
    """Return whether a directory is in a nested repository or root, or is one."""
    parts = directory.split("/") if directory else []
    heads = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return any(is_foreign(stores.root, head) for head in heads)


def _matching(paths: Sequence[str], start: int, typed: str) -> Iterator[str]:
    """Yield the paths whose names have the characters of `typed` in that order.

    A name begins at the offset `start` of its path. Names that begin with `typed` come first.
    """
    folded = typed.casefold()
    yield from (path for path in paths if path[start:].casefold().startswith(folded))
    for path in paths:
        name = path[start:].casefold()
        if not name.startswith(folded) and has_in_order(name, folded):
            yield path


def _shown(stores: Stores, paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths that are not ignored, control plane, or a nested repository or root."""
    # Ask in pieces, so that of a huge directory only what is shown is looked up.
    left = iter(paths)
    while some := list(islice(left, _ASKED_AT_ONCE)):
        piece = [each for each in some if not _closed(each)]
        for path in piece if stores.git is None else not_ignored(stores.git, piece):
            if not (path.endswith("/") and is_foreign(stores.root, path[:-1])):
                yield path


def _closed(path: str) -> bool:
    return control_plane(WorkspacePath(path.rstrip("/")))
