"""Whether each agent host is registered in this root, when it last asked, and whether it is blind.

Specified in hooks section 6. A host asks by calling our hook. A blind host did not ask while files
changed.

Invariant: a host that has asked since it was started, and whose hooks are registered, is not blind.
One that never asked is not said to be off: it may not have been started.
Invariant: nothing here says that the host made the changes.
"""

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.codes import HostCode
from intent_lsp.core.content import Text, split_lines
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.text import counted
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.host_registrations import hook_files
from intent_lsp.formats.registrations.registration import PROGRAM, State
from intent_lsp.governance.agents.registration_plan import HostStatus, RegistrationFiles
from intent_lsp.governance.disk.pending_changes import RecordedChange
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.violations.violation import Violation
from intent_lsp.store.running_programs import earliest_start, processes_in
from intent_lsp.store.state.host_contacts import HostContact, UnaskedChanges

_log: Final = logging.getLogger(__name__)

ALIVE_FOR: Final = timedelta(minutes=30)
"""How long after its last event a host's session counts as alive, if its end was not reported."""

FORGOTTEN_AFTER: Final = timedelta(days=1)
"""How long after a change it is forgotten that a host did not ask for it."""

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_MESSAGE: Final = (
    "{host} ran here and did not ask intent-lsp about changes of {files} since {since}. {host} made"
    " them, or a program of yours did. `intent-lsp doctor` says whether its hooks work."
)


class BlindHost(Struct, frozen=True, kw_only=True):
    """A host that did not ask while files changed.

    `file` is the absolute path of a settings file for its hooks that names intent-lsp. `lines` are
    the lines of that file, and `violation` is on the first line with that name. If no such file
    names intent-lsp, `file` is the first one, `lines` is empty, and `violation` is on the first
    line.
    """

    host: AgentHost
    changes: UnaskedChanges
    file: Path
    lines: Sequence[str]
    violation: Violation


class HostLiveness(Struct, frozen=True, kw_only=True):
    """A host that is registered in a root, has asked there, or did not ask while files changed.

    `registered`: its hooks are registered. `last` is its last event, or None if it never asked.
    `unasked` are the changes of files during which it did not ask, or None if none are known.
    """

    host: str
    registered: bool
    last: HostContact | None = None
    unasked: UnaskedChanges | None = None


def note_unasked_changes(
    governance: Governance, home: Path, recorded: Iterable[RecordedChange]
) -> None:
    """Store which changes in `recorded` nobody announced, with each host that may have made them.

    Such a host is at work in the root, and nothing proves that it asks. It has a registration in
    the root or in `home`, which may be wrong or unreadable. Do nothing without a session database;
    a failure is logged.
    """
    state, now = governance.stores.state, governance.stores.clock()
    paths = [path for change in recorded if change.unannounced for path in change.paths]
    if state is None or not paths:
        return
    with step("which agent hosts did not ask"):
        heard = {each.host: each for each in governance.heard()}
        files = RegistrationFiles(governance.root, home)
        expected = list(filter(_is_expected, (files.status(host, PROGRAM) for host in HOSTS)))
        processes = processes_in(governance.root) if expected else ()
        for status in expected:
            host = status.host
            names = [name for name in host.programs if name not in host.editors]
            started = earliest_start(processes, names, host.package, now)
            if _may_be_blind(files, status, heard.get(host.hook), started, now):
                forget = timestamp(max(now - FORGOTTEN_AFTER, _mended_at(files, status)))
                state.hosts.note_unasked(host.name, host.hook, paths, timestamp(now), forget)


def blind_hosts(governance: Governance, home: Path) -> tuple[BlindHost, ...] | None:
    """Return the hosts that did not ask while files changed, and were not heard since.

    A host is left out if the last change for which it did not ask is older than FORGOTTEN_AFTER. It
    is left out if it has no registration, or if its hooks are registered and one of their settings
    files was written after that change. Return () without a session database, and None if it cannot
    be read now.
    """
    state, now = governance.stores.state, governance.stores.clock()
    if state is None:
        return ()
    try:
        noted = state.hosts.unasked(timestamp(now - FORGOTTEN_AFTER))
    except IntentLspError as problem:
        _log.warning("which agent hosts did not ask is not known now: %s", problem)
        return None
    files, unasked = RegistrationFiles(governance.root, home), {each.host: each for each in noted}
    blind = list[BlindHost]()
    for host in HOSTS:
        changes = unasked.get(host.name)
        if changes is None:
            continue
        status = files.status(host, PROGRAM)
        if _is_expected(status) and _moment(changes.last) >= _mended_at(files, status):
            blind.append(_blind(files, host, changes))
    return tuple(blind)


