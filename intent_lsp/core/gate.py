"""The gate: may this edit happen, and for which intent (requirements section 6).

Invariant: `judge` is total and pure; the rows run in the table's order and the first that fails
decides.
Invariant: the messages are the specification's, to the letter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.scope.index import Ownership
from intent_lsp.core.scope.scope import Scope

EDITOR_SAVE: Final = "editor/save"

_NAMED_AT_MOST: Final = 10
_LISTED_AT_MOST: Final = 50
_CITE = "You must cite a valid active Intent ID. "
_SELECT = "Select one with intent.select."


Owners = Callable[[WorkspacePath], tuple[Ownership, ...]]
"""Who owns a path, whatever the status, in file order."""


class Unread(Enum):
    """The hash of a file that the asker never read."""

    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFact:
    """What is known of one file that an edit would change.

    `expected` is the hash the asker last read (None: read as absent); `current` the disk's now
    (None: absent).
    """

    path: WorkspacePath
    outside: bool = False
    expected: ContentHash | Unread | None = Unread.NEVER
    current: ContentHash | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One edit that wants to happen, with every fact that its judgement needs."""

    tool_name: str = EDITOR_SAVE
    governed: bool
    mutating: bool = True
    files: tuple[FileFact, ...]
    active_intent: str | None
    intents: Intents
    ignored: Mapping[IntentId, tuple[str, ...]] = field(default_factory=dict)
    scope: Scope
    owners: Owners


