"""The mark that shows that a record was imported from another tool.

Invariant: every file of an imported record has the mark. A record without files cannot have it.
"""

from dataclasses import replace
from typing import Final

from intent_lsp.core.records import (
    UNKNOWN_CONTRIBUTOR,
    Conversation,
    Event,
    RecordFile,
    RelatedEntry,
)
from intent_lsp.formats.ledger.foreign.files import UNKNOWN
from intent_lsp.formats.ledger.foreign.records import Dialect

IMPORTED: Final = "imported"
"""The `related` type that marks an imported record. Its value is the dialect."""


def marked(event: Event, dialect: Dialect) -> Event:
    """Return an event with the import mark on every file, with the dialect that it came from."""
    mark = RelatedEntry(IMPORTED, dialect.value)
    tool = f"import/{dialect.value}" if event.tool_name == UNKNOWN else event.tool_name
    files = tuple(_marked(file, event, mark) for file in event.files)
    return replace(event, tool_name=tool, files=files)


def is_marked(event: Event) -> bool:
    """Return whether an event has the import mark."""
    talks = (talk for file in event.files for talk in file.conversations)
    return any(each.type == IMPORTED for talk in talks for each in talk.related)


def _marked(file: RecordFile, event: Event, mark: RelatedEntry) -> RecordFile:
    talks = file.conversations or (
        Conversation(url=event.session_id, contributor=UNKNOWN_CONTRIBUTOR),
    )
    first = replace(talks[0], related=(*talks[0].related, mark))
    return replace(file, conversations=(first, *talks[1:]))
