"""The rules that a change in git is judged by, and the gate's judgement of its paths under them.

Specified in requirements section 14.

Invariant: the rules are those of the change, of the commit before, and of the head. An intent's
edit is allowed if any of these allows it, so that a person can widen a scope afterwards, and may
close an intent together with its last edit.
Invariant: a commit from before governance is not judged if the head of its range is governed.
Invariant: the gate decides. One intent and one version of the rules that allow an edit are enough,
except for what no agent may change.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.approvals import Grant
from intent_lsp.core.check.commit import CommitFacts
from intent_lsp.core.gate.gate import judge_call, judge_save
from intent_lsp.core.gate.request import Allowed, CallFacts, Denied, FileFact, GateRequest
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.core.scope.scope import Scope
from intent_lsp.governance.root.rules import FileState, Rules, rules_from
from intent_lsp.store.git.file_changes import index_deltas
from intent_lsp.store.git.objects import Version
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

COMMIT_TOOL: Final = "git/commit"
"""The tool name of a change in git, for the gate's messages."""

_FILES: Final = (INTENTS_FILE, POLICY_FILE, IGNORE_FILE)
_RULES_KEPT: Final = 64
_GRANTS_READ: Final = 1000
_KEPT: Final = 4096


class ChangeRules(Struct, frozen=True):
    """The versions of the rules that a change is judged by.

    They are the change's own first, then those of the commits before it, then those of the head of
    the range. A version that does not govern is left out. `problem` is what is wrong with the
    change's own intents file, or None. If `versions` is empty and `problem` None, the change is
    from before governance.
    """

    versions: tuple[Rules, ...]
    problem: str | None = None

    @property
    def known_ids(self) -> frozenset[str]:
        """The ids and earlier ids of all intents."""
        return frozenset(name for rules in self.versions for name in rules.file.intents.by_id)


class CommittedRules:
    """The rules in the commits and the index of one repository.

    `on_disk` are the rules in the work tree. They judge the changes of the work tree, together with
    the rules in HEAD. They judge a commit only if neither the commit, nor a parent, nor the last
    commit of the checked range has an intents file. They judge the index only if neither the index
    nor HEAD has one.
    """

    def __init__(self, git: Git, on_disk: Rules) -> None:
        self._git, self._on_disk = git, on_disk
        self._of_commit = lru_cache(maxsize=_RULES_KEPT)(self._read_commit)
        self._of_blobs = lru_cache(maxsize=_RULES_KEPT)(self._read_blobs)

    def of_commit(self, commit: CommitFacts, head: str) -> ChangeRules:
        """Return the rules for a commit of a range that ends with the commit `head`.

        They are those of the commit itself, of its parents, and of `head`; none if only `head` has
        an intents file. An edit needs only one of them to allow it.
        """
        last = self._of_commit(head)
        parents = [self._of_commit(each) for each in commit.parents]
        return self._joined([self._of_commit(commit.id), *parents], last)

    def of_index(self) -> ChangeRules:
        """Return the rules for what the index adds to HEAD: those in the index and in HEAD.

        Raise UnreadableCommitsError.
        """
        return self._not_committed(self._in_index(self._git.head_commit()))

    def of_work_tree(self) -> ChangeRules:
        """Return the rules for what the work tree adds to HEAD: those on disk and in HEAD.

        An edit needs only one of them to allow it.
        """
        return self._not_committed(self._on_disk)

    def uncommitted(self, head: str) -> bool:
        """Whether the intents file on disk is valid, and the commit `head` has no intents file."""
        return self._of_commit(head).state is FileState.MISSING and self._on_disk.governed

    def _not_committed(self, rules: Rules) -> ChangeRules:
        head = self._git.head_commit()
        return self._joined([rules, *([] if head is None else [self._of_commit(head)])], rules)

    def _joined(self, own: list[Rules], last: Rules) -> ChangeRules:
        """Return the rules of a change: `own` in it and before it, `last` at the end of its range.

        If no intents file is in `own`, there are no rules. But if `last` has none either, the
        rules on disk are used.
        """
        if all(rules.state is FileState.MISSING for rules in (*own, last)):
            own = [self._on_disk]
        if all(rules.state is FileState.MISSING for rules in own):
            return ChangeRules(())
        # Commits with the same files share one object.
        versions = {id(rules): rules for rules in (*own, last)}
        governing = tuple(rules for rules in versions.values() if rules.governed)
        broken = own[0].state is FileState.BROKEN or not governing
        return ChangeRules(governing, own[0].reason if broken else None)

    def _read_commit(self, commit: str) -> Rules:
        found = self._git.versions_at(commit, _FILES) or {}
        return self._of_blobs(tuple(found.get(path) for path in _FILES))

    def _in_index(self, head: str | None) -> Rules:
        found = {} if head is None else dict(self._git.versions_at(head, _FILES) or {})
        for delta in index_deltas(self._git):
            if delta.old is not None:
                found.pop(delta.old.path, None)
            if delta.new is not None and delta.new.path in _FILES:
                found[delta.new.path] = self._git.version_of(delta.new.path, delta.new.blob_id)
        return self._of_blobs(tuple(found.get(path) for path in _FILES))

    def _read_blobs(self, versions: tuple[Version | None, ...]) -> Rules:
        read = [None if each is None else self._git.version_bytes(each) for each in versions]
        intents, policy, ignored = read
        return rules_from(intents, policy, ignored, spelling=self._on_disk.spelling)


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

        Only what no agent may change is refused, whatever the intent. Only the first of
        `ChangeRules.versions` is asked.
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
        """Judge a path by the version of the rules with this number, under one intent.

        `named` is the intent's id, or None for no intent. `granted` are globs granted to it.
        """
        rules = self._rules.versions[number]
        scope = rules.scope_of(rules.active(named), granted)
        decision = judge_save(_request(rules, path, named, scope))
        return None if isinstance(decision, Allowed) else decision


def _request(rules: Rules, path: WorkspacePath, intent_id: str | None, scope: Scope) -> GateRequest:
    file = FileFact(path=path, generated=rules.generated.covers(path))
    return replace(rules.question((file,), intent_id, scope), tool_name=COMMIT_TOOL)
