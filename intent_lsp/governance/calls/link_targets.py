"""Paths of a ticket that symbolic links made since then lead elsewhere.

Specified in requirements section 6.

Invariant: a write through a link is a change of the file that the link leads to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.resolve import last_touched, resolve_below

_ROUNDED_BY: Final = 2.0
"""Seconds by which some file systems round modification times."""


@dataclass(frozen=True, slots=True)
class RetargetedLinks:
    """Paths of a ticket that now lead elsewhere than when the call was judged.

    `inside` are the files of the root that they lead to. `outside` are those paths of the ticket
    that now leave the root.
    """

    inside: tuple[WorkspacePath, ...] = ()
    outside: tuple[WorkspacePath, ...] = ()


def led_away(root: Path, ticket: Ticket) -> RetargetedLinks:
    """Resolve every path of a ticket again, and return those that lead elsewhere now.

    Targets that are directories, or untouched since the ticket was issued, are left out.
    """
    judged = {end for file in ticket.files for end in (file.path, file.real, file.previous)}
    inside: dict[WorkspacePath, None] = {}
    outside: list[WorkspacePath] = []
    for file in ticket.files:
        place = resolve_below(root, file.path)
        if place is None or place.real is None:
            outside.append(file.path)
        elif place.real not in judged:
            inside[place.real] = None
    since = datetime.fromisoformat(ticket.issued_at).timestamp() - _ROUNDED_BY
    return RetargetedLinks(tuple(_touched(root, tuple(inside), since)), tuple(outside))


def _touched(root: Path, paths: Sequence[WorkspacePath], since: float) -> tuple[WorkspacePath, ...]:
    moments = ((path, last_touched(root / path)) for path in paths if not (root / path).is_dir())
    return tuple(path for path, moment in moments if moment is None or moment >= since)
