"""Task lists in Markdown: each outermost item with a checkbox is a proposed intent.

Specified in requirements section 3.10.

Invariant: two tasks of a list have different specifications.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.markdown_blocks import MarkdownBlock, MarkdownText, markdown_text
from intent_lsp.formats.plans.named_paths import paths_in
from intent_lsp.formats.plans.plan_texts import plain, sentences, slug
from intent_lsp.formats.plans.proposed_intent import PlanProblem, ProposedIntent, ReadPlan
from intent_lsp.formats.plans.statuses import status_of_mark

_OWN_ID: Final = re.compile(
    r"(?:\*\*|\[|\()?(?P<id>[A-Z][A-Z0-9]{0,9}-\d{1,9}|T\d{2,6}|#\d{1,9}|\d{1,4}(?:\.\d{1,4})+)"
    r"(?:\*\*|\]|\))?(?:\s*[.:)\u2013\u2014-]+|\s|$)\s*"
)


MAX_TASKS: Final = 10_000
"""The most outermost tasks of one document."""


class _Task(Struct):
    """A task with the blocks that are nested below it."""

    item: MarkdownBlock
    below: list[MarkdownBlock] = field(default_factory=list)


def read_task_list(document: str, text: str) -> ReadPlan:
    """Return the intents that the outermost tasks of a Markdown document propose, in text order.

    The texts nested below a task are its criteria. A task's `specification` is the document's path
    with `#` and the task's own id (`PROJ-12`, `T001`, `#7`, `1.2`); a task without an id has its
    headings and words there. If the document has no task or more than MAX_TASKS, the plan has a
    problem and no intents.
    """
    read = markdown_text(document, text)
    tasks = _tasks(read)
    problem = _problem(document, tasks)
    if problem is not None:
        return ReadPlan((), (*read.problems, problem))
    title = _title(read)
    keys = _unique([_key(title, task.item) for task in tasks])
    proposed = tuple(
        _proposed(f"{document}#{key}", document, title, task)
        for key, task in zip(keys, tasks, strict=True)
    )
    return ReadPlan(proposed, (*read.problems, *_unknown_marks(document, read)))


def _problem(document: str, tasks: list[_Task]) -> PlanProblem | None:
    """Return the problem of a document without tasks or with more than MAX_TASKS, or None."""
    if not tasks:
        return PlanProblem(
            document=document,
            line=0,
            problem="no task is in it",
            cure="write each task as an item `- [ ] what to do`",
        )
    if len(tasks) <= MAX_TASKS:
        return None
    return PlanProblem(
        document=document,
        line=tasks[MAX_TASKS].item.line,
        problem=f"it has more than {MAX_TASKS:,} tasks",
        cure="split it, or nest tasks below others",
    )


def _tasks(read: MarkdownText) -> list[_Task]:
    tasks: list[_Task] = []
    for block, outermost in read.nested_below_tasks():
        if block is outermost:
            tasks.append(_Task(block))
        else:
            tasks[-1].below.append(block)
    # An empty checkbox is the place for a task that nobody has written yet.
    return [task for task in tasks if task.item.text or task.below]


def _proposed(specification: str, document: str, title: str | None, task: _Task) -> ProposedIntent:
    item, group = task.item, _group(title, task.item)
    told = _told(item)
    return ProposedIntent(
        specification=specification,
        name=plain(f"{group[-1]}: {told}" if group and told else told)
        or f"Task in line {item.line}",
        status=_status(task),
        document=document,
        line=item.line,
        acceptance_criteria=sentences(block.text for block in task.below),
        named=paths_in((item.text, *(block.text for block in task.below))),
    )


def _title(read: MarkdownText) -> str | None:
    """Return the only outermost heading of a document, or None if it has several or none.

    Of the headings `# A`, `## B` and `# C`, A and C are outermost.
    """
    found = read.title()
    highest = {block.headings[0] for block in read.blocks if len(block.headings) == 1}
    return found.text if found is not None and highest == {found.text} else None


def _group(title: str | None, item: MarkdownBlock) -> tuple[str, ...]:
    """Return the headings above a task, without `title`, which is the document's title."""
    headings = item.headings[1:] if item.headings[:1] == (title,) else item.headings
    return tuple(filter(None, map(plain, headings)))


def _told(item: MarkdownBlock) -> str:
    """Return the words of a task, without its own id."""
    own = _OWN_ID.match(item.text)
    return plain(item.text[own.end() :] if own else item.text) or plain(item.text)


def _key(title: str | None, item: MarkdownBlock) -> str:
    """Return what identifies a task in its document: its own id, else its headings and words."""
    own = _OWN_ID.match(item.text)
    words = (*_group(title, item), _told(item))
    return own["id"].lstrip("#") if own else "/".join(filter(None, map(slug, words))) or "task"


def _unique(keys: list[str]) -> list[str]:
    """Return the keys with a number added to each that has come before: `a`, `a-2`, `a-3`."""
    counts: dict[str, int] = {}
    taken = set(keys)
    found = []
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
        unique = key
        while counts[key] > 1 and (unique := f"{key}-{counts[key]}") in taken:
            counts[key] += 1
        taken.add(unique)
        found.append(unique)
    return found


def _status(task: _Task) -> Status:
    """Return the status of a task. A planned task is begun if a task below it is begun or done."""
    own = status_of_mark(task.item.mark or "") or Status.PLANNED
    below = {status_of_mark(block.mark) for block in task.below if block.mark is not None}
    begun = bool(below & {Status.COMPLETED, Status.IN_PROGRESS})
    return Status.IN_PROGRESS if own is Status.PLANNED and begun else own


def _unknown_marks(document: str, read: MarkdownText) -> Iterator[PlanProblem]:
    for task in read.tasks:
        if status_of_mark(task.mark or "") is None:
            yield PlanProblem(
                document=document,
                line=task.line,
                problem=f"the checkbox [{task.mark}] is not known, so it counts as empty",
                cure="use [ ], [-] or [x]",
            )
