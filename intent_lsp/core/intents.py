"""Intents: the pieces of work that a team declares in its intents file (requirements section 3).

Invariant: an intent with an empty owned scope owns nothing.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final, NewType

from msgspec import Struct

IntentId = NewType("IntentId", str)

_NUMBERED: Final = re.compile(r"INT-([0-9]{1,9})")


class Status(StrEnum):
    """The status of an intent. A closed intent cannot be selected or edited under."""

    PLANNED = "PLANNED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    BLOCKED = "BLOCKED"
    ABANDONED = "ABANDONED"
    ARCHIVED = "ARCHIVED"

    @property
    def closed(self) -> bool:
        """Whether work on the intent has ended: the status is COMPLETED, ABANDONED or ARCHIVED."""
        return self in (Status.COMPLETED, Status.ABANDONED, Status.ARCHIVED)


class Intent(Struct, frozen=True, kw_only=True):
    """One intent, normalised from its entry in `active_intents.yaml`.

    `owned_scope` are the globs as written, in order, with their white space. `aliases` are earlier
    ids. `created_at` and `updated_at` are dates as the YAML file writes them.
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

    @property
    def label(self) -> str:
        """The id and the name, as a list shows them: `INT-001: Login`. Without a name, the id."""
        return f"{self.id}: {self.name}" if self.name else self.id


class Intents(Struct, frozen=True, dict=True):
    """The intents of one intents file, in its order. Ids are unique."""

    items: tuple[Intent, ...] = ()

    def __iter__(self) -> Iterator[Intent]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def by_id(self) -> Mapping[str, Intent]:
        """A map from ids and aliases to intents. An id takes precedence over an alias."""
        # Built once, because the gate looks up several intents for each edit.
        found: dict[str, Intent] = {intent.id: intent for intent in self.items}
        for intent in self.items:
            for alias in intent.aliases:
                found.setdefault(alias, intent)
        return MappingProxyType(found)

    def get(self, intent_id: str) -> Intent | None:
        """Return the intent with this id or alias, or None if there is none."""
        return self.by_id.get(intent_id)

    def names(self, intent: Intent) -> tuple[str, ...]:
        """Return an intent's id and aliases, except an alias that `get` gives to another intent."""
        told = ((name, self.get(name)) for name in intent.aliases)
        own = (name for name, found in told if found is None or found.id == intent.id)
        return tuple(dict.fromkeys((intent.id, *own)))


def next_id(intents: Intents) -> str:
    """Return the next free `INT-NNN`: one more than the highest in use, aliases included."""
    return next_ids(intents, 1)[0]


def next_ids(intents: Intents, count: int) -> tuple[str, ...]:
    """Return the next `count` free ids `INT-NNN`, from one more than the highest in use."""
    names = [name for intent in intents for name in (intent.id, *intent.aliases)]
    numbers = [int(found[1]) for name in names if (found := _NUMBERED.fullmatch(name))]
    first = max(numbers, default=0) + 1
    return tuple(f"INT-{number:03}" for number in range(first, first + count))
