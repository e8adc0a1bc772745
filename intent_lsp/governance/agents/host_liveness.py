"""Whether the gate is on for each agent host: registered in this root, and when it last asked.

Invariant: a host that never asked is not said to be off. It may not have been started.
"""

from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import counted
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.registration import PROGRAM
from intent_lsp.governance.agents.blind_hosts import blind_hosts, moment
from intent_lsp.governance.agents.registration_plan import HostStatus, RegistrationFiles
from intent_lsp.governance.governance import Governance
from intent_lsp.store.state.host_contacts import HostContact, UnaskedChanges

NEVER: Final = "never heard"


class HostLiveness(Struct, frozen=True, kw_only=True):
    """A host that is registered in a root, has asked there, or did not ask while files changed.

    `registered`: its hooks are registered. `last` is its last event, or None if it never asked.
    `unasked` are the changes of files during which it did not ask, or None if none are known.
    """

    host: str
    registered: bool
    last: HostContact | None = None
    unasked: UnaskedChanges | None = None


def known_hosts(governance: Governance, home: Path) -> tuple[HostLiveness, ...]:
    """Return the hosts whose hooks are registered in a root, then others that have asked there.

    A host that did not ask while files changed counts with the registered ones.
    """
    heard = {each.host: each for each in governance.heard()}
    files = RegistrationFiles(governance.root, home)
    unasked = {each.host.name: each.changes for each in blind_hosts(governance, home) or ()}
    every = (files.status(host, PROGRAM) for host in HOSTS)
    shown = [each for each in every if each.registered or each.host.name in unasked]
    names = {name for each in shown for name in (each.host.name, each.host.hook)}
    others = (each for each in heard.values() if each.host not in names)
    return (
        *(liveness_of(each, heard, unasked) for each in shown),
        *(HostLiveness(host=each.host, registered=False, last=each) for each in others),
    )


def liveness_of(
    status: HostStatus, heard: dict[str, HostContact], unasked: dict[str, UnaskedChanges]
) -> HostLiveness:
    """Return whether a host is registered, its last event, and the changes it did not ask for.

    `heard` maps the names under which the hooks of hosts ask to their last events. `unasked` maps
    the hosts' own names to the changes.
    """
    host = status.host
    last = heard.get(host.hook) or heard.get(host.name)
    return HostLiveness(
        host=host.name,
        registered=status.registered,
        last=last,
        unasked=unasked.get(host.name),
    )


def asked_ago(contact: HostContact | None, now: datetime) -> str:
    """Return when a host last asked, such as `last asked 5 min ago`; `never heard` for None."""
    if contact is None:
        return NEVER
    seconds = max(0, int((now - moment(contact.at)).total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "min")):
        if seconds >= size:
            number = seconds // size
            ago = f"{number} min" if unit == "min" else counted(number, unit)
            return f"last asked {ago} ago"
    return "last asked just now"


def host_json(liveness: HostLiveness) -> dict[str, object]:
    """Return a host as an entry of `hosts` in the protocol's `Status`."""
    last, unasked = liveness.last, liveness.unasked
    return {
        "host": liveness.host,
        "registered": liveness.registered,
        "lastHeard": None if last is None else last.at,
        "unasked": None if unasked is None else unasked_json(unasked),
    }


def unasked_json(unasked: UnaskedChanges) -> dict[str, object]:
    """Return the changes that a host did not ask for, as in the protocol's `Status`."""
    return {"files": unasked.files, "since": unasked.since}
