"""The columns of trackers' exports: which column of a table holds the id, the title, the state.

Known are the names that exports of Jira, GitHub, Linear, Azure DevOps and GitLab have; others count
if they are named alike.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from intent_lsp.formats.plans.delimited_text import DelimitedRow
from intent_lsp.formats.plans.plain_text import small_words

_CUSTOM: Final = re.compile(r"custom field \((.*)\)", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_JIRA: Final = frozenset(("issue key", "work item key"))
_LEVELS: Final = tuple(f"title {level}" for level in range(1, 10))


class ColumnRole(Enum):
    """What a column is for. The value is the names of such columns, the best one first."""

    # Jira's "Issue id" and Linear's "UUID" are known to nobody who works on the issue.
    ID = (
        *("issue key", "work item key", "key", "id", "number", "issue number", "issue", "iid"),
        *("ticket", "ticket id", "task id", "work item id", "item id", "issue id"),
    )
    URL = ("url", "html url", "link", "issue url")
    TITLE = ("summary", "title", "name", "issue name", "task", "task name", "subject", *_LEVELS)
    STATE = ("status", "state", "issue status", "board column", "column", "list")
    CATEGORY = ("status category", "state category", "state type")
    REASON = ("resolution", "state reason", "reason")
    DESCRIPTION = ("description", "body", "notes", "details")
    CRITERIA = ("acceptance criteria", "definition of done")
    CREATED = ("created", "created at", "created date", "created at utc", "date created")
    PATHS = ("paths", "files", "scope", "owned scope")


class TrackerColumns(Struct, frozen=True):
    """The columns of a table, from 0, by their role, each in the order of the role's names.

    A role without a column has an empty tuple. `wiki`: the table is an export of Jira, whose long
    texts are in wiki markup.
    """

    places: dict[ColumnRole, tuple[int, ...]]
    wiki: bool = False

    def has(self, role: ColumnRole) -> bool:
        """Return whether a column has this role."""
        return bool(self.places[role])

    def cell(self, row: DelimitedRow, role: ColumnRole) -> str:
        """Return the first of `cells`, or "" if the row has none with this role."""
        return next(iter(self.cells(row, role)), "")

    def cells(self, row: DelimitedRow, role: ColumnRole) -> tuple[str, ...]:
        """Return the cells of a row that have this role and a text, without white space around."""
        texts = (row.cells[at].strip() for at in self.places[role] if at < len(row.cells))
        return tuple(text for text in texts if text)


def columns_of(header: Sequence[str]) -> TrackerColumns:
    """Return the columns of a table with the given header."""
    names = [_normal(name) for name in header]
    return TrackerColumns(
        {
            role: tuple(at for name in role.value for at, each in enumerate(names) if each == name)
            for role in ColumnRole
        },
        wiki=not _OF_JIRA.isdisjoint(names),
    )


def _normal(name: str) -> str:
    """Return a column's name in small words, such as `state reason` for `stateReason`."""
    custom = _CUSTOM.fullmatch(name.strip())
    return small_words(_CAMEL.sub(" ", custom[1] if custom else name))
