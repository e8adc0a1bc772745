"""Ids for new intents: the next free `INT-NNN`."""

import re
from typing import Final

from intent_lsp.core.intents import Intents

_NUMBERED: Final = re.compile(r"INT-([0-9]{1,9})")


def next_id(intents: Intents) -> str:
    """Return the next free `INT-NNN`: one more than the highest in use, aliases included."""
    return next_ids(intents, 1)[0]


def next_ids(intents: Intents, count: int) -> tuple[str, ...]:
    """Return the next `count` free ids `INT-NNN`, from one more than the highest in use."""
    names = [name for intent in intents for name in (intent.id, *intent.aliases)]
    numbers = [int(found[1]) for name in names if (found := _NUMBERED.fullmatch(name))]
    first = max(numbers, default=0) + 1
    return tuple(f"INT-{number:03}" for number in range(first, first + count))
