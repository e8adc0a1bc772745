"""Specs of Kiro: requirements in EARS notation or the analysis of a bug, a design, and tasks.

Specified in requirements section 3.10; the documents are those that Kiro writes to
`.kiro/specs/<name>/`.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.markdown_blocks import BlockKind, MarkdownBlock, MarkdownText
from intent_lsp.formats.plans.named_paths import paths_in
from intent_lsp.formats.plans.plan_texts import name_of_plan, plan_texts, sentences
from intent_lsp.formats.plans.proposed_intent import ProposedIntent, ReadPlan
from intent_lsp.formats.plans.statuses import status_of_tasks

REQUIREMENTS, BUGFIX, DESIGN, TASKS = "requirements.md", "bugfix.md", "design.md", "tasks.md"
DOCUMENTS: Final = (REQUIREMENTS, BUGFIX, DESIGN, TASKS)

_GENERIC: Final = re.compile(
    r"(?:bugfix |bug ?fix )?(?:requirements?|design)(?: document)?|introduction|implementation plan"
    r"|bugfix(?: spec)?",
    re.IGNORECASE,
)
_PREFIX: Final = re.compile(
    r"(?:requirements?(?: document)?|bugfix|spec)\s*[:\u2013\u2014-]\s+", re.IGNORECASE
)
_REQUIREMENT: Final = re.compile(r"(?:Requirement|Req\.?|R)\s*-?(\d+(?:\.\d+)*)\b", re.IGNORECASE)
_CRITERIA: Final = re.compile(r"acceptance criteria", re.IGNORECASE)
_EARS: Final = re.compile(r"\bSHALL\b")
_NUMBERED: Final = re.compile(r"\*{0,2}(\d+(?:\.\d+)+)\.?\*{0,2}:?\s+(.+)")
_EXPECTED: Final = re.compile(r"expected behaviou?r", re.IGNORECASE)
_UNCHANGED: Final = re.compile(r"unchanged behaviou?r", re.IGNORECASE)


def read_spec(directory: str, documents: Mapping[str, str]) -> ReadPlan:
    """Return a plan with the intent of the spec in `directory`; an empty one without documents.

    `documents` are the texts of DOCUMENTS by name, as far as they are there. `directory` is the
    spec's path, which becomes the intent's specification. In a bug's analysis, the statements about
    unchanged behaviour become the constraints.
    """
    read = plan_texts(directory, documents)
    first = next((name for name in DOCUMENTS if name in read.by_name), None)
    if first is None:
        return ReadPlan()
    required, bug = read.get(REQUIREMENTS), read.get(BUGFIX)
    design, tasks = read.get(DESIGN), read.get(TASKS)
    proposed = ProposedIntent(
        specification=directory,
        name=name_of_plan(read.get(first), directory.rpartition("/")[2], _PREFIX, _GENERIC),
        status=status_of_tasks(tasks.tasks) or Status.PLANNED,
        document=f"{directory}/{first}",
        acceptance_criteria=sentences((*_criteria(required), *_statements(bug, _EXPECTED))),
        constraints=sentences(_statements(bug, _UNCHANGED)),
        named=paths_in((*tasks.task_texts(), *(block.text for block in design.blocks))),
        directory=directory,
        ticked=read.path_of(TASKS),
    )
    return ReadPlan((proposed,), read.problems)


def _criteria(text: MarkdownText) -> Iterator[str]:
    """Yield the acceptance criteria, with a number such as `2.1` if the requirement has one.

    They are the outermost items below a heading "Acceptance Criteria", and below other headings the
    outermost items that say SHALL. Each is given with what is nested below it.
    """
    for headings, items in groupby(text.items, key=lambda item: item.headings):
        below = any(_CRITERIA.match(title) for title in headings[-1:])
        found: list[tuple[MarkdownBlock, list[str]]] = []
        for item in items:
            if found and item.depth > found[0][0].depth:
                found[-1][1].append(item.text)
            else:
                found.append((item, [item.text]))
        for count, (item, texts) in enumerate(found, 1):
            told = " ".join(texts)
            if below or _EARS.search(told):
                yield _with_number(headings, item.ordinal or str(count), told)


def _with_number(headings: tuple[str, ...], ordinal: str, told: str) -> str:
    found = (_REQUIREMENT.match(title) for title in reversed(headings))
    number = next((each[1] for each in found if each is not None), None)
    already = _NUMBERED.match(told)
    if already is not None:
        return f"{already[1]}: {already[2]}"
    return told if number is None else f"{number}.{ordinal}: {told}"


def _statements(text: MarkdownText, section: re.Pattern[str]) -> Iterator[str]:
    """Yield the statements with SHALL of a bug's analysis, below headings that match `section`."""
    for block in text.blocks:
        held = any(section.match(title) for title in block.headings)
        if held and block.kind is not BlockKind.HEADING and _EARS.search(block.text):
            found = _NUMBERED.match(block.text)
            yield block.text if found is None else f"{found[1]}: {found[2]}"
