"""An agent's save: what refuses it before the rows that hold for everybody.

Specified in requirements section 6, row 6.

Invariant: what people may always mend, and what only the server writes, no agent may save.
"""

from dataclasses import replace

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.gate.call_checks import path_denied
from intent_lsp.core.gate.file_class import Standing
from intent_lsp.core.gate.request import CallFacts, Denied, Question
from intent_lsp.governance.denied_paths import denied_path
from intent_lsp.governance.rules import Rules


def agents_standing(
    standing: Standing, question: Question, rules: Rules
) -> tuple[Standing, Denied | None]:
    """Tell how an agent's save is treated whose file has this standing for people.

    The second part is why it may not be saved, whatever its scope says; None: the rows decide.
    """
    found = tuple(each for path in question.paths for each in denied_path(rules, path))
    if not found:
        return (Standing.JUDGED if standing is Standing.EXEMPT else standing), None
    call = CallFacts(policy_version=rules.policy.version, denied_paths=found)
    # Of the control plane only what is saved is shown: others write there beside the agent.
    control = any(map(control_plane, question.paths))
    return (
        Standing.SERVER_ONLY if control else Standing.JUDGED,
        path_denied(replace(question, call=call)),
    )
