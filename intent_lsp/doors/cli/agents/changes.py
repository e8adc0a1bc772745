"""Shows what a plan of registrations changes: as a diff, as lines, or as JSON."""

from collections.abc import Iterable

from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.diff import edit_lines
from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.governance.agents.registration_plan import PlannedFile, RegistrationPlan
from intent_lsp.store.ledger.ledger import Appended, Queued


def show_diff(page: Output, plan: RegistrationPlan) -> None:
    """Print a plan's files as diffs, and remark that nothing was written.

    Print nothing without files.
    """
    for file in plan.files:
        for line in edit_lines(file.shown, file.before, file.after):
            page.line(line)
    if plan.files:
        page.remark("intent-lsp: nothing was written: this was a dry run")


def show_files(page: Output, files: Iterable[PlannedFile]) -> None:
    """Print the files that were written or removed, and for which hosts."""
    for file in files:
        what = "" if file.after is not None else ", removed"
        hosts = f" ({', '.join(file.hosts)})" if file.hosts else ""
        page.line(f"  {file.shown}{hosts}{what}")


def show_steps(page: Output, hosts: Iterable[AgentHost]) -> None:
    """Print what a person still has to do, so that the hosts trust and use the registration.

    Print nothing if no host needs a step.
    """
    lines = [f"  {host.title}: {step}" for host in hosts for step in host.steps]
    if lines:
        page.line("What you have to do:")
    for line in dict.fromkeys(lines):
        page.line(line)


def files_json(plan: RegistrationPlan) -> list[dict[str, object]]:
    """Return the files of a plan as JSON, each with its hosts, its kind of change and its diff."""
    return [
        {
            "path": file.shown,
            "place": file.place.value,
            "hosts": list(file.hosts),
            "change": _change(file),
            "diff": "\n".join(edit_lines(file.shown, file.before, file.after)) + "\n",
        }
        for file in plan.files
    ]


def record_json(outcome: Appended | Queued | None) -> str | None:
    """Return the id of the record of a command's changes, or None if no record was appended.

    None is appended in a dry run, if the record waits for the ledger, or if nothing in the root has
    changed.
    """
    return outcome.record.id if isinstance(outcome, Appended) else None


def remark_queued(page: Output, outcome: Appended | Queued | None) -> None:
    """Print a remark if the record of a command's changes cannot be written to the ledger yet."""
    if isinstance(outcome, Queued):
        page.remark(
            f"intent-lsp: the record waits until the ledger can be written: {outcome.reason}"
        )


def _change(file: PlannedFile) -> str:
    if file.before is None:
        return "created"
    return "removed" if file.after is None else "changed"
