"""Completion of control files: the proposals at a position of the text in an editor.

Specified in protocol section 4.

Invariant: the text need not be saved, and need not parse.
Invariant: the only directory that is read is the one whose names are proposed. What git says it
ignores, the control plane, links, nested repositories and roots, and names that cannot be printed
are left out.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tools import bare_name
from intent_lsp.core.content import line_body
from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.findings import Position
from intent_lsp.core.intents import Intent, IntentId, Intents, next_id
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import has_in_order
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.completion.globs import (
    Listed,
    names_proposed,
    segment_at,
    wildcards_proposed,
)
from intent_lsp.formats.intents.completion.place import CompletionPlace, place_at
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.intents.completion.proposals import Offers, proposals
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.formats.yaml.limits import too_large
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.tree_walk import DirectoryNames, is_foreign, names_in
from intent_lsp.store.git.ignored import not_ignored
from intent_lsp.store.packaged_files import tool_lists

NAMES_AT_MOST: Final = 200
"""The most names of a directory that are proposed at once."""

_SAMPLED: Final = 200
"""The most files that are looked at for frequent extensions."""

_ASKED_AT_ONCE: Final = 256
_NUMBERED: Final = re.compile(r"\bINT-[0-9]{1,9}\b")


class Completion(Struct, frozen=True, kw_only=True):
    """The proposals at a position: the column `column` of the line `line`, both counted from 0.

    `column` counts code points. `indent` is the white space at the start of that line. `whole` is
    False if typing more may bring other proposals, so that the editor has to ask again.
    """

    proposals: tuple[Proposal, ...]
    line: int
    column: int
    indent: str
    whole: bool = True


class DirectoryListing(Struct, frozen=True, kw_only=True):
    """The names to propose (`listed`), and some file names that show the common extensions.

    `whole` is False if the directory has more than NAMES_AT_MOST names, so that another listing is
    due when more is typed.
    """

    listed: Listed
    sample: Sequence[str]
    whole: bool


class ControlFileCompletion:
    """Completes the intents file and the policy of one root."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._lock = threading.Lock()
        self._reader = IntentsReader()

    def at(
        self, file: WorkspacePath, lines: Sequence[str], position: Position
    ) -> Completion | None:
        """Return the proposals at a position of a control file, or None if there are none.

        `lines` is the text, with line ends and perhaps a byte order mark. Proposals are in the
        order in which they are to be shown. A text that is too large to be read has none.
        """
        place = None if too_large(lines) else place_at(file, lines, position)
        if place is None:
            return None
        found, whole = self._names(place)
        now, new_id = timestamp(self._stores.clock()), partial(self._new_id, place, lines)
        found += proposals(place, lines, Offers(new_id=new_id, now=now, tools=_tools()))
        if not found:
            return None
        return Completion(
            proposals=tuple(sorted(found, key=lambda each: each.rank)),
            line=place.cursor.line,
            column=place.cursor.word.cursor,
            indent=place.cursor.indent,
            whole=whole,
        )

    def _names(self, place: CompletionPlace) -> tuple[list[Proposal], bool]:
        """Return the proposals for a segment of a glob or path, and the value of `whole`.

        `whole` is False if typing more may bring other proposals.
        """
        segment = segment_at(place)
        if segment is None:
            return [], True
        typed = segment.segment if segment.directory is not None else ""
        listing = list_directory(self._stores, segment.base, typed)
        named = () if segment.directory is None else names_proposed(place, segment, listing.listed)
        wild = wildcards_proposed(place, segment, listing.sample)
        return [*wild, *named], listing.whole

    def _new_id(self, place: CompletionPlace, lines: Sequence[str]) -> str:
        """Return the next free id, as if the word that is being typed were not in the text."""
        rest = [line_body(line) for line in lines]
        cursor = place.cursor
        if cursor.line < len(rest):
            word, typed = cursor.word, rest[cursor.line]
            rest[cursor.line] = typed[: word.start] + typed[word.end :]
        with self._lock:
            # The text stays the same while the word is typed, so it is only parsed once.
            read = self._reader.read("\n".join(rest).removeprefix("\ufeff"))
        # Where the text does not parse, count more ids rather than fewer.
        return next_id(read.intents if read.parsed else _named(rest))


def _tools() -> tuple[str, ...]:
    """Return the names of agents' tools that are known, sorted, each once."""
    lists = tool_lists()
    names = lists.edit_tools | lists.command_tools | lists.read_only_tools
    return tuple(sorted({bare_name(name) for name in names}, key=str.casefold))


def _named(lines: Sequence[str]) -> Intents:
    """Return an intent for each id such as `INT-001` in the lines that do not begin with `#`."""
    code = (line for line in lines if not line.lstrip().startswith("#"))
    found = dict.fromkeys(each for line in code for each in _NUMBERED.findall(line))
    return Intents(tuple(Intent(id=IntentId(each)) for each in found))


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
        piece = [each for each in some if not control_plane(WorkspacePath(each.rstrip("/")))]
        for path in piece if stores.git is None else not_ignored(stores.git, piece):
            if not (path.endswith("/") and is_foreign(stores.root, path[:-1])):
                yield path
