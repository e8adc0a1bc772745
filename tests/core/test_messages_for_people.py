"""Refusals in a person's words."""

import pytest

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.gate.words import for_people
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.paths import WorkspacePath

LOGIN = Intent(id=IntentId("INT-001"), name="Login {x}")
PATHS = tuple(WorkspacePath(f"src/{name}.py") for name in "abcde")


def said(code: GateCode, count: int = 1, intent: Intent | None = LOGIN) -> str:
    details = {"intent_id": "INT-001", "status": "COMPLETED"}
    denied = Denied(code=code, message="exact", details=details, paths=PATHS[:count])
    return for_people(denied, intent)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (GateCode.NO_ACTIVE_INTENT, "No intent is selected."),
        (
            GateCode.INTENT_NOT_FOUND,
            "The selected intent INT-001 is not in .orchestration/active_intents.yaml.",
        ),
        (
            GateCode.INTENT_CLOSED,
            "INT-001 (Login {x}) is COMPLETED: no more files may be edited for it.",
        ),
        (
            GateCode.INTENT_IGNORED,
            "INT-001 (Login {x}) is ignored: a line of .intentignore matches it.",
        ),
        (GateCode.SCOPE_VIOLATION, "a.py is outside the scope of INT-001 (Login {x})."),
        (
            GateCode.OUTSIDE_WORKSPACE,
            "a.py is outside this workspace, through a symbolic link.",
        ),
        (GateCode.STALE_FILE, "a.py has changed on disk since your editor read it."),
        (GateCode.TOOL_BLOCKED, "exact"),
    ],
)
def test_each_refusal_is_one_sentence(code: GateCode, words: str) -> None:
    assert said(code) == words


def test_many_files_are_counted_and_an_intent_without_a_name_is_its_id() -> None:
    assert (
        said(GateCode.SCOPE_VIOLATION, 5, None)
        == "a.py, b.py, c.py and 2 more are outside the scope of INT-001."
    )
    stale = "a.py, b.py have changed on disk since your editor read them."
    assert said(GateCode.STALE_FILE, 2) == stale
    nameless = Intent(id=IntentId("INT-009"))
    assert said(GateCode.SCOPE_VIOLATION, 1, nameless) == "a.py is outside the scope of INT-009."
