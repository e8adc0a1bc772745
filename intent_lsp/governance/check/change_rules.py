"""The rules that a change is judged by: those of its commit, of the commit before, and of the head.

Specified in requirements section 14.

Invariant: an intent's edit is allowed if any of these rules allows it, so that a person can widen a
scope afterwards, and may close an intent together with its last edit.
Invariant: a commit from before governance is not judged if the head of its range is governed.
"""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from intent_lsp.core.check.commit import CommitFacts
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, POLICY_FILE
from intent_lsp.governance.root.rules import FileState, Rules, rules_from
from intent_lsp.store.git.file_changes import index_deltas
from intent_lsp.store.git.objects import Version
from intent_lsp.store.git.repository import Git

_FILES: Final = (INTENTS_FILE, POLICY_FILE, IGNORE_FILE)
_KEPT: Final = 64


class ChangeRules(Struct, frozen=True):
    """The rules that a change is judged by, the change's own first; all of them govern.

    Its own are left out if they do not govern. `problem`, if not None, is what is wrong with its
    own intents file. If `versions` is empty and `problem` None, the change is from before
    governance.
    """

    versions: tuple[Rules, ...]
    problem: str | None = None

    @property
    def known_ids(self) -> frozenset[str]:
        """The ids and earlier ids of all intents."""
        return frozenset(name for rules in self.versions for name in rules.file.intents.by_id)


class CommittedRules:
    """The rules in the commits and the index of one repository.

    `on_disk` are the rules in the work tree. They also judge a change if no intents file is in it,
    before it, or in the head of its range.
    """

    def __init__(self, git: Git, on_disk: Rules) -> None:
        self._git, self._on_disk = git, on_disk
        self._of_commit = lru_cache(maxsize=_KEPT)(self._read_commit)
        self._of_blobs = lru_cache(maxsize=_KEPT)(self._read_blobs)

    def of_commit(self, commit: CommitFacts, head: str) -> ChangeRules:
        """Return the rules for a commit of a range that ends with the commit `head`.

        They are those of the commit itself, of its parents, and of `head`.
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
        """Return the rules for what the work tree adds to HEAD: those on disk and in HEAD."""
        return self._not_committed(self._on_disk)

    def uncommitted(self, head: str) -> bool:
        """Whether the intents file governs on disk, and the commit `head` has none."""
        return self._of_commit(head).state is FileState.MISSING and self._on_disk.governed

    def _not_committed(self, rules: Rules) -> ChangeRules:
        head = self._git.head_commit()
        return self._joined([rules, *([] if head is None else [self._of_commit(head)])], rules)

    def _joined(self, own: list[Rules], last: Rules) -> ChangeRules:
        """Return the rules of a change from those at it and before it (`own`), and at the end.

        If none of `own` has an intents file, there are no rules, unless `last` has none either:
        then the rules on disk are used.
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
