"""`python -m tests.support.agent_lab record [HOST[:SCENARIO]…]`: record the hosts' payloads."""

import sys
from pathlib import Path

from tests.support.agent_lab.host import Host
from tests.support.agent_lab.known_hosts import CODE_MODE, wanted_hosts
from tests.support.agent_lab.recordings import record
from tests.support.agent_lab.runs import why_no_namespace
from tests.support.agent_lab.scenarios import SCENARIOS, Scenario

_OF_CODE_MODE = ("edit", "command", "failing_edit", "three_calls", "subagent")


def main(words: list[str]) -> int:
    """Record what the words name, everything if they name nothing."""
    if words[:1] != ["record"]:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    if (reason := why_no_namespace()) is not None:
        sys.stderr.write(f"{reason}\n")
        return 1
    runs = [(host, scenario, "") for host in wanted_hosts().values() for scenario in SCENARIOS]
    runs += [
        (CODE_MODE, scenario, "code_") for scenario in SCENARIOS if scenario.name in _OF_CODE_MODE
    ]
    for host, scenario, prefix in runs:
        names = {host.name, f"{host.name}:{prefix}{scenario.name}"}
        if words[1:] and not names & set(words[1:]):
            continue
        if not _is_possible(host, scenario):
            continue
        for path in record(host, scenario, prefix):
            sys.stdout.write(f"{path}\n")
            sys.stdout.flush()
    return 0


def _is_possible(host: Host, scenario: Scenario) -> bool:
    """Whether a host can be taken through a scenario without a terminal."""
    if scenario.resumed:
        return bool(host.resume)
    if scenario.cleared:
        return bool(host.conversation)
    return scenario.name != "subagent" or bool(host.tools(Path()).spawn)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
