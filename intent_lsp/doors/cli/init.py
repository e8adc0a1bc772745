"""The command `init`: creates the files that governance needs (requirements section 2).

Invariant: without --agents, no existing file is changed.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.doors.cli.agents.choice import found_hosts, person_needed
from intent_lsp.doors.cli.command import Call, argument, command, flag
from intent_lsp.doors.cli.locate import directory
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.governance.agents.registration_plan import created_files
from intent_lsp.governance.setup import initialise
from intent_lsp.store.fs.roots import governed_root

_NEXT: Final = """
Next:
  1. Write your first intent into .orchestration/active_intents.yaml; it has an example,
     and `intent-lsp intents add` writes one for you.
  2. Commit these files. The ledger, .orchestration/agent_trace.jsonl, grows with every save
     and has to be committed: else `git switch` may refuse to change branches.
  3. Open a file in your editor and select the intent; `intent-lsp trace list` shows each save.
"""


@command(
    argument("directory DIR", "the project's top (default: here)", nargs="?", default="."),
    flag("--agents", "also register the agents found here, and tell them how to work"),
    lambda parser: parser.set_defaults(host=[], dry_run=False, local=False, instructions=True),
    examples=("intent-lsp init", "intent-lsp init ~/work/shop", "intent-lsp init --agents"),
    json="write {root, created} as JSON, and {agents} with --agents",
    in_root=False,
)
def init(call: Call) -> None:
    """Create the files that governance needs, and print their names.

    Create .orchestration/ with an intents file, a policy and the files that git needs, with
    commented examples. From then on, edits in this directory tree are checked against the
    intents. Files that exist already are not changed, so that the command can be run again
    at any time. With --agents, the agents found on this machine or in the project are
    registered too, as by `intent-lsp agents install --instructions`.
    """
    person_needed("`intent-lsp init`")
    root = directory(call.options.directory).absolute()
    outer_root = governed_root(str(root))
    created = initialise(root)
    if call.options.agents:
        _register(call, root, created)
    elif call.options.json:
        call.page.json({"root": str(root), "created": list(created)})
    else:
        _tell(call.page, root, created)
    if call.options.json:
        return
    if created and outer_root not in (None, root):
        call.page.remark(
            f"intent-lsp: until now {outer_root} governed this directory;"
            f" from now on {root} has intents of its own"
        )


def _register(call: Call, root: Path, created: Sequence[str]) -> None:
    """Register the agents that are found, and print them and the created files.

    Record the registrations together with the created files.
    """
    # Imported late: only --agents needs all of governance.
    from intent_lsp.doors.cli.agents.install import (  # noqa: PLC0415
        install,
        installed_json,
        show_installed,
    )

    hosts = found_hosts(root)
    done = install(call, root, hosts, created_files(root, created))
    if call.options.json:
        agents = installed_json(done)
        call.page.json({"root": str(root), "created": list(created), "agents": agents})
        return
    _tell(call.page, root, created)
    show_installed(call.page, root, done)
    if not hosts:
        call.page.remark(
            "intent-lsp: no agent host was found here; `intent-lsp agents install --host HOST`"
            " registers one"
        )


def _tell(page: Output, root: Path, created: Sequence[str]) -> None:
    if not created:
        path = root / CONTROL_ROOM
        page.line(f"{path} already has every file that init writes there; none was changed.")
        return
    page.line(f"Created in {root}:")
    for name in created:
        page.line(f"  {name}")
    page.text(_NEXT)
