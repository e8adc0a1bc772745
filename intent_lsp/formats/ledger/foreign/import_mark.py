"""The mark of a record that was taken over from another tool.

Invariant: every file of such a record bears it; where no file is, nothing can.
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
"""The type of what marks a record that was taken over: its value is the dialect."""


def marked(event: Event, dialect: Dialect) -> Event:
    """Give an edit whose files say that it was taken over, and from which dialect."""
    mark = RelatedEntry(IMPORTED, dialect.value)
    tool = f"import/{dialect.value}" if event.tool_name == UNKNOWN else event.tool_name
    files = tuple(_marked(file, event, mark) for file in event.files)
    return replace(event, tool_name=tool, files=files)


def is_marked(event: Event) -> bool:
    """Find out whether an edit says that it was taken over."""
    talks = (talk for file in event.files for talk in file.conversations)
    return any(each.type == IMPORTED for talk in talks for each in talk.related)


def _marked(file: RecordFile, event: Event, mark: RelatedEntry) -> RecordFile:
    talks = file.conversations or (
        Conversation(url=event.session_id, contributor=UNKNOWN_CONTRIBUTOR),
    )
    first = replace(talks[0], related=(*talks[0].related, mark))
    return replace(file, conversations=(first, *talks[1:]))
