"""Changes of OpenSpec: a proposal, a design, tasks and the requirements that a change alters.

Specified in requirements section 3.10; the documents are those of Fission-AI/OpenSpec's schema
`spec-driven`.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.markdown_blocks import BlockKind, MarkdownText
from intent_lsp.formats.plans.named_paths import paths_in
from intent_lsp.formats.plans.plan_texts import name_of_plan, placeholder, plan_texts, sentences
from intent_lsp.formats.plans.proposed_intent import ProposedIntent, ReadPlan
from intent_lsp.formats.plans.statuses import status_of_tasks

PROPOSAL, DESIGN, TASKS, METADATA = "proposal.md", "design.md", "tasks.md", ".openspec.yaml"
DOCUMENTS: Final = (PROPOSAL, DESIGN, TASKS, METADATA)
SPECS: Final = "specs"
"""The directory of a change that holds its requirements, as files `<capability>/spec.md`."""

_CHANGES: Final = "changes/"
_ARCHIVE: Final = "archive/"
_DATE: Final = re.compile(r"\A\d{4}-\d{2}-\d{2}-")
_TITLE: Final = re.compile(r"(?:change(?: proposal)?|proposal)\s*:\s*", re.IGNORECASE)
_GENERIC: Final = re.compile(r"(?:change )?proposal|why", re.IGNORECASE)
_DELTA: Final = re.compile(r"(ADDED|MODIFIED|REMOVED|RENAMED) Requirements", re.IGNORECASE)
_REQUIREMENT: Final = re.compile(r"Requirement:\s*(.+)", re.IGNORECASE)
_METADATA_LINE: Final = re.compile(r"\*\*[^*]+\*\*:")
_RENAMED: Final = re.compile(
    r"(FROM|TO):\s*`?(?:#+\s*)?(?:Requirement:\s*)?([^`]+)`?", re.IGNORECASE
)
_CREATED: Final = re.compile(r"^created:[ \t]*[\"']?(\d{4}-\d{2}-\d{2})", re.MULTILINE)
_NO_GOAL: Final = re.compile(r"(?:non-goals|out of scope)\b", re.IGNORECASE)


def change_of(directory: str) -> str:
    """Return what the change in a directory is known by: its path, as it was before archiving.

    For `openspec/changes/archive/2026-01-31-add-login` this is `openspec/changes/add-login`.
    """
    head, archived, name = directory.rpartition(_CHANGES + _ARCHIVE)
    return f"{head}{_CHANGES}{_DATE.sub('', name)}" if archived else directory


def read_change(directory: str, documents: Mapping[str, str]) -> ReadPlan:
    """Return a plan with the intent of the change in `directory`.

    `documents` are the texts of DOCUMENTS and of the files below SPECS, by their paths below
    `directory`. The plan is empty if there is nothing but METADATA. An archived change is
    COMPLETED.
    """
    texts = {name: text for name, text in documents.items() if name != METADATA}
    read = plan_texts(directory, texts)
    first = next((name for name in (*DOCUMENTS, *texts) if name in texts), None)
    if first is None:
        return ReadPlan()
    proposal, design, tasks = read.get(PROPOSAL), read.get(DESIGN), read.get(TASKS)
    specs = [text for name, text in read.by_name.items() if name.startswith(f"{SPECS}/")]
    change, created = change_of(directory), _CREATED.search(documents.get(METADATA, ""))
    prose = (block.text for text in (proposal, design) for block in text.blocks)
    proposed = ProposedIntent(
        specification=change,
        name=name_of_plan(proposal, change.rpartition("/")[2], _TITLE, _GENERIC),
        status=_status(tasks, archived=change != directory),
        document=f"{directory}/{first}",
        acceptance_criteria=sentences(each for spec in specs for each in _requirements(spec)),
        constraints=sentences(each for text in (proposal, design) for each in _no_goals(text)),
        named=paths_in((*tasks.task_texts(), *prose)),
        directory=directory,
        ticked=read.path_of(TASKS),
        created_at=None if created is None else created[1],
    )
    return ReadPlan((proposed,), read.problems)


def _status(tasks: MarkdownText, *, archived: bool) -> Status:
    return Status.COMPLETED if archived else status_of_tasks(tasks.tasks) or Status.PLANNED


def _requirements(spec: MarkdownText) -> Iterator[str]:
    """Yield each requirement of a file as `NAME: TEXT`, or as NAME if it has no text.

    TEXT is what stands before the next heading, without lines such as `**Key**: …`. A requirement
    that is removed is `Removed: NAME`, and one that is renamed `Renamed: OLD is now NEW`.
    """
    for headings, group in groupby(spec.blocks, key=lambda block: block.headings):
        delta = _delta(headings)
        found = _REQUIREMENT.fullmatch(headings[-1]) if headings else None
        texts = [block.text for block in group if block.kind is not BlockKind.HEADING]
        if found is None:
            yield from _renamed(texts) if delta == "RENAMED" else ()
        elif delta == "REMOVED":
            yield f"Removed: {found[1]}"
        else:
            told = " ".join(text for text in texts if not _METADATA_LINE.match(text))
            yield f"{found[1]}: {told}" if told else found[1]


def _delta(headings: tuple[str, ...]) -> str:
    """Return the kind of section that headings name, such as REMOVED, or "" if they name none."""
    found = (_DELTA.fullmatch(title) for title in headings)
    return next((each[1].upper() for each in found if each is not None), "")


def _renamed(texts: list[str]) -> Iterator[str]:
    """Yield `Renamed: OLD is now NEW` for each line TO, with OLD from the line FROM above it."""
    old = ""
    for text in texts:
        pair = _RENAMED.match(text)
        if pair is None:
            continue
        if pair[1].upper() == "FROM":
            old = pair[2].strip()
        elif old:
            yield f"Renamed: {old} is now {pair[2].strip()}"


def _no_goals(text: MarkdownText) -> Iterator[str]:
    """Yield `Not a goal: ITEM` for each item below "Non-Goals" or "Out of scope"."""
    within = False
    for block in text.blocks:
        bare = block.text.strip("*_ ")
        if block.kind is BlockKind.ITEM:
            if within and not placeholder(block.text):
                yield f"Not a goal: {block.text}"
            continue
        within = _NO_GOAL.match(bare) is not None
