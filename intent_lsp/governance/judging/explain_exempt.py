"""A save that the gate's rows for everybody are not asked about, told as a row.

Specified in requirements section 6.
"""

from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.explain import ExplainedRow, RowOutcome
from intent_lsp.core.gate.file_class import Standing
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import WorkspacePath

_NOT_ASKED: Final = {
    Standing.EXEMPT: "{path} governs the work: people may always change it.",
    Standing.SERVER_ONLY: "{path} is written only by the server: a save of it is recorded FAIL.",
    Standing.UNSEEN: "{path} is git's, or ignored by it: nobody judges a save of it.",
}


def unasked_row(
    path: WorkspacePath, standing: Standing, denied: Denied | None
) -> ExplainedRow | None:
    """Tell the one row that decides, where no other is asked; None: they are.

    `denied` is why an agent may not save it, if that is so.
    """
    if denied is not None and denied.code is GateCode.PATH_DENIED:
        fact = denied.message
        return ExplainedRow(number=6, code=denied.code, fact=fact, outcome=RowOutcome.FAIL)
    if standing is Standing.JUDGED:
        return None
    fact = _NOT_ASKED[standing].format(path=path)
    return ExplainedRow(number=2, code=None, fact=fact, outcome=RowOutcome.PASS)
