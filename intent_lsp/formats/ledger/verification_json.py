"""Encodes the result of a verification as JSON, the same for every door (protocol section 2)."""

from intent_lsp.core.ledger.verification import Verification


def verification_json(found: Verification) -> dict[str, object]:
    """Return the result of `intent/verify` and of `trace verify --json`."""
    return {
        "ok": found.ok,
        "records": found.records,
        "segments": found.segments,
        "heads": [head.hash for head in found.heads],
        "problems": [
            {
                "code": problem.code.value,
                "severity": problem.severity.name.lower(),
                "file": problem.file,
                "line": problem.line,
                "message": problem.message,
            }
            for problem in found.problems
        ],
        "anchors": [
            {
                "kind": anchor.kind.value,
                "name": anchor.name,
                "hash": anchor.hash,
                "records": anchor.records,
            }
            for anchor in found.anchors
        ],
        "proved": found.proved,
        "conditional": found.conditional,
    }
