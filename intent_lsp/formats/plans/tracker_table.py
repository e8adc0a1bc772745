"""Tables of trackers: the columns of an export in CSV, and each row as a proposed intent.

Specified in requirements section 3.10. Columns are known by their names in exports of Jira, GitHub,
Linear, Azure DevOps and GitLab.

Invariant: two intents of a table have different specifications.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.markdown_blocks import BlockKind, MarkdownText, markdown_text
from intent_lsp.formats.plans.named_paths import paths_in
from intent_lsp.formats.plans.plan_texts import plain, sentences, slug, small_words
from intent_lsp.formats.plans.proposed_intent import PlanProblem, ProposedIntent, ReadPlan
from intent_lsp.formats.plans.statuses import status_of_word
from intent_lsp.formats.plans.tracker_export import (
    DelimitedRow,
    markdown_of_wiki,
    read_table,
    without_tags,
)

_ISSUE_URL: Final = re.compile(
    r"https?://[^/\s]+/(?P<place>[\w.\-/]+?)/(?:-/)?(?:issues|pull|work_items)/(?P<number>\d+)/?"
)
_CRITERIA: Final = re.compile(
    r"(?:acceptance criteria|definition of done|success criteria)\b", re.IGNORECASE
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?")
_ID_AT_MOST: Final = 100
_NAMES_AT_MOST: Final = 10
_CUSTOM: Final = re.compile(r"custom field \((.*)\)", re.IGNORECASE)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_JIRA: Final = frozenset(("issue key", "work item key"))
_LEVELS: Final = tuple(f"title {level}" for level in range(1, 10))
# What the text of a spreadsheet's cell begins with, so that it is not taken for a formula.
_NO_FORMULA: Final = "'"


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
        """Return the first text that is not blank in a row's cells with this role.

        Return "" if all of them are blank. White space around the text is left out.
        """
        texts = (row.cells[at].strip() for at in self.places[role] if at < len(row.cells))
        return next(filter(None, texts), "")


def read_tracker_table(document: str, text: str) -> ReadPlan:
    """Return the intents that the rows of a tracker's export propose, in the order of the rows.

    An intent's specification is the tracker's id. If the id is missing or only a number, and the
    row has the issue's address, the specification comes from the address, such as `acme/app#7`. If
    the row has neither, or an id of more than 100 characters, the specification is the document's
    name with the words of the title.

    A row without a title, or with the specification of an earlier one, is left out, with a problem.
    An unknown state is a problem, too: the intent is PLANNED. A table that cannot be read or has no
    column of titles has one problem and no intents.
    """
    table = read_table(document, text)
    if isinstance(table, PlanProblem):
        return ReadPlan((), (table,))
    header, *rows = table
    columns = _columns_of(header.cells)
    if not columns.has(ColumnRole.TITLE):
        return ReadPlan((), (_no_title(document, header),))
    proposed: dict[str, ProposedIntent] = {}
    problems = []
    for row in rows:
        status = _status(row, columns)
        found = _proposed(document, row, columns, status or Status.PLANNED)
        if isinstance(found, PlanProblem):
            problems.append(found)
        elif found.specification in proposed:
            problems.append(_twice(found, proposed[found.specification]))
        else:
            proposed[found.specification] = found
            if status is None:
                problems.append(_unknown(document, row, columns.cell(row, ColumnRole.STATE)))
    return ReadPlan(tuple(proposed.values()), tuple(problems))


def _columns_of(header: Sequence[str]) -> TrackerColumns:
    """Return the columns of an export in CSV, by the names in its first row."""
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


def _proposed(
    document: str, row: DelimitedRow, columns: TrackerColumns, status: Status
) -> ProposedIntent | PlanProblem:
    title = plain(columns.cell(row, ColumnRole.TITLE).removeprefix(_NO_FORMULA))
    if not title:
        problem, cure = "the row has no title, so it is left out", "fill in its title"
        return PlanProblem(document=document, line=row.line, problem=problem, cure=cure)
    description = _long_text(row, columns, ColumnRole.DESCRIPTION)
    criteria = _long_text(row, columns, ColumnRole.CRITERIA)
    scope = (f"`{path}`" for path in columns.cell(row, ColumnRole.PATHS).replace(";", " ").split())
    created = _DATE.match(columns.cell(row, ColumnRole.CREATED))
    return ProposedIntent(
        specification=_specification(document, row, columns, title),
        name=title,
        status=status,
        document=document,
        line=row.line,
        acceptance_criteria=sentences((*_all_of(criteria), *_criteria(description))),
        named=paths_in((*scope, title, *_all_of(criteria), *_all_of(description))),
        created_at=None if created is None else created[0],
    )


def _long_text(row: DelimitedRow, columns: TrackerColumns, role: ColumnRole) -> MarkdownText:
    """Return the blocks of a cell's text."""
    bare = without_tags(columns.cell(row, role))
    return markdown_text("", markdown_of_wiki(bare) if columns.wiki else bare)


