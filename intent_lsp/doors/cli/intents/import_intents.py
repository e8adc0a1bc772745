"""The command `intents import`: adds the intents of a plan, or of another intents file.

Without FILE, import the plans of other tools that the root has: features of spec-kit
(specs/NNN-*/), changes of OpenSpec (openspec/changes/*/) and specs of Kiro
(.kiro/specs/*/). FILE is the directory of one or several of them, a task list in Markdown
(.md), an export of Jira, GitHub, Linear, Azure DevOps or another tracker (.csv, .tsv), or
another intents file, in any supported format.

A plan is a proposal: the edit of the intents file is shown, and written if you agree, or
with --yes. An intent whose specification_id is there already is not imported again; if the
plan says something else by now, the differences are listed. The exit status is 2 if
something is to be written and nobody can be asked.

Of another intents file, those of its intents whose ids do not exist yet are added at once,
in a single edit: ids, names, statuses, globs, constraints, criteria and creation dates. The
intents that were skipped and the keys that were not imported are listed.
"""

import argparse
from pathlib import Path
from typing import Final

from intent_lsp.doors.cli.agents.choice import person_needed
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.intents.import_file import import_file
from intent_lsp.doors.cli.intents.import_plans import import_plans
from intent_lsp.doors.cli.intents.plan_source import sources
from intent_lsp.doors.cli.open import governing
from intent_lsp.formats.plans.plan_kind import PlanKind
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.imports.plan_import import specifications
from intent_lsp.governance.imports.plan_sources import kind_of_file


def answer(call: Call) -> int | None:
    """Import a plan or the intents of another intents file, and print what was imported.

    Without a file, import all plans of other tools that the root has. Return 2 if intents of a plan
    are to be written and nobody can be asked, else 0 or None. Raise WrongUsageError if an agent
    runs the command without --dry-run.
    """
    options = call.options
    if not options.dry_run:
        person_needed("`intent-lsp intents import`")
    # As with git, paths are relative to -C.
    given = None if options.file is None else Path(options.root) / options.file
    kind = None if options.kind is None else PlanKind(options.kind)
    if (
        given is not None
        and not given.is_dir()
        and PlanKind.INTENTS is (kind or kind_of_file(given.name))
    ):
        import_file(call, given)
        return None
    with Governance(call.root()) as governance:
        governing(governance)
        known = specifications(governance)
        return import_plans(call, governance, sources(governance.root, given, kind, known))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a file, or a directory of plans (default: the plans that the root has)",
    )
    parser.add_argument(
        "--from",
        dest="kind",
        metavar="KIND",
        choices=[kind.value for kind in PlanKind],
        help=f"what FILE is: {', '.join(kind.value for kind in PlanKind)} (default: as it looks)",
    )
    parser.add_argument("--open", action="store_true", help="leave out the work that is closed")
    parser.add_argument("--yes", action="store_true", help="write without asking")
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be written, and write nothing"
    )


COMMAND: Final = Command(
    examples=(
        "intent-lsp intents import",
        "intent-lsp intents import specs/001-photo-albums --dry-run",
        "intent-lsp intents import jira.csv --open --yes",
        "intent-lsp intents import ../old/.orchestration/active_intents.yaml",
    ),
    json="write {added, skipped, leftOut} as JSON; of a plan also {written, changed, intents,"
    " problems, diff}",
    arguments=_arguments,
    answer=answer,
)
