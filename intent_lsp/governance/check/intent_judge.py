"""Judging a path of a change by the gate: under the intents of the change, with their grants.

Specified in requirements section 14.

Invariant: the gate decides. One intent and one version of the rules that allow an edit are enough,
except for what no agent may change.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.approvals import Grant
from intent_lsp.core.gate.gate import judge_call, judge_save
from intent_lsp.core.gate.request import (
    Allowed,
    CallFacts,
    Denied,
    FileFact,
    GateRequest,
)
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import Scope
from intent_lsp.governance.check.change_rules import ChangeRules
from intent_lsp.governance.root.rules import Rules
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

COMMIT_TOOL: Final = "git/commit"
"""The tool name of a change in git, for the gate's messages."""

_GRANTS_READ: Final = 1000
_KEPT: Final = 4096


class PastGrants:
    """The scope that people have granted to the intents of one ledger, with its times.

    Of each intent, the newest 1000 grants count. The methods raise LedgerUnavailableError.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._of = lru_cache(maxsize=_KEPT)(self._read)

    def live(self, names: Sequence[str], moment: str) -> tuple[str, ...]:
        """Return the globs that were granted for a time, if `moment` is within that time.

        `names` are the id and the earlier ids of an intent, `moment` is an RFC 3339 time.
        """
        return tuple(
            pattern
            for since, grant in self._of(tuple(names))
            if grant.expires_at is not None and since <= moment < grant.expires_at
            for pattern in grant.patterns
        )

    def lasting(self, names: Sequence[str]) -> frozenset[str]:
        """Return the globs that were granted for good to the intent with the ids `names`."""
        grants = (grant for _, grant in self._of(tuple(names)) if grant.expires_at is None)
        return frozenset(pattern for grant in grants for pattern in grant.patterns)

    def _read(self, names: tuple[str, ...]) -> tuple[tuple[str, Grant], ...]:
        page = self._index.query(Query(intent_ids=names, grants=True), limit=_GRANTS_READ)
        return tuple((each.timestamp, each.grant) for each in page.records if each.grant)


class IntentJudge:
    """Asks the gate about the paths of one change."""

    def __init__(self, rules: ChangeRules, grants: PastGrants) -> None:
        self._rules, self._grants = rules, grants
        self._decided = lru_cache(maxsize=_KEPT)(self._decide)

    def denied(self, path: WorkspacePath, intents: tuple[str, ...], moment: str) -> Denied | None:
        """Return why the gate refuses an edit of a path, or None if it allows it.

        One of `intents`, under one version of the rules, that allows it is enough; if none does,
        return the first refusal. `moment` is when the edit happened, as an RFC 3339 time. Without
        `intents`, no intent is active. Raise LedgerUnavailableError.
        """
        first: Denied | None = None
        for number, rules in enumerate(self._rules.versions):
            for named in intents or (None,):
                intent = rules.active(named)
                names = () if intent is None else rules.file.intents.names(intent)
                globs = self._grants.live(names, moment) if names else ()
                denied = self._decided(number, path, named, globs)
                if denied is None:
                    return None
                first = first or denied
        return first

    def denied_to_agents(self, path: WorkspacePath) -> Denied | None:
        """Return the refusal of an agent's change of a path, or None if it is not denied to agents.

        The intent does not matter here: only what no agent may change is refused, by the first
        version of the change's rules.
        """
        rules = self._rules.versions[0]
        found = rules.denied(path)
        if found is None:
            return None
        question = _request(rules, path, None, rules.scope_of(None))
        call = CallFacts(
            require_checkout=False, policy_version=rules.policy.version, denied_paths=(found,)
        )
        decision = judge_call(question, call)
        return decision if isinstance(decision, Denied) else None

    def _decide(
        self, number: int, path: WorkspacePath, named: str | None, granted: tuple[str, ...]
    ) -> Denied | None:
        """Judge a path by the version of the rules with this number, under one intent."""
        rules = self._rules.versions[number]
        scope = rules.scope_of(rules.active(named), granted)
        decision = judge_save(_request(rules, path, named, scope))
        return None if isinstance(decision, Allowed) else decision


def _request(rules: Rules, path: WorkspacePath, intent_id: str | None, scope: Scope) -> GateRequest:
    file = FileFact(path=path, generated=rules.generated.covers(path))
    return replace(rules.question((file,), intent_id, scope), tool_name=COMMIT_TOOL)
