"""A decision of the gate as labelled cells: the decision, its reason and its consequence."""

from collections.abc import Iterator
from typing import Final, assert_never

from intent_lsp.core.codes import GateCode, ShownCode
from intent_lsp.core.control_plane import FileClass
from intent_lsp.core.gate.request import Allowed, Ask, Denied, SaveDecision
from intent_lsp.core.gate.words import for_people
from intent_lsp.core.policy import Enforcement
from intent_lsp.doors.cli.terminal.table import Cell, LabelledCell
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.judging.save_judge import Judgement

_GOES_THROUGH: Final = {
    Enforcement.OBSERVE: "the file would be saved without a warning, and recorded as FAIL",
    Enforcement.WARN: "the file would be saved, shown as a problem, and recorded as FAIL",
    Enforcement.BLOCK: "the save would be refused, and its text kept as a draft",
}


def of_save(judgement: Judgement) -> Iterator[LabelledCell]:
    """Yield the labelled cells that describe the gate's decision on a person's save."""
    match judgement.standing:
        case FileClass.IGNORED:
            yield _decision("allowed: ignored by git or git's own, neither checked nor recorded")
        case FileClass.EXEMPT:
            yield _decision("allowed: a save of this file is not checked, and recorded as EXEMPT")
        case FileClass.SERVER_ONLY:
            yield _decision("allowed: it would be shown as a problem, and recorded as FAIL")
            yield _way_out(ShownCode.CONTROL_PLANE_EDIT)
        case FileClass.GOVERNED:
            intent = judgement.intent
            denied = judgement.denied
            said = None if denied is None else for_people(denied, intent)
            yield from _judged(judgement.decision, None if intent is None else intent.id, said)
            if judgement.owners:
                yield "would pass", Cell(f"under {', '.join(judgement.owners)}")
            if judgement.denied is not None:
                enforcement = judgement.rules.policy.enforcement
                told = f"{_GOES_THROUGH[enforcement]} (enforcement: {enforcement.value})"
                yield "its save", Cell(told)
        case _ as never:
            assert_never(never)


def of_call(admission: CallDecision) -> Iterator[LabelledCell]:
    """Yield the labelled cells that describe the gate's decision on an agent's tool call."""
    decision = admission.decision
    shown = decision.why if isinstance(decision, Ask) else decision
    yield from _judged(shown, admission.intent_id)


def _judged(
    decision: SaveDecision | None, intent_id: str | None, said: str | None = None
) -> Iterator[LabelledCell]:
    """Yield the labelled cells that describe a decision.

    `decision` is None if no rule is checked. `intent_id` is the intent under which the edit was
    judged. `said` is the reason of a refusal in words for a person; if it is None, the decision's
    own message is shown, which is written for agents.
    """
    match decision:
        case Denied():
            yield "decision", Cell(f"REFUSED: {decision.code.value}", "bold red")
            yield "why", Cell(said or decision.message)
            yield _way_out(decision.code)
        case Allowed():
            under = "" if intent_id is None else f" under {intent_id}"
            yield _decision(f"allowed{under} ({decision.verdict.value})")
            for warning in decision.warnings:
                yield "warning", Cell(warning, "yellow")
        case None:
            yield _decision("allowed: no rule is checked")
        case _ as never:
            assert_never(never)


def _decision(told: str) -> LabelledCell:
    return "decision", Cell(told, "green")


def _way_out(code: GateCode | ShownCode) -> LabelledCell:
    return "way out", Cell(f"`intent-lsp explain --code {code.value}` explains it")
