"""The part of `intents import` that proposes the intents of a plan, and writes them if agreed.

Invariant: nothing is written without --yes or the agreement of a person to whom it was shown.
"""

from collections.abc import Sequence

from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.open import accepted
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.diff import edit_lines
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.formats.plans.proposed_intent import PlanProblem, ProposedIntent
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.imports.plan_import import ImportedBefore, PlanProposal, propose
from intent_lsp.governance.imports.plan_sources import PlanSource, read_source

_SHOWN_AT_MOST = 20


def import_plans(call: Call, governance: Governance, sources: Sequence[PlanSource]) -> Exit:
    """Print the intents that plans propose, and write them with --yes or if the person agrees.

    With --dry-run, write nothing. Return WRONG_USAGE if there is something to write and nobody can
    be asked, because of --json or without a terminal. Return FINE in all other cases. Raise
    WrongUsageError if the plans have problems and propose no intent, if the person does not agree,
    while governance is off, or if the intents file cannot be edited.
    """
    proposed, problems = _read(sources)
    if problems and not proposed:
        first = problems[0]
        raise WrongUsageError(f"{first.place}: {first.problem}", cure=first.cure)
    open_only = call.options.open
    wanted = [it for it in proposed if not (open_only and it.status.closed)]
    made = accepted(propose(governance, wanted))
    _remark(call.page, problems)
    if not call.options.json:
        _show(call.page, made)
    written = _written(call, governance, made)
    if call.options.json:
        call.page.json(_told(made, problems, written=written))
    elif written:
        call.page.line(f"intents added to {INTENTS_FILE}: {len(made.added)}")
    if written or call.options.dry_run or not made.added:
        return Exit.FINE
    call.page.remark(
        "intent-lsp: nothing was written, as nobody can be asked here; --yes writes without asking"
    )
    return Exit.WRONG_USAGE


def _written(call: Call, governance: Governance, made: PlanProposal) -> bool:
    """Write a proposal with --yes or if the person agrees. Return whether it was written.

    Write nothing with --dry-run, if nothing is new, or if nobody can be asked. Raise
    WrongUsageError if the person says no, or if the file cannot be written.
    """
    if not made.added or call.options.dry_run or not _agreed(call, made):
        return False
    accepted(governance.planning.write_shown(made.text, made.changes))
    return True


def _remark(page: Output, problems: Sequence[PlanProblem]) -> None:
    for problem in problems[:_SHOWN_AT_MOST]:
        page.remark(f"intent-lsp: {problem}")
    if len(problems) > _SHOWN_AT_MOST:
        more = counted(len(problems) - _SHOWN_AT_MOST, "more problem")
        page.remark(f"intent-lsp: {more}; --json lists all")


def _read(
    sources: Sequence[PlanSource],
) -> tuple[tuple[ProposedIntent, ...], tuple[PlanProblem, ...]]:
    """Return what the plans propose, and all problems."""
    read = [read_source(source) for source in sources]
    proposed = tuple(each for plan in read for each in plan.proposed)
    return proposed, tuple(problem for plan in read for problem in plan.problems)


def _agreed(call: Call, made: PlanProposal) -> bool:
    """Return True with --yes, or if the person agrees. Raise WrongUsageError if the person says no.

    Return False if nobody is asked: with --json, or without a terminal.
    """
    if call.options.yes or call.options.json or not call.page.asks:
        return bool(call.options.yes)
    if not call.page.agreed(f"Add {counted(len(made.added), 'intent')} to {INTENTS_FILE}?"):
        why = "nothing was written, because the answer was no"
        raise WrongUsageError(why, cure="to add fewer intents, give the path of one plan")
    return True


def _show(page: Output, made: PlanProposal) -> None:
    if made.added:
        for line in edit_lines(INTENTS_FILE, made.before, made.after):
            page.line(line)
        page.line()
    changed = sum(bool(each.differences) for each in made.known)
    differing = f", {changed} of them different from the plan" if changed else ""
    page.line(f"new: {len(made.added)}, already here: {len(made.known)}{differing}")
    for intent in made.added:
        _show_added(page, made, intent)
    for each in made.known:
        _show_known(page, each)
    for specification, why in made.refused.items():
        page.line(f"  {specification} skipped: {why}")


def _show_added(page: Output, made: PlanProposal, intent: Intent) -> None:
    page.line(f"  {intent.id} {intent.name} ({intent.status.value}), {made.documents[intent.id]}")
    unused, scope = made.unused.get(intent.id, ()), intent.owned_scope
    for path in unused:
        page.line(f"    not taken into its scope: {path}")
    if unused or intent.status.closed:
        return
    if not scope:
        page.line("    owns nothing yet, as no path for it was found in the plan")
    elif all(glob.startswith(f"{intent.specification}/") for glob in scope):
        scope_so_far = ", ".join(scope)
        page.line(f"    owns only {scope_so_far} yet, as no path of the code was found in the plan")


def _show_known(page: Output, known: ImportedBefore) -> None:
    said = ", and differs:" if known.differences else ""
    page.line(f"  {known.intent_id} is here already, for {known.specification}{said}")
    for each in known.differences:
        page.line(f"    {each.key} here: {each.here or 'none'}")
        page.line(f"    {each.key} in the plan: {each.there or 'none'}")


def _told(
    made: PlanProposal, problems: Sequence[PlanProblem], *, written: bool
) -> dict[str, object]:
    here = [(it.intent_id, f"{it.specification} is here already") for it in made.known]
    return {
        "written": written,
        "added": [intent.id for intent in made.added],
        "skipped": [{"id": name, "reason": why} for name, why in (*here, *made.refused.items())],
        "leftOut": [{"id": name, "paths": list(paths)} for name, paths in made.unused.items()],
        "changed": [_changed(it) for it in made.known if it.differences],
        "intents": [
            {**intent_json(intent), "document": made.documents[intent.id]} for intent in made.added
        ],
        "problems": [
            {"document": it.document, "line": it.line, "problem": it.problem, "cure": it.cure}
            for it in problems
        ],
        "diff": "\n".join(edit_lines(INTENTS_FILE, made.before, made.after)) + "\n",
    }


def _changed(known: ImportedBefore) -> dict[str, object]:
    differences = (
        {"key": each.key, "here": each.here, "there": each.there} for each in known.differences
    )
    return {"id": known.intent_id, "differences": list(differences)}