def _specification(document: str, row: DelimitedRow, columns: TrackerColumns, title: str) -> str:
    """Return what identifies a row's intent, such as `PROJ-12` (see `read_tracker_table`)."""
    own = columns.cell(row, ColumnRole.ID).removeprefix(_NO_FORMULA)
    url = _ISSUE_URL.match(columns.cell(row, ColumnRole.URL))
    if url is not None and (not own or own.lstrip("#").isdecimal()):
        # A number alone says too little, and a table may hold those of several repositories.
        return f"{url['place']}#{url['number']}"
    if own and len(own) <= _ID_AT_MOST:
        return plain(own)
    return f"{document}#{slug(title) or f'row-{row.line}'}"


def _status(row: DelimitedRow, columns: TrackerColumns) -> Status | None:
    """Return the status of a row: by its state or, if that is not known, by its category.

    Return None if neither is known. What is completed for a reason such as "Won't do" is abandoned.
    """
    found = status_of_word(columns.cell(row, ColumnRole.STATE))
    if found is None:
        category = columns.cell(row, ColumnRole.CATEGORY)
        found = status_of_word(category) if category else None
    reason = status_of_word(columns.cell(row, ColumnRole.REASON))
    abandoned = found is Status.COMPLETED and reason is Status.ABANDONED
    return Status.ABANDONED if abandoned else found


def _all_of(text: MarkdownText) -> Iterator[str]:
    """Yield the blocks of a cell's text that are no headings."""
    for block in text.blocks:
        if block.kind is not BlockKind.HEADING:
            yield block.text


def _criteria(description: MarkdownText) -> Iterator[str]:
    """Yield the criteria in a description: its items with a checkbox, and those below a title.

    The title is a heading or a paragraph that begins with "Acceptance criteria" or the like.
    """
    within = False
    for block in description.blocks:
        if block.kind is not BlockKind.ITEM:
            within = _CRITERIA.match(block.text.strip("*_ ")) is not None
        elif within or block.mark is not None:
            yield block.text


def _no_title(document: str, header: DelimitedRow) -> PlanProblem:
    names = ", ".join(plain(name) or "(none)" for name in header.cells[:_NAMES_AT_MOST])
    more = len(header.cells) - _NAMES_AT_MOST
    return PlanProblem(
        document=document,
        line=header.line,
        problem=f"no column has the title; the columns are: {names}"
        + (f" and {more} more" if more > 0 else ""),
        cure="name it Title or Summary; columns named Status or State, and ID or Key, are read too",
    )


def _twice(found: ProposedIntent, first: ProposedIntent) -> PlanProblem:
    return PlanProblem(
        document=found.document,
        line=found.line,
        problem=f"{found.specification} is in line {first.line} already, so this row is left out",
        cure="give each row an id of its own",
    )


def _unknown(document: str, row: DelimitedRow, word: str) -> PlanProblem:
    return PlanProblem(
        document=document,
        line=row.line,
        problem=f"the state {plain(word)!r} is not known, so the intent is PLANNED",
        cure="set its status in the intents file",
    )
