"""The command `intents fix`: applies every safe fix to the intents file."""

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.agents.choice import person_needed
from intent_lsp.doors.cli.command import Call, command, flag
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.open import governing
from intent_lsp.formats.diff import edit_lines
from intent_lsp.formats.intents.edit import EditRefused
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.file_fixes import apply_fixes, proposed_fixes


@command(
    flag("--check", "write nothing; exit with 1 if there is a fix to make, for CI"),
    examples=("intent-lsp intents fix", "intent-lsp intents fix --check"),
    json="write {fixes, written, diff} as JSON",
)
def intents_fix(call: Call) -> int:
    """Apply the fixes, or with --check print them only; return 1 if --check finds one.

    Bring the intents file into its normal form: keys get their usual names, globs and dates
    are quoted, and mappings become lists. Comments, values and what the file means stay as
    they are; what would change the meaning is left to you. Print what changes, as a diff.

    Raise WrongUsageError if an agent runs the command without --check, or if the file cannot be
    fixed.
    """
    check = bool(call.options.check)
    if not check:
        person_needed("`intent-lsp intents fix`")
    with Governance(call.root()) as governance:
        governing(governance)
        root, writer = governance.root, governance.writer
        fixed = proposed_fixes(root) if check else apply_fixes(root, writer)
    if isinstance(fixed, EditRefused):
        problem = f"{INTENTS_FILE} was not fixed: {fixed.reason}"
        raise WrongUsageError(problem, cure="fix that and run the command again")
    lines = edit_lines(INTENTS_FILE, fixed.before, fixed.after)
    diff = list(lines) if fixed.count else []
    if call.options.json:
        told = {"fixes": fixed.count, "written": bool(fixed.count) and not check}
        call.page.json(told | {"diff": "".join(f"{line}\n" for line in diff)})
    else:
        for line in (*diff, _summary(fixed.count, check=check)):
            call.page.line(line)
    return Exit.VIOLATIONS if check and fixed.count else Exit.FINE


def _summary(count: int, *, check: bool) -> str:
    fixes = "1 fix" if count == 1 else f"{count} fixes"
    if not count:
        return f"no safe fix was found for {INTENTS_FILE}"
    return f"{fixes} {'to make' if check else 'made'} in {INTENTS_FILE}"
