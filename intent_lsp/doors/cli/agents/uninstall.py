"""The command `agents uninstall`: removes our hooks and our MCP server from agent hosts.

Invariant: a file that cannot be edited leaves every file as it is.
"""

import argparse

from intent_lsp.doors.cli.agents.changes import (
    files_json,
    record_json,
    remark_queued,
    show_diff,
    show_files,
)
from intent_lsp.doors.cli.agents.choice import (
    chosen,
    files_of,
    hosts_option,
    own_program,
    person_needed,
    without_problems,
)
from intent_lsp.doors.cli.command import Call, command, flag
from intent_lsp.formats.registrations.host_registrations import RegistrationOptions
from intent_lsp.formats.registrations.registration import Place, State
from intent_lsp.governance.agents.registration_plan import (
    RegistrationFiles,
    RegistrationPlan,
)
from intent_lsp.governance.agents.registrations import UNINSTALL_TOOL, carry_out
from intent_lsp.governance.governance import Governance


@command(
    hosts_option("all"),
    flag("--dry-run", "show the edits as a diff, and write nothing"),
    flag("--local", "remove from files that are not committed alone"),
    examples=(
        "intent-lsp agents uninstall --dry-run",
        "intent-lsp agents uninstall --host cursor",
    ),
    json="write {root, dryRun, files, recordId} as JSON",
)
def agents_uninstall(call: Call) -> None:
    """Unregister agent hosts and print the changes; with --dry-run, only print them.

    Remove our entries, and nothing else, from the settings files of the hosts. Files and
    keys that hold nothing else afterwards go with them. Without --host, all hosts are
    meant, and the instructions in AGENTS.md or CLAUDE.md are removed too; what is
    registered in your home directory stays then, because other projects may use it. --local
    removes only what is in the hosts' settings files that are not committed. --dry-run
    shows the edits as a diff.

    Raise WrongUsageError if a file cannot be edited, or if an agent runs the command without
    --dry-run.
    """
    options, page = call.options, call.page
    if not options.dry_run:
        person_needed("`intent-lsp agents uninstall`")
    root = call.root()
    at = files_of(root)
    with Governance(root) as governance:
        plan = without_problems(_plan(at, options))
        outcome = None
        if not options.dry_run:
            outcome = carry_out(governance, at, plan.files, UNINSTALL_TOOL)
    remark_queued(page, outcome)
    for path in _kept_at_home(at, options):
        page.remark(
            f"intent-lsp: {path} stays, because other projects may use it; name the host with"
            " --host to remove it"
        )
    if options.json:
        page.json(
            {
                "root": str(root),
                "dryRun": options.dry_run,
                "files": files_json(plan),
                "recordId": record_json(outcome),
            }
        )
    elif options.dry_run:
        show_diff(page, plan)
    elif not plan.files:
        page.line("There is nothing to remove; nothing was changed.")
    else:
        page.line(f"Removed from {root}:")
        show_files(page, plan.files)


def _plan(at: RegistrationFiles, options: argparse.Namespace) -> RegistrationPlan:
    local = RegistrationOptions(program=own_program(), local=True)
    wishes = [local] if options.local else [RegistrationOptions(), local]
    return at.uninstalling(
        chosen(options),
        wishes,
        at_home=bool(options.host),
        instructions=not options.host and not options.local,
    )


def _kept_at_home(at: RegistrationFiles, options: argparse.Namespace) -> tuple[str, ...]:
    """Return the files in the home directory in which hosts stay registered; none with --host."""
    if options.host:
        return ()
    found = [each for host in chosen(options) for each in at.status(host, "").registrations]
    return tuple(
        each.path
        for each in found
        if each.place is Place.HOME and each.state in (State.REGISTERED, State.DIFFERS)
    )
