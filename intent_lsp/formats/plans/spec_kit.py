"""Features of spec-kit: the documents `spec.md`, `plan.md` and `tasks.md` of one directory.

Specified in requirements section 3.10; the documents are those of github/spec-kit's templates.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.markdown_blocks import BlockKind, MarkdownText
from intent_lsp.formats.plans.named_paths import paths_in
from intent_lsp.formats.plans.plan_texts import (
    name_of_plan,
    placeholder,
    plain,
    plan_texts,
    sentences,
)
from intent_lsp.formats.plans.proposed_intent import ProposedIntent, ReadPlan
from intent_lsp.formats.plans.statuses import status_of_tasks, status_of_word

SPEC, PLAN, TASKS = "spec.md", "plan.md", "tasks.md"
DOCUMENTS: Final = (SPEC, PLAN, TASKS)

_NUMBER: Final = re.compile(r"\A(?:\d{8}-\d{6}|\d+)-")
_TITLE: Final = re.compile(r"(?:feature )?specification\s*:\s*", re.IGNORECASE)
_REQUIREMENT: Final = re.compile(
    r"(?:\*\*)?((?:FR|NFR|SC)-?\d+[A-Za-z]?)\s*(?::\s*\*\*|\*\*\s*:?|:)\s*(.+)"
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIELD: Final = r"\*\*{name}\*\*\s*:\s*(.+?)(?=\s*\*\*[A-Z][\w /]*\*\*\s*:|$)"


def read_feature(directory: str, documents: Mapping[str, str]) -> ReadPlan:
    """Return a plan with the intent of the feature in `directory`; an empty one without documents.

    `documents` are the texts of DOCUMENTS by name, as far as they are there. `directory` is the
    feature's path, and the intent's `specification`.
    """
    read = plan_texts(directory, documents)
    first = next((name for name in DOCUMENTS if name in read.by_name), None)
    if first is None:
        return ReadPlan()
    spec, plan, tasks = read.get(SPEC), read.get(PLAN), read.get(TASKS)
    title = spec.title()
    directory_name = _NUMBER.sub("", directory.rpartition("/")[2])
    proposed = ProposedIntent(
        specification=directory,
        name=name_of_plan(spec, directory_name, _TITLE),
        status=status_of_tasks(tasks.tasks) or _stated_status(spec),
        document=f"{directory}/{first}",
        line=title.line if title is not None else 1,
        acceptance_criteria=sentences(_requirements(spec)),
        constraints=sentences(_field(plan, "Constraints")),
        # The boilerplate of `tasks.md` names directories such as `src/` in any feature.
        named=paths_in(tasks.task_texts()) or paths_in(block.text for block in plan.blocks),
        directory=directory,
        ticked=read.path_of(TASKS),
        created_at=next(filter(_DATE.fullmatch, _field(spec, "Created")), None),
    )
    return ReadPlan((proposed,), read.problems)


def _requirements(spec: MarkdownText) -> Iterator[str]:
    """Yield the functional requirements and the success criteria, with their numbers."""
    for item in spec.items:
        found = _REQUIREMENT.match(item.text)
        if found is not None and not placeholder(found[2]):
            yield f"{found[1]}: {found[2]}"


def _field(text: MarkdownText, name: str) -> Iterator[str]:
    """Yield the values of a field that stands as `**name**: value`, without placeholders."""
    pattern = re.compile(_FIELD.format(name=name))
    for block in text.blocks:
        found = pattern.search(block.text) if block.kind is BlockKind.PARAGRAPH else None
        if found is not None and not placeholder(found[1]) and "NEEDS CLARIF" not in found[1]:
            yield plain(found[1])


def _stated_status(spec: MarkdownText) -> Status:
    word = next(iter(_field(spec, "Status")), "")
    return status_of_word(word) or Status.PLANNED
