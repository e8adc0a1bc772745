"""The context returned at checkout: one intent, its files and its history, within a size budget.

Specified in requirements section 11.

Invariant: the context holds nothing of any other intent. Its own scope is dropped last but for its
name, and the name is cut only if it alone exceeds the budget.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record

BUDGET: Final = 16_384
"""The maximum size of the text form, in UTF-8 bytes."""

RECENT_RECORDS: Final = 20


@dataclass(frozen=True, slots=True)
class RelatedFile:
    """An existing file from the intent's `related_files` that the intent's scope covers."""

    path: WorkspacePath
    last_hash: ContentHash | None
    last_modified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentContext:
    """The context of one intent. `truncated` lists what was dropped, and how many items of it."""

    intent: Intent
    architectural_constraints: tuple[str, ...] = ()
    related_files: tuple[RelatedFile, ...] = ()
    recent_history: tuple[str, ...] = ()
    recent_records: tuple[Record, ...] = ()
    truncated: tuple[str, ...] = ()


def within_budget(
    whole: IntentContext, spell: Callable[[IntentContext], str]
) -> tuple[IntentContext, str]:
    """Drop what exceeds the budget. Return the remaining context and its text.

    `spell` formats a context as text. Items are dropped in this order, each kind from its end:
    records (they are sorted newest first), related files, history, acceptance criteria, the
    intent's constraints, the team's constraints, the scope and the intent's name.
    """
    for drop in _DROPS:
        text = spell(whole)
        if _fits(text):
            return whole, text
        whole = _most_that_fits(whole, drop, spell)
    return whole, spell(whole)


Trim = Callable[[IntentContext, int], IntentContext]
"""Return the context with only the first so many items of one kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drop:
    """One kind of item that can be dropped: how to count the items, and how to cut them."""

    name: str
    count: Callable[[IntentContext], int]
    cut: Trim


def _most_that_fits(
    whole: IntentContext, drop: _Drop, spell: Callable[[IntentContext], str]
) -> IntentContext:
    """Drop items of one kind until the context fits. Drop all of them if it never fits."""
    total = drop.count(whole)
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(spell(_kept(whole, drop, middle, total))):
            low = middle
        else:
            high = middle - 1
    return _kept(whole, drop, low, total)


def _kept(whole: IntentContext, drop: _Drop, keep: int, total: int) -> IntentContext:
    if keep == total:
        return whole
    said = f"{drop.name}: {total - keep} of {total} left out to save space"
    return replace(drop.cut(whole, keep), truncated=(*whole.truncated, said))


def _fits(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) <= BUDGET


def _cut_criteria(context: IntentContext, keep: int) -> IntentContext:
    kept = context.intent.acceptance_criteria[:keep]
    return replace(context, intent=replace(context.intent, acceptance_criteria=kept))


def _cut_constraints(context: IntentContext, keep: int) -> IntentContext:
    kept = context.intent.constraints[:keep]
    return replace(context, intent=replace(context.intent, constraints=kept))


def _cut_scope(context: IntentContext, keep: int) -> IntentContext:
    kept = context.intent.owned_scope[:keep]
    return replace(context, intent=replace(context.intent, owned_scope=kept))


def _cut_name(context: IntentContext, keep: int) -> IntentContext:
    return replace(context, intent=replace(context.intent, name=context.intent.name[:keep]))


def _cut_history(context: IntentContext, keep: int) -> IntentContext:
    kept = context.recent_history[:keep]
    intent = replace(context.intent, recent_history=context.intent.recent_history[:keep])
    return replace(context, recent_history=kept, intent=intent)


_DROPS: Final = (
    _Drop(
        name="recent_records",
        count=lambda context: len(context.recent_records),
        cut=lambda context, keep: replace(context, recent_records=context.recent_records[:keep]),
    ),
    _Drop(
        name="related_files",
        count=lambda context: len(context.related_files),
        cut=lambda context, keep: replace(context, related_files=context.related_files[:keep]),
    ),
    _Drop(
        name="recent_history",
        count=lambda context: len(context.recent_history),
        cut=_cut_history,
    ),
    _Drop(
        name="acceptance_criteria",
        count=lambda context: len(context.intent.acceptance_criteria),
        cut=_cut_criteria,
    ),
    _Drop(
        name="constraints",
        count=lambda context: len(context.intent.constraints),
        cut=_cut_constraints,
    ),
    _Drop(
        name="architectural_constraints",
        count=lambda context: len(context.architectural_constraints),
        cut=lambda context, keep: replace(
            context, architectural_constraints=context.architectural_constraints[:keep]
        ),
    ),
    _Drop(
        name="owned_scope",
        count=lambda context: len(context.intent.owned_scope),
        cut=_cut_scope,
    ),
    _Drop(name="name", count=lambda context: len(context.intent.name), cut=_cut_name),
)
