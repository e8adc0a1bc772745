"""The decision on an editor's save as JSON (protocol section 2)."""

from intent_lsp.core.records import ScopeValidation
from intent_lsp.formats.result_json import decision_json
from intent_lsp.governance.judging.save_judge import Judgement


def judgement_json(judgement: Judgement, uri: str) -> dict[str, object]:
    """Return the protocol's `Decision` object for a judged save of the file at `uri`."""
    verdict, intent = judgement.verdict, judgement.intent
    return decision_json(
        judgement.decision,
        verdict=ScopeValidation.EXEMPT if verdict is None else verdict,
        intent_id=None if intent is None else intent.id,
        files=[{"path": judgement.path, "uri": uri, "preHash": None}],
    )