def known_hosts(governance: Governance, home: Path) -> tuple[HostLiveness, ...]:
    """Return the hosts whose hooks are registered in a root, then others that have asked there.

    Among the first are the hosts of `blind_hosts`, whose registration may be wrong or unreadable.
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
    """Return whether a host is registered, its last event, and what changed when it did not ask.

    `heard` maps the names under which the hooks of hosts ask to their last events. `unasked` maps
    the hosts' own names to the changes. The result has None for an event or changes not in there.
    """
    name = status.host.name
    last = heard.get(status.host.hook) or heard.get(name)
    changes = unasked.get(name)
    return HostLiveness(host=name, registered=status.registered, last=last, unasked=changes)


def asked_ago(contact: HostContact | None, now: datetime) -> str:
    """Return when a host last asked, such as `last asked 5 min ago`; `never heard` for None."""
    if contact is None:
        return "never heard"
    seconds = max(0, int((now - _moment(contact.at)).total_seconds()))
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
    """Return the changes during which a host did not ask, as in the protocol's `Status`."""
    return {"files": unasked.files, "since": unasked.since}


def is_alive(contact: HostContact, now: datetime) -> bool:
    """Whether a host's session counts as alive.

    It does if its last event, `contact`, is no end and was not longer ago than ALIVE_FOR.
    """
    return not contact.ended and now - _moment(contact.at) <= ALIVE_FOR


def _moment(at: str) -> datetime:
    """Return an RFC 3339 time as a time in UTC."""
    return datetime.fromisoformat(at).astimezone(UTC)


def _is_expected(status: HostStatus) -> bool:
    """Whether a host should ask here: it has a registration, be it right, wrong or unreadable."""
    return any(each.state is not State.MISSING for each in status.registrations)


def _may_be_blind(
    files: RegistrationFiles,
    status: HostStatus,
    contact: HostContact | None,
    started: datetime | None,
    now: datetime,
) -> bool:
    """Whether a host is at work here, and nothing proves that it asks.

    `contact` is the host's last event, and `started` is when its oldest program that runs here was
    started; each is None if there is none. A host is at work if it runs here, or if it was heard
    lately (`is_alive`). An event after `started` proves that it asks. If its hooks are not
    registered as they should be, the event must also be after the last write of the settings files.
    """
    if contact is None:
        return started is not None
    heard = _moment(contact.at)
    if started is not None and heard < started:
        return True
    if started is None and not is_alive(contact, now):
        return False
    return not status.registered and heard < _written_at(files, status.host)


def _mended_at(files: RegistrationFiles, status: HostStatus) -> datetime:
    """Return `_written_at` of a host whose hooks are registered, else `datetime.min`."""
    return _written_at(files, status.host) if status.registered else _NEVER


def _written_at(files: RegistrationFiles, host: AgentHost) -> datetime:
    """Return when the newest of the settings files for a host's hooks was written.

    Return `datetime.min` in UTC if there is no such file.
    """
    times = [_NEVER]
    for place, path in hook_files(host):
        with suppress(OSError, ValueError, OverflowError):
            written = (files.base(place) / path).stat().st_mtime
            times.append(datetime.fromtimestamp(written, UTC))
    return max(times)


def _blind(files: RegistrationFiles, host: AgentHost, changes: UnaskedChanges) -> BlindHost:
    candidates = hook_files(host)
    (place, path), lines, line = candidates[0], list[str](), 0
    for each in candidates:
        text = files.text(*each)
        own = split_lines(text.text) if isinstance(text, Text) else []
        at = next((number for number, line in enumerate(own) if PROGRAM in line), None)
        if at is not None:
            (place, path), lines, line = each, own, at
            break
    count, code = counted(changes.files, "file"), HostCode.GATE_BLIND.value
    message = _MESSAGE.format(host=host.title, files=count, since=changes.since)
    wrong = Violation(code=code, message=message, first_line=line, last_line=line, path=path)
    file = files.base(place) / path
    return BlindHost(host=host, changes=changes, file=file, lines=lines, violation=wrong)