@dataclass(frozen=True, slots=True)
class Allowed:
    """The edit may happen."""

    verdict: ScopeValidation
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The edit may not happen; `details` is verbatim what the wire carries (snake_case)."""

    code: GateCode
    message: str
    details: Mapping[str, object]
    paths: tuple[WorkspacePath, ...] = ()

    @property
    def verdict(self) -> ScopeValidation:
        """What a record of it says when it happened all the same."""
        return ScopeValidation.FAIL


Decision = Allowed | Denied


def judge(question: Question) -> Decision:
    """Judge one edit: the first row that fails decides; none: allowed, `PASS`."""
    if not question.governed or not question.mutating:
        return Allowed(ScopeValidation.EXEMPT)
    for row in _ROWS:
        denied = row(question)
        if denied is not None:
            return denied
    return Allowed(ScopeValidation.PASS, warnings_of(_active(question)))


def open_owners(intents: Intents, owners: Owners, path: WorkspacePath) -> tuple[IntentId, ...]:
    """List the open intents that own a path, in file order, each once."""
    closed = {intent.id for intent in intents if intent.status.closed}
    owning = (owner.intent_id for owner in owners(path))
    return tuple(dict.fromkeys(name for name in owning if name not in closed))


def warnings_of(intent: Intent) -> tuple[str, ...]:
    """Warn of an intent that may be worked under all the same."""
    return (f"Intent {intent.id} is BLOCKED.",) if intent.status is Status.BLOCKED else ()


def listed(names: Sequence[str]) -> str:
    """List names for a sentence: ten at most, `(none)` for none."""
    shown = ", ".join(names[:_NAMED_AT_MOST]) or "(none)"
    return shown + (", …" if len(names) > _NAMED_AT_MOST else "")


def open_ids(intents: Intents) -> list[IntentId]:
    """Give the ids of the open intents, in file order."""
    return [intent.id for intent in intents if not intent.status.closed]


def available(intents: Intents) -> list[dict[str, str]]:
    """Spell the open intents for `details`, fifty at most."""
    usable = [intent for intent in intents if not intent.status.closed]
    return [
        {"id": intent.id, "name": intent.name, "status": intent.status.value}
        for intent in usable[:_LISTED_AT_MOST]
    ]


def _outside_workspace(question: Question) -> Denied | None:
    outside = tuple(fact.path for fact in question.files if fact.outside)
    if not outside:
        return None
    return Denied(
        code=GateCode.OUTSIDE_WORKSPACE,
        message=f"PreToolUse denied {question.tool_name}: attempted to mutate paths outside the"
        f" workspace boundary. Paths: {listed(outside)}",
        details={"paths": list(outside)},
        paths=outside,
    )


def _no_active_intent(question: Question) -> Denied | None:
    if question.active_intent is not None:
        return None
    return Denied(
        code=GateCode.NO_ACTIVE_INTENT,
        message=_CITE + _SELECT,
        details={"available_intents": available(question.intents)},
        paths=_paths(question),
    )


def _intent_not_found(question: Question) -> Denied | None:
    wanted = question.active_intent or ""
    if question.intents.get(wanted) is not None:
        return None
    known = listed(open_ids(question.intents))
    return Denied(
        code=GateCode.INTENT_NOT_FOUND,
        message=f"{_CITE}Intent {wanted} is not in {INTENTS_FILE}. Available: {known}. {_SELECT}",
        details={"intent_id": wanted, "available_intents": available(question.intents)},
        paths=_paths(question),
    )


def _intent_closed(question: Question) -> Denied | None:
    intent = _active(question)
    if not intent.status.closed:
        return None
    return Denied(
        code=GateCode.INTENT_CLOSED,
        message=f"{_CITE}Intent {intent.id} is {intent.status}. {_SELECT}",
        details={"intent_id": intent.id, "status": intent.status.value},
        paths=_paths(question),
    )


def _intent_ignored(question: Question) -> Denied | None:
    intent = _active(question)
    patterns = question.ignored.get(intent.id)
    if not patterns:
        return None
    return Denied(
        code=GateCode.INTENT_IGNORED,
        message=f"Intent {intent.id} is excluded by .intentignore and cannot mutate code in this"
        " session.",
        details={"intent_id": intent.id, "matched_patterns": list(patterns)},
        paths=_paths(question),
    )


def _scope_violation(question: Question) -> Denied | None:
    intent = _active(question)
    failing = tuple(p for p in _paths(question) if not question.scope.covers(p))
    if not failing:
        return None
    more = f" (and {len(failing) - 1} more)" if len(failing) > 1 else ""
    owning = {p: list(open_owners(question.intents, question.owners, p)) for p in failing}
    return Denied(
        code=GateCode.SCOPE_VIOLATION,
        message=f"Scope Violation: {intent.specification or intent.id} is not authorized to edit"
        f" {failing[0]}{more}. Request scope expansion.",
        details={
            "intent_id": intent.id,
            "paths": list(failing),
            "owned_scope": list(intent.owned_scope),
            "owning_intents": owning,
        },
        paths=failing,
    )


def _stale_file(question: Question) -> Denied | None:
    stale = [
        fact
        for fact in question.files
        if fact.expected is not Unread.NEVER and fact.expected != fact.current
    ]
    if not stale:
        return None
    more = f" (and {len(stale) - 1} more)" if len(stale) > 1 else ""
    return Denied(
        code=GateCode.STALE_FILE,
        message=f"Stale File: {stale[0].path}{more} changed since it was read."
        " Re-read before writing.",
        details={
            "files": [
                {
                    "path": fact.path,
                    "expected_hash": fact.expected,
                    "current_hash": fact.current or "MISSING",
                }
                for fact in stale
            ]
        },
        paths=tuple(fact.path for fact in stale),
    )


_ROWS: Final[tuple[Callable[[Question], Denied | None], ...]] = (
    _outside_workspace,
    _no_active_intent,
    _intent_not_found,
    _intent_closed,
    _intent_ignored,
    _scope_violation,
    _stale_file,
)


def _active(question: Question) -> Intent:
    # Rows after `_intent_not_found` run only where it passed.
    intent = question.intents.get(question.active_intent or "")
    return intent if intent is not None else Intent(id=IntentId(question.active_intent or ""))


def _paths(question: Question) -> tuple[WorkspacePath, ...]:
    return tuple(fact.path for fact in question.files)
