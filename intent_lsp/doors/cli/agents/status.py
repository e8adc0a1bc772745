"""The command `agents status`: which agent hosts are found, and which are registered."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import counted
from intent_lsp.doors.cli.agents import choice
from intent_lsp.doors.cli.command import Call, command
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.formats.registrations.registration import Purpose, State
from intent_lsp.governance.agents.host_liveness import (
    BlindHost,
    HostLiveness,
    asked_ago,
    blind_hosts,
    host_json,
    liveness_of,
)
from intent_lsp.governance.agents.registration_plan import HostStatus, RegistrationStatus
from intent_lsp.governance.governance import Governance
from intent_lsp.store.agent_hosts import signs_of

_COLUMNS: Final = (
    Column("Host"),
    Column("What"),
    Column("State"),
    Column("Where", fold=True),
    Column("Found by", fold=True, spare=True),
)
_STYLES: Final = {State.REGISTERED: "green", State.MISSING: "yellow", State.DIFFERS: "bold red"}
_PURPOSES: Final = {Purpose.HOOKS: "hooks", Purpose.MCP: "MCP server"}
_UNREADABLE: Final = "cannot be read"


class _Found(Struct, frozen=True):
    """A host's registrations, why it counts as found here, and when its hooks last asked.

    `blind` says that files changed while the host did not ask, or is None.
    """

    status: HostStatus
    signs: tuple[str, ...]
    liveness: HostLiveness
    blind: BlindHost | None


@command(
    choice.hosts_option("the hosts that are found or registered"),
    examples=("intent-lsp agents status", "intent-lsp agents status --host codex --json"),
    json="write {root, hosts} as JSON; without --host, every host",
)
def agents_status(call: Call) -> None:
    """Print the agent hosts with their registrations, or with --json all of this as JSON.

    Show each host that is found on this machine or registered here, a row for its hooks and
    a row for its MCP server: whether they are registered, and in which file. Hosts that are
    found and not registered are named on standard error, with the commands that register them.
    The row of registered hooks says when they last asked intent-lsp in this repository.
    `never heard` means that they never have. `did not ask intent-lsp while 3 files
    changed` means that the host was running then; `intent-lsp doctor` says why it did not
    ask.
    With --host, hosts are shown even if they are not found. Nothing is changed outside of
    .orchestration/.local/.
    """
    root = call.root()
    at = choice.files_of(root)
    with Governance(root) as governance:
        heard = {contact.host: contact for contact in governance.heard()}
        blind = {each.host.name: each for each in blind_hosts(governance, at.home) or ()}
        now = governance.stores.clock()
    unasked = {name: each.changes for name, each in blind.items()}
    every = []
    for host in choice.chosen(call.options):
        status = at.status(host, choice.own_program())
        signs = signs_of(host, root, at.home)
        liveness = liveness_of(status, heard, unasked)
        every.append(_Found(status, signs, liveness, blind.get(host.name)))
    if call.options.json:
        call.page.json({"root": str(root), "hosts": [_json(each) for each in every]})
        return
    shown = [each for each in every if call.options.host or each.signs or _is_begun(each.status)]
    if not shown:
        call.page.line(
            "No agent host is found on this machine, and none is registered here:"
            " `intent-lsp agents install --host HOST` registers one."
        )
    rows = [row for each in shown for row in _rows(each, now)]
    call.page.table(TextTable(_COLUMNS, rows))
    for each in shown:
        for line in _remarks(each):
            call.page.remark(f"intent-lsp: {line}")


def _is_begun(status: HostStatus) -> bool:
    """Return whether hooks of the host are registered, even wrongly or in an unreadable file.

    The MCP server does not count, because several hosts may share its file.
    """
    return any(
        each.purpose is Purpose.HOOKS and each.state is not State.MISSING
        for each in status.registrations
    )


def _rows(found: _Found, now: datetime) -> Iterator[list[Cell]]:
    asked = asked_ago(found.liveness.last, now)
    if found.blind is not None:
        asked = f"did not ask intent-lsp while {counted(found.blind.changes.files, 'file')} changed"
    for number, each in enumerate(found.status.registrations):
        state = _UNREADABLE if each.state is None else each.state.value
        style = "bold red" if each.state is None else _STYLES[each.state]
        if each.purpose is Purpose.HOOKS and each.state is State.REGISTERED:
            state = f"{state}, {asked}"
        yield [
            Cell("" if number else found.status.host.name),
            Cell(_PURPOSES[each.purpose]),
            Cell(state, style),
            Cell(each.path),
            Cell("" if number else ", ".join(found.signs) or "-"),
        ]


def _remarks(found: _Found) -> Iterator[str]:
    status, host = found.status, found.status.host
    for each in status.registrations:
        if each.problem is not None:
            place = each.problem.place
            yield f"{each.path}{place}{':' if place else ''} {each.problem.problem}"
    if found.signs and not status.registered:
        yield choice.unregistered(host)
    if found.blind is not None:
        yield found.blind.violation.message
    if not host.observed and status.registered:
        yield (
            f"{host.title} is registered as its documentation says, but intent-lsp has never been"
            f" tested with {host.title} itself"
        )


def _json(found: _Found) -> dict[str, object]:
    status, host, liveness = found.status, found.status.host, host_json(found.liveness)
    return {
        "host": host.name,
        "title": host.title,
        "observed": host.observed,
        "foundBy": list(found.signs),
        "registered": status.registered,
        "lastHeard": liveness["lastHeard"],
        "unasked": liveness["unasked"],
        "registrations": [_registration_json(each) for each in status.registrations],
        "steps": list(host.steps),
    }


def _registration_json(each: RegistrationStatus) -> dict[str, object]:
    problem = each.problem
    return {
        "purpose": each.purpose.value,
        "place": each.place.value,
        "path": each.path,
        "state": _UNREADABLE if each.state is None else each.state.value,
        "problem": None if problem is None else problem.problem,
        "line": None if problem is None else problem.line,
    }
