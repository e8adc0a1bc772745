"""The command `doctor`: tries every registered hook, and says which agent hosts are blind.

Run each command that is registered with an agent host here, or in your home directory, as
the host would: through the shell, within the host's time limit, with an edit of the intents
file, which is refused in every mode. Say for each host whether that blocks the edit, and if
not why, and what to do. Codex is asked whether it trusts the hook; what other hosts trust
cannot be seen from outside. Nothing is recorded. Exit status 1 if a registered host is
blind.
"""

import argparse
from collections.abc import Iterator
from typing import Final

from intent_lsp.doors.cli.agents.choice import add_hosts, chosen, files_of
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.exits import Exit
from intent_lsp.governance.agents.doctor import HostDoctor, HostReport
from intent_lsp.governance.agents.hook_probe import ProbeFinding


def answer(call: Call) -> int:
    """Examine the hosts, show what was found, and return the exit status."""
    root, page = call.root().resolve(), call.page
    doctor = HostDoctor(files_of(root))
    every = [doctor.examine(host) for host in chosen(call.options)]
    blind = any(each.registered and not each.blocks for each in every)
    status = Exit.VIOLATIONS if blind else Exit.FINE
    if call.options.json:
        page.json({"root": str(root), "ok": not blind, "hosts": [_json(each) for each in every]})
        return status
    shown = [each for each in every if each.registered]
    for each in shown:
        for line in _lines(each):
            page.line(line)
    if not shown:
        page.line("No agent host is registered here: `intent-lsp agents install` does it.")
    for each in every:
        if each.signs and not each.registered:
            page.remark(
                f"intent-lsp: {each.host.title} is found here and its hooks are not registered:"
                f" `intent-lsp agents install --host {each.host.name}`"
            )
    return status


def _lines(report: HostReport) -> Iterator[str]:
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
    for remark in report.remarks:
        yield f"  {remark}"


def _probe_line(probe: ProbeFinding) -> str:
    what = f"{probe.path}, {probe.event}: `{probe.command}`"
    if not probe.blocks:
        return f"{what} does not block: {probe.cause}"
    odd = f"; {probe.cause}" if probe.cause else ""
    return f"{what} blocks, in {probe.seconds:.1f} s{odd}"


def _json(report: HostReport) -> dict[str, object]:
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
        "remarks": list(report.remarks),
    }


def _probe_json(probe: ProbeFinding) -> dict[str, object]:
    return {
        "path": probe.path,
        "event": probe.event,
        "command": probe.command,
        "blocks": probe.blocks,
        "seconds": round(probe.seconds, 3),
        "version": probe.version,
        "cause": probe.cause or None,
        "cure": probe.cure or None,
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_hosts(parser, "all")


COMMAND: Final = Command(
    examples=("intent-lsp doctor", "intent-lsp doctor --host codex --json"),
    json="write {root, ok, hosts: [{host, registered, blocks, probes, problems, …}]} as JSON",
    arguments=_arguments,
    answer=answer,
)
