"""Statuses of proposed intents: from the checkboxes of tasks, and from the states of a tracker.

Specified in requirements section 3.10.
"""

import re
from collections.abc import Sequence
from typing import Final

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.markdown_blocks import MarkdownBlock
from intent_lsp.formats.plans.plan_texts import small_words

_DONE: Final = frozenset("xX\u2713\u2714\u2705")
_BEGUN: Final = frozenset("-~/>")
_APOSTROPHE: Final = re.compile("['\u2019]")

_WORDS: Final = {
    Status.PLANNED: (
        *("to do", "todo", "open", "opened", "new", "backlog", "triage", "proposed", "planned"),
        *("unstarted", "not started", "ready", "ready for development", "ready for dev"),
        *("selected for development", "reopened", "approved", "pending", "draft", "design", "next"),
    ),
    Status.IN_PROGRESS: (
        *("in progress", "doing", "active", "started", "committed", "in development", "in dev"),
        *("in review", "review", "code review", "under review", "ready for review"),
        *("in test", "in testing", "testing", "qa", "in qa", "ready for qa", "ready for testing"),
        *("in implementation", "implementing", "wip", "current", "indeterminate"),
    ),
    Status.BLOCKED: (
        *("blocked", "on hold", "hold", "waiting", "waiting for customer", "paused", "stalled"),
        *("impediment", "suspended", "postponed", "deferred"),
    ),
    Status.COMPLETED: (
        *("done", "closed", "complete", "completed", "merged", "resolved", "fixed", "verified"),
        *("released", "shipped", "deployed", "delivered", "accepted", "finished", "implemented"),
    ),
    Status.ABANDONED: (
        *("canceled", "cancelled", "duplicate", "wont do", "wont fix", "wontfix", "removed"),
        *("rejected", "declined", "not planned", "abandoned", "obsolete", "invalid"),
        *("cannot reproduce", "not a bug", "superseded"),
    ),
    Status.ARCHIVED: ("archived",),
}
_STATUSES: Final = {word: status for status, words in _WORDS.items() for word in words}


def status_of_word(word: str) -> Status | None:
    """Return the status that a state of a tracker means, or None if the word is not known.

    Letter case, signs and emoji around the words do not matter. A state without letters and digits,
    such as "", means PLANNED.
    """
    bare = small_words(_APOSTROPHE.sub("", word))
    return Status.PLANNED if not bare else _STATUSES.get(bare)


def status_of_mark(mark: str) -> Status | None:
    """Return the status that the character in a checkbox means, or None if it is not known.

    A blank or "" means PLANNED.
    """
    if mark in _DONE:
        return Status.COMPLETED
    if mark in _BEGUN:
        return Status.IN_PROGRESS
    return Status.PLANNED if not mark.strip() else None


def status_of_tasks(tasks: Sequence[MarkdownBlock]) -> Status | None:
    """Return the status that all tasks have, or None without tasks.

    Tasks of different statuses are IN_PROGRESS. Optional tasks count only if all tasks are
    optional. A character that is not known counts as an empty checkbox.
    """
    required = [task for task in tasks if not task.optional] or tasks
    found = {status_of_mark(task.mark or "") or Status.PLANNED for task in required}
    if not found:
        return None
    return found.pop() if len(found) == 1 else Status.IN_PROGRESS
