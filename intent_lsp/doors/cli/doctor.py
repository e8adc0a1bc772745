"""The command `doctor`: tries the hooks that judge calls, and says which agent hosts are blind."""

from collections.abc import Iterator

from msgspec.structs import asdict

from intent_lsp.doors.cli.agents import choice
from intent_lsp.doors.cli.command import Call, command
from intent_lsp.doors.cli.exits import Exit
from intent_lsp.governance.agents.doctor import HostDoctor, HostReport
from intent_lsp.governance.agents.hook_probe import ProbeFinding
from intent_lsp.governance.agents.host_liveness import BlindHost, blind_hosts, unasked_json
from intent_lsp.governance.governance import Governance


@command(
    choice.hosts_option("all"),
    examples=("intent-lsp doctor", "intent-lsp doctor --host codex --json"),
    json="write {root, ok, hosts: [{host, registered, blocks, probes, problems, …}]} as JSON",
)
def doctor(call: Call) -> int:
    """Try the hooks of the hosts, and print the findings.

    Try each hook of intent-lsp that an agent host would run before a tool call, registered
    here or in your home directory. Run it as the host would: through the shell, within the
    time limit of its entry or else of the host. The call that it judges is an edit of the
    intents file, which is refused in every mode. Say for each host whether the hook blocks
    the edit, and if not, why, and what to do.
    Codex is asked whether it trusts the hook; what other hosts trust cannot be seen from
    outside. If files changed while a host ran and did not ask, the host and their number are
    named. Nothing is recorded. The exit status is 1 if a registered host does not block the
    edit.

    Return 1 if a registered host does not block edits, else 0.
    """
    root, page = call.root().resolve(), call.page
    files = choice.files_of(root)
    doctor = HostDoctor(files)
    hosts = choice.chosen(call.options)
    every = [doctor.examine(host) for host in hosts]
    with Governance(root) as governance:
        silent = {each.host.name: each for each in blind_hosts(governance, files.home) or ()}
    blind = any(each.registered and not each.blocks for each in every)
    status = Exit.VIOLATIONS if blind else Exit.FINE
    if call.options.json:
        found = [_json(each, silent.get(each.host.name)) for each in every]
        page.json({"root": str(root), "ok": not blind, "hosts": found})
        return status
    shown = [each for each in every if each.registered or each.host.name in silent]
    for each in shown:
        for line in _lines(each, silent.get(each.host.name)):
            page.line(line)
    if not shown:
        asked = f" of those asked for ({choice.named(hosts)})" if call.options.host else ""
        page.line(
            f"No agent host{asked} is registered here: `intent-lsp agents install` registers one."
        )
    for each in every:
        if each.signs and not each.registered:
            page.remark(f"intent-lsp: {choice.unregistered(each.host)}")
    return status


def _lines(report: HostReport, silent: BlindHost | None) -> Iterator[str]:
    host = report.host
    yield f"{host.name} ({host.title}): {'blocks' if report.blocks else 'BLIND'}"
    for probe in report.probes:
        yield f"  {_probe_line(probe)}"
        if probe.cure:
            yield f"    to do: {probe.cure}"
    for cause, cure in report.problems:
        yield f"  {cause}"
        if cure:
            yield f"    to do: {cure}"
    if report.trust is not None and not report.problems:
        yield f"  {host.title} says of its trust in this hook: {report.trust}"
    for remark in (*_unasked(report, silent), *report.remarks):
        yield f"  {remark}"


def _unasked(report: HostReport, silent: BlindHost | None) -> Iterator[str]:
    """Yield the message that files changed while the host did not ask, and perhaps what to do.

    If the host's hooks would block an edit now, a second line says to start the host again, so that
    it reads them. Yield nothing if `silent` is None: no such change is known.
    """
    if silent is not None:
        yield silent.violation.message
        if report.blocks:
            title = report.host.title
            yield f"  to do: start {title} again, since it reads its hooks when it starts"


def _probe_line(probe: ProbeFinding) -> str:
    hook = f"{probe.path}, {probe.event}: `{probe.command}`"
    if not probe.blocks:
        return f"{hook} does not block: {probe.cause}"
    odd = f"; {probe.cause}" if probe.cause else ""
    return f"{hook} works: it refused a trial edit in {probe.seconds:.1f} s{odd}"


def _json(report: HostReport, silent: BlindHost | None) -> dict[str, object]:
    return {
        "host": report.host.name,
        "title": report.host.title,
        "observed": report.host.observed,
        "foundBy": list(report.signs),
        "registered": report.registered,
        "blocks": report.blocks if report.registered else None,
        "probes": [_probe_json(each) for each in report.probes],
        "problems": [{"cause": cause, "cure": cure} for cause, cure in report.problems],
        "trust": report.trust,
        "unasked": None if silent is None else unasked_json(silent.changes),
        "remarks": list(report.remarks),
    }


def _probe_json(probe: ProbeFinding) -> dict[str, object]:
    words = {"cause": probe.cause or None, "cure": probe.cure or None}
    return asdict(probe) | words | {"seconds": round(probe.seconds, 3)}
