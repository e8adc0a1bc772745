"""The commands `agents install` and `agents uninstall`: our hooks and MCP server in agent hosts.

Invariant: if one file cannot be edited, no file is changed.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from intent_lsp.doors.cli.agents import changes, choice
from intent_lsp.doors.cli.command import Call, command, flag
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.open import governing
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.formats.registrations.host_registrations import (
    RegistrationOptions,
    registrations_of,
)
from intent_lsp.formats.registrations.registration import PROGRAM, Place, State
from intent_lsp.governance.agents.registration_plan import (
    PlannedFile,
    RegistrationFiles,
    RegistrationPlan,
)
from intent_lsp.governance.agents.registrations import INSTALL_TOOL, UNINSTALL_TOOL, carry_out
from intent_lsp.governance.governance import Governance
from intent_lsp.store.agent_hosts import on_path
from intent_lsp.store.ledger.ledger import Appended, Queued


@command(
    choice.hosts_option("the hosts that are found"),
    flag("--dry-run", "show the edits as a diff, and write nothing"),
    flag("--local", "write files that are not committed, with an absolute path to this program"),
    flag("--instructions", "also put what an agent has to know into AGENTS.md or CLAUDE.md"),
    examples=(
        "intent-lsp agents install --dry-run",
        "intent-lsp agents install --host claude --host codex --instructions",
        "intent-lsp agents install --host claude --local",
    ),
    json="write {root, dryRun, hosts, files, untouched, steps, recordId} as JSON",
)
def agents_install(call: Call) -> None:
    """Register agent hosts and print the changes; with --dry-run, only print what would be changed.

    Write the registrations into the settings files of the hosts, each as the smallest edit:
    comments, order and the entries of others stay, and an entry that is right is not touched.
    --dry-run shows the edits as a diff. Without --host, the hosts found on this machine or in
    the repository are registered. The command never makes a host trust the hooks: it says what
    a person has to do for that. Committed files call intent-lsp by its name; --local writes
    files that are not committed, with an absolute path. --instructions also puts what an agent
    has to know into AGENTS.md or CLAUDE.md.

    Raise WrongUsageError if no host is found and --instructions is not given, or if an agent runs
    the command without --dry-run.
    """
    options = call.options
    if not options.dry_run:
        choice.person_needed("`intent-lsp agents install`")
    root = call.root()
    hosts = choice.chosen(options) if options.host else choice.found_hosts(root)
    if not hosts and not options.instructions:
        raise WrongUsageError(
            "no agent host was found on this machine or in the repository",
            cure="name one with --host",
        )
    done = install(call, root, hosts)
    if options.json:
        call.page.json({"root": str(root), "dryRun": options.dry_run, **installed_json(done)})
    elif options.dry_run:
        changes.show_diff(call.page, done.plan)
    else:
        show_installed(call.page, root, done)


class Installed(Struct, frozen=True):
    """The registered hosts, the plan of changed files, and the outcome of recording the changes.

    `outcome` is None in a dry run, or if nothing in the root has changed.
    """

    hosts: tuple[AgentHost, ...]
    plan: RegistrationPlan
    outcome: Appended | Queued | None


def install(
    call: Call, root: Path, hosts: Sequence[AgentHost], written: Sequence[PlannedFile] = ()
) -> Installed:
    """Register hosts in a root and record that; with --dry-run, only plan it.

    `written` are files written already that the record has to name as well. Raise WrongUsageError
    if governance is off, if a file cannot be edited, or if --local is given and the hosts have no
    local file (see `_registrable`).
    """
    options, page = call.options, call.page
    with Governance(root) as governance:
        rules = governing(governance)
        wish = RegistrationOptions(
            program=choice.own_program() if options.local else PROGRAM,
            local=options.local,
            fail_closed=not rules.policy.fail_open,
        )
        able = _registrable(hosts, wish, page, asked=bool(options.host))
        at = choice.files_of(root)
        plan = choice.without_problems(at.installing(able, wish, instructions=options.instructions))
        outcome = None
        if not options.dry_run:
            outcome = carry_out(governance, at, plan.files, INSTALL_TOOL, written=written)
        _remark(governance, plan, wish, page)
    changes.remark_queued(page, outcome)
    return Installed(able, plan, outcome)


def installed_json(done: Installed) -> dict[str, object]:
    """Return the result of `install` as JSON."""
    return {
        "hosts": [host.name for host in done.hosts],
        "files": changes.files_json(done.plan),
        "untouched": list(done.plan.untouched),
        "steps": [{"host": host.name, "step": step} for host in done.hosts for step in host.steps],
        "recordId": changes.record_json(done.outcome),
    }


def show_installed(page: Output, root: Path, done: Installed) -> None:
    """Print what was registered, and what a person still has to do."""
    if not done.plan.files:
        page.line("Everything that was asked for is in place already.")
    else:
        page.line(f"Registered in {root}:")
        changes.show_files(page, done.plan.files)
    changes.show_steps(page, done.hosts)
    if any(file.place is Place.ROOT for file in done.plan.files):
        page.line(
            "Commit these files, except those in your home directory and those that --local wrote,"
            " so that your colleagues' agents are governed too."
        )


def _registrable(
    hosts: Sequence[AgentHost], wish: RegistrationOptions, page: Output, *, asked: bool
) -> tuple[AgentHost, ...]:
    """Return the hosts that can be registered as `wish` says.

    With --local, only a host with a local settings file can be. If some hosts cannot be registered,
    print a remark that names them. Raise WrongUsageError instead if no host can be, or if the hosts
    were given with --host (`asked`).
    """
    able = tuple(host for host in hosts if registrations_of(host, wish))
    others = tuple(host for host in hosts if host not in able)
    if others and (asked or not able):
        raise WrongUsageError(
            "--local writes settings files that are not committed, and there is none for"
            f" {choice.named(others)}",
            cure="leave --local out, or choose another host",
        )
    if others:
        page.remark(
            "intent-lsp: left out, since --local has no settings file for them:"
            f" {choice.named(others)}"
        )
    return able


def _remark(
    governance: Governance, plan: RegistrationPlan, wish: RegistrationOptions, page: Output
) -> None:
    git = governance.stores.git
    for file in plan.files:
        if wish.local and file.place is not Place.HOME and git and not git.ignored(file.path):
            page.remark(
                f"intent-lsp: git does not ignore {file.path}, which has a path of this machine;"
                f" `echo {file.path} >> .git/info/exclude` fixes that"
            )
    if not wish.local and not on_path(PROGRAM):
        page.remark(
            f"intent-lsp: {PROGRAM} is not on PATH here, so hosts cannot start it; install it for"
            " your user, or use --local, which writes its full path"
        )


@command(
    choice.hosts_option("all"),
    flag("--dry-run", "show the edits as a diff, and write nothing"),
    flag("--local", "remove from files that are not committed alone"),
    examples=("intent-lsp agents uninstall --dry-run", "intent-lsp agents uninstall --host cursor"),
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
        choice.person_needed("`intent-lsp agents uninstall`")
    root = call.root()
    at = choice.files_of(root)
    with Governance(root) as governance:
        plan = choice.without_problems(_plan(at, options))
        outcome = None
        if not options.dry_run:
            outcome = carry_out(governance, at, plan.files, UNINSTALL_TOOL)
    changes.remark_queued(page, outcome)
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
                "files": changes.files_json(plan),
                "recordId": changes.record_json(outcome),
            }
        )
    elif options.dry_run:
        changes.show_diff(page, plan)
    elif not plan.files:
        page.line("Nothing was removed.")
    else:
        page.line(f"Removed from {root}:")
        changes.show_files(page, plan.files)


def _plan(at: RegistrationFiles, options: argparse.Namespace) -> RegistrationPlan:
    local = RegistrationOptions(program=choice.own_program(), local=True)
    wishes = [local] if options.local else [RegistrationOptions(), local]
    return at.uninstalling(
        choice.chosen(options),
        wishes,
        at_home=bool(options.host),
        instructions=not options.host and not options.local,
    )


def _kept_at_home(at: RegistrationFiles, options: argparse.Namespace) -> tuple[str, ...]:
    """Return the files in the home directory in which `agents uninstall` leaves our entries.

    Without --host, they are those in which the chosen hosts are registered. With --host, there are
    none, since the command removes these entries too.
    """
    if options.host:
        return ()
    found = [each for host in choice.chosen(options) for each in at.status(host, "").registrations]
    return tuple(
        each.path
        for each in found
        if each.place is Place.HOME and each.state in (State.REGISTERED, State.DIFFERS)
    )
