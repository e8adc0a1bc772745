"""A check: what is judged, commit by commit, and the ledger with it.

Specified in requirements section 14.

Invariant: nothing is written but the index of the ledger. Nothing is fetched, and no hook is run.
Invariant: an unreadable commit, file on disk or ledger is an error, and never a report that passes.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.check.report import (
    CheckedPart,
    CheckFinding,
    CheckReport,
    FindingLevel,
    LineRun,
)
from intent_lsp.core.content import FileContent, content_of
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Verification
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import counted
from intent_lsp.governance.check.change import CheckWishes, GitChange
from intent_lsp.governance.check.change_judge import ChangeJudge
from intent_lsp.governance.check.diffed_files import (
    DiffedFile,
    commit_files,
    index_files,
    work_tree_files,
)
from intent_lsp.governance.check.finding_list import FindingList
from intent_lsp.governance.check.intent_judge import CommittedRules, PastGrants
from intent_lsp.governance.check.origins import HunkOrigins
from intent_lsp.governance.ledger.reader import LedgerReader
from intent_lsp.governance.root.rules import Rules
from intent_lsp.store import clock
from intent_lsp.store.fs.root_search import is_git_top
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.git.commits import CommitRange, commit_range, head_branch
from intent_lsp.store.git.file_changes import unmerged_paths
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.trees import GitTrees
from intent_lsp.store.ledger.git_versions import LedgerVersions

HEAD: Final = "HEAD"

_LEVELS: Final = {Severity.ERROR: FindingLevel.ERROR, Severity.WARNING: FindingLevel.WARNING}
_HEADS_KEPT: Final = 64

Progress = Callable[[int, int], None]


class NoRepositoryError(IntentLspError):
    """A root that is in no git repository which can be read, so that nothing can be compared."""

    def __init__(self, root: Path) -> None:
        self.root = root
        top = next((each for each in (root, *root.parents) if is_git_top(each)), None)
        if top is None:
            super().__init__(f"{root} is in no git repository")
            self.cure = "run `git init` there, or check a clone"
        else:
            super().__init__(f"the git repository at {top} cannot be opened")
            self.cure = (
                "see what `git status` says there; if another user owns it, run"
                f" `git config --global --add safe.directory {shlex.quote(str(top))}`"
            )


class UnmergedIndexError(IntentLspError):
    """An index with files in conflict, which is no state that could be committed."""

    cure = "resolve the conflicts and `git add` the files"


class CheckTarget(Struct, frozen=True, kw_only=True):
    """What to check. `base` and `head` are revisions; they are for a range only."""

    part: CheckedPart
    base: str = ""
    head: str = HEAD


class RootCheck:
    """One check of one root. `trace` reads its ledger, `rules` are those in the work tree.

    Making one raises NoRepositoryError if the root is in no git repository that can be opened.
    """

    def __init__(self, trace: LedgerReader, rules: Rules, wishes: CheckWishes) -> None:
        root = trace.ledger.root
        git = Git.open(root)
        if git is None:
            raise NoRepositoryError(root)
        self._root, self._git, self._trace, self._rules = root, git, trace, rules
        self._wishes = wishes
        self._committed = CommittedRules(git, rules)
        self._nested = RootsBelow(root)
        self._elsewhere: set[WorkspacePath] = set()

    def run(self, target: CheckTarget, progress: Progress) -> CheckReport:
        """Check the target and return the report.

        `progress` is called after each change with the number of changes judged and of all. Raise
        UnmergedIndexError, LedgerUnavailableError, OSError for an unreadable file, or the errors of
        `store.git.commits` for commits that are unknown, missing in a shallow clone, or unreadable.
        """
        commits = None
        if target.part is CheckedPart.RANGE:
            commits = commit_range(self._git, target.base, target.head)
        read_head = None if commits is None else self._in_head(commits.head)
        found = FindingList(self._git.full_path, read_head)
        judge = ChangeJudge(
            origins=HunkOrigins(self._root, self._trace.ledger.index),
            grants=PastGrants(self._trace.ledger.index),
            wishes=replace(self._wishes, branch=self._branch(target)),
            found=found,
        )
        count = 1 if commits is None else len(commits.commits)
        judged = []
        for number, change in enumerate(self._changes(target.part, commits), 1):
            judged.append(judge.judge(change))
            progress(number, count)
        verification = self._trace.verify(tuple(self._anchors(commits)))
        self._add_ledger(found, verification)
        return CheckReport(
            part=target.part,
            base=None if commits is None else commits.base,
            head=self._git.head_commit() if commits is None else commits.head,
            changes=tuple(judged),
            findings=found.finished(),
            records=verification.records,
            remarks=tuple(self._remarks(commits)),
        )

    def _changes(self, part: CheckedPart, commits: CommitRange | None) -> Iterator[GitChange]:
        now = clock.now()
        if commits is not None:
            for commit in commits.commits:
                files = self._own(commit_files(self._git, commit))
                rules = self._committed.of_commit(commit, commits.head)
                yield GitChange(commit=commit, files=files, rules=rules, now=now)
            return
        if part is CheckedPart.INDEX:
            unmerged = unmerged_paths(self._git)
            if unmerged:
                conflicts = counted(len(unmerged), "file")
                raise UnmergedIndexError(f"the index has {conflicts} in conflict")
            files, rules = self._own(index_files(self._git)), self._committed.of_index()
        else:
            files, rules = self._own(work_tree_files(self._git)), self._committed.of_work_tree()
        yield GitChange(commit=None, files=files, rules=rules, now=now)

    def _own(self, files: Iterable[DiffedFile]) -> list[DiffedFile]:
        """Return the files that no root nested in this one governs; remember the others."""
        own = []
        for file in files:
            if self._nested.hold(file.path):
                self._elsewhere.add(file.path)
            else:
                own.append(file)
        return own

    def _branch(self, target: CheckTarget) -> str | None:
        if self._wishes.branch is not None:
            return self._wishes.branch
        return head_branch(self._git) if target.head == HEAD else target.head

    def _anchors(self, commits: CommitRange | None) -> Iterator[Anchor]:
        """Yield the ledger's heads in the commit that starts a range, if HEAD descends from it."""
        start, head = None if commits is None else commits.start, self._git.head_commit()
        if start is None or head is None or not GitTrees(self._git).leads_to((head,), start):
            return
        for hash_ in LedgerVersions(self._root).heads_at(start):
            yield Anchor(hash=hash_, kind=AnchorKind.EARLIER_COMMIT, name=start)

    def _add_ledger(self, found: FindingList, verification: Verification) -> None:
        for problem in verification.problems:
            level = _LEVELS.get(problem.severity)
            if level is not None:
                path = WorkspacePath(problem.file)
                lines = LineRun(problem.line, problem.line) if problem.line else None
                found.add_other(
                    CheckFinding(
                        code=problem.code.value,
                        level=level,
                        message=problem.message,
                        path=path,
                        shown_path=self._git.full_path(path),
                        lines=lines,
                        head_lines=lines,
                        of_ledger=True,
                    )
                )

    def _in_head(self, head: str) -> Callable[[WorkspacePath], FileContent]:
        @lru_cache(maxsize=_HEADS_KEPT)
        def read(path: WorkspacePath) -> FileContent:
            version = self._git.version_at(head, path)
            return content_of(None if version is None else self._git.version_bytes(version))

        return read

    def _remarks(self, commits: CommitRange | None) -> Iterator[str]:
        if self._elsewhere:
            files = counted(len(self._elsewhere), "file")
            yield f"left out: {files} in governed roots below this one; check each root with -C"
        if commits is None:
            return
        if self._committed.uncommitted(commits.head):
            yield "the intents file is not committed, so commits were judged by the one on disk"
        if commits.head != self._git.head_commit():
            yield (
                f"the ledger is that of the work tree, and may lack records of {commits.head};"
                f" run `git checkout {commits.head}` to have them"
            )
