"""Whether the gate is on for each agent host: registered in this root, and when it last asked.

Invariant: a host that never asked is not said to be off. It may not have been started.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from intent_lsp.core.text import counted
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.registration import PROGRAM
from intent_lsp.governance.agents.registration_plan import HostStatus, RegistrationFiles
from intent_lsp.governance.governance import Governance
from intent_lsp.store.state.host_contacts import HostContact

ALIVE_FOR: Final = timedelta(minutes=30)
"""How long after its last event a host's session counts as alive, if its end was not reported."""

NEVER: Final = "never heard"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLiveness:
    """A host that is registered in a root or that has asked there.

    `last` is its last event, or None if it never asked.
    """

    host: str
    registered: bool
    last: HostContact | None = None


def known_hosts(governance: Governance, home: Path) -> tuple[HostLiveness, ...]:
    """Return the hosts that are registered in a root, then others that have asked there."""
    heard = {each.host: each for each in governance.heard()}
    files = RegistrationFiles(governance.root, home)
    found = [
        liveness_of(status, heard)
        for status in (files.status(host, PROGRAM) for host in HOSTS)
        if status.registered
    ]
    names = {name for each in found for name in (each.host, _asks_as(each.host))}
    others = (each for each in heard.values() if each.host not in names)
    more = [HostLiveness(host=each.host, registered=False, last=each) for each in others]
    return (*found, *more)


def liveness_of(status: HostStatus, heard: dict[str, HostContact]) -> HostLiveness:
    """Return whether a host is registered, and its last event of those in `heard`."""
    host = status.host
    last = heard.get(host.hook) or heard.get(host.name)
    return HostLiveness(host=host.name, registered=status.registered, last=last)


def is_alive(contact: HostContact, now: datetime) -> bool:
    """Whether a session of the host may still run: heard lately, and no end reported since."""
    return not contact.ended and now - _moment(contact) <= ALIVE_FOR


def asked_ago(contact: HostContact | None, now: datetime) -> str:
    """Return when a host last asked, for people."""
    if contact is None:
        return NEVER
    seconds = max(0, int((now - _moment(contact)).total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "min")):
        if seconds >= size:
            number = seconds // size
            return f"last asked {number} min ago" if unit == "min" else _ago(number, unit)
    return "last asked just now"


def host_json(liveness: HostLiveness) -> dict[str, object]:
    """Return a host as an entry of `hosts` in the protocol's `Status`."""
    last = liveness.last
    return {
        "host": liveness.host,
        "registered": liveness.registered,
        "lastHeard": None if last is None else last.at,
    }


def _ago(number: int, unit: str) -> str:
    return f"last asked {counted(number, unit)} ago"


def _asks_as(name: str) -> str:
    """Return the name under which the hooks of a host ask."""
    return next((host.hook for host in HOSTS if host.name == name), name)


def _moment(contact: HostContact) -> datetime:
    return datetime.fromisoformat(contact.at).astimezone(UTC)
