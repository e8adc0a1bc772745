"""Completion of control files: the proposals at a position of the text in an editor.

Specified in protocol section 4.

Invariant: the text need not be saved, and need not parse.
"""

import re
import threading
from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tools import bare_name
from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Position
from intent_lsp.core.intents import Intent, IntentId, Intents, next_id
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.completion.globs import (
    names_proposed,
    segment_at,
    wildcards_proposed,
)
from intent_lsp.formats.intents.completion.place import CompletionPlace, place_at
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.intents.completion.proposals import Offers, proposals
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.formats.yaml.limits import too_large
from intent_lsp.governance.authoring.directory_listing import list_directory
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.packaged_files import tool_lists

_NUMBERED: Final = re.compile(r"\bINT-[0-9]{1,9}\b")


class Completion(Struct, frozen=True, kw_only=True):
    """The proposals at a position: the column `column` of the line `line`, both counted from 0.

    `column` counts code points. `indent` is the white space at the start of that line. `whole` is
    False if there may be others once more is typed, so that they are to be asked for again.
    """

    proposals: tuple[Proposal, ...]
    line: int
    column: int
    indent: str
    whole: bool = True


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
        found += proposals(place, lines, self._offers(place, lines))
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
        """Return the proposals for a segment of a glob or path, and `Completion.whole`."""
        segment = segment_at(place)
        if segment is None:
            return [], True
        typed = segment.segment if segment.directory is not None else ""
        listing = list_directory(self._stores, segment.base, typed)
        named = () if segment.directory is None else names_proposed(place, segment, listing.listed)
        wild = wildcards_proposed(place, segment, listing.sample)
        return [*wild, *named], listing.whole

    def _offers(self, place: CompletionPlace, lines: Sequence[str]) -> Offers:
        return Offers(
            new_id=partial(self._new_id, place, lines),
            now=timestamp(self._stores.clock()),
            tools=_tools(),
        )

    def _new_id(self, place: CompletionPlace, lines: Sequence[str]) -> str:
        """Return the next free id of the text without the word that is being typed."""
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
    """Return intents with the numbered ids in the lines that do not begin with `#`."""
    code = (line for line in lines if not line.lstrip().startswith("#"))
    found = dict.fromkeys(each for line in code for each in _NUMBERED.findall(line))
    return Intents(tuple(Intent(id=IntentId(each)) for each in found))
