"""Intents: the formal pieces of work that a team has written down (requirements section 3).

Invariant: an intent with an empty owned scope owns nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

IntentId = NewType("IntentId", str)


class Status(StrEnum):
    """Where an intent stands; closed ones cannot be selected or edited under."""

    PLANNED = "PLANNED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    BLOCKED = "BLOCKED"
    ABANDONED = "ABANDONED"
    ARCHIVED = "ARCHIVED"

    @property
    def closed(self) -> bool:
        """Whether work under the intent has ended."""
        return self in (Status.COMPLETED, Status.ABANDONED, Status.ARCHIVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One intent as its entry in `active_intents.yaml` reads, whatever its spelling there.

    `owned_scope` holds the globs as written, in order, white space included; dates are the
    scalars' source text.
    """

    id: IntentId
    name: str = ""
    status: Status = Status.PLANNED
    owned_scope: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    recent_history: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    specification: str = ""
    created_at: str | None = None
    updated_at: str | None = None


@dataclass(frozen=True, slots=True)
class Intents:
    """The intents of one file, in its order; ids are unique."""

    items: tuple[Intent, ...] = ()

    def __iter__(self) -> Iterator[Intent]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def by_id(self) -> Mapping[str, Intent]:
        """Index by id; earlier ids (`aliases`) lead to the intent that has them now."""
        found: dict[str, Intent] = {}
        for intent in self.items:
            for alias in intent.aliases:
                found.setdefault(alias, intent)
        found.update({intent.id: intent for intent in self.items})
        return found

    def get(self, intent_id: str) -> Intent | None:
        """Find an intent by id or earlier id."""
        for intent in self.items:
            if intent.id == intent_id:
                return intent
        return next((intent for intent in self.items if intent_id in intent.aliases), None)
