"""Reads the commits of a range, and detects if a shallow clone lacks some of them.

Invariant: nothing is written or fetched. A range that is not complete raises, and is never cut.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct

from intent_lsp.core.check.commit import CommitFacts
from intent_lsp.core.errors import IntentLspError
from intent_lsp.store.git.gitdir import shallow_commits
from intent_lsp.store.git.repository import Git

_ALL_ZERO: Final = "0"
_PARENTS_FIRST: Final = 1 | 4
"""libgit2's GIT_SORT_TOPOLOGICAL and GIT_SORT_REVERSE."""

_DEEPEN: Final = "`git fetch --unshallow` (fetch-depth: 0 at GitHub, GIT_DEPTH: 0 at GitLab)"


class UnknownRevisionError(IntentLspError):
    """A revision that the repository lacks. `shallow`: the repository is a shallow clone."""

    def __init__(self, revision: str, *, shallow: bool) -> None:
        super().__init__(f"there is no commit {revision} in this repository")
        self.revision = revision
        if revision and not revision.strip(_ALL_ZERO):
            self.cure = "a new branch has no earlier commit; give the branch that it was made from"
        elif shallow:
            self.cure = f"this clone is shallow: fetch the history with {_DEEPEN}"
        else:
            self.cure = "fetch the commit with `git fetch origin BRANCH`, or give another revision"


class ShallowRangeError(IntentLspError):
    """A range of which a shallow clone may not have every commit."""

    def __init__(self, base: str, head: str) -> None:
        super().__init__(f"this clone is shallow and may lack commits between {base} and {head}")
        self.cure = f"fetch the history with {_DEEPEN}"


class UnreadableCommitsError(IntentLspError):
    """Commits or files of commits that git cannot read, as in a damaged or partial clone."""

    def __init__(self, objects: str) -> None:
        super().__init__(f"git cannot read {objects}")
        self.cure = "in a partial clone run `git fetch --refetch --no-filter`, else `git fsck`"


class CommitRange(Struct, frozen=True, kw_only=True):
    """The commits reachable from `head` and not from `base`, each after its parents.

    `base` and `head` are commit ids. `start` is git's merge base of the two, or None if their
    histories have no commit in common.
    """

    base: str
    head: str
    start: str | None
    commits: Sequence[CommitFacts]


def commit_range(git: Git, base: str, head: str) -> CommitRange:
    """Return the commits of the range `base`..`head`, two revisions such as a branch or `HEAD~1`.

    Raise UnknownRevisionError if either is no commit here, ShallowRangeError if a shallow clone may
    lack commits of the range, or UnreadableCommitsError.
    """
    tips = (resolve(git, base), resolve(git, head))
    shallow = shallow_commits(git.common_dir)
    found = git.ask(None, partial(_range, base=tips[0], head=tips[1]))
    if found is None:
        if shallow:
            raise ShallowRangeError(base, head)
        raise UnreadableCommitsError(f"the commits between {base} and {head}")
    if shallow and _is_cut(found, shallow):
        raise ShallowRangeError(base, head)
    return found


def resolve(git: Git, revision: str) -> str:
    """Return the id of the commit that a revision, such as a branch or `HEAD~1`, names.

    Raise UnknownRevisionError if it names none or git cannot be read.
    """
    found = git.ask(None, partial(_commit_id, revision=revision))
    if found is None:
        raise UnknownRevisionError(revision, shallow=bool(shallow_commits(git.common_dir)))
    return found


def head_branch(git: Git) -> str | None:
    """Return the name of the branch that is checked out, even if it has no commit yet.

    Return None if HEAD is detached, names a ref outside `refs/heads/`, or cannot be read.
    """
    return git.ask(None, _branch)


def _commit_id(repository: Any, *, revision: str) -> str:
    return str(repository.revparse_single(f"{revision}^{{commit}}").id)


def _branch(repository: Any) -> str | None:
    # An unborn branch has a name, too.
    target = repository.lookup_reference("HEAD").raw_target
    name = target.decode("utf-8", "replace") if isinstance(target, bytes) else ""
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else None


def _range(repository: Any, *, base: str, head: str) -> CommitRange:
    walk = repository.walk(None, _PARENTS_FIRST)
    walk.push(head)
    walk.hide(base)
    start = repository.merge_base(base, head)
    return CommitRange(
        base=base,
        head=head,
        start=None if start is None else str(start),
        commits=[facts(commit) for commit in walk],
    )


def facts(commit: Any) -> CommitFacts:
    """Return the id, parents, message, people and time of a commit of libgit2, for a check."""
    return CommitFacts(
        id=str(commit.id),
        parents=tuple(map(str, commit.parent_ids)),
        message=bytes(commit.raw_message).decode("utf-8", "replace"),
        author=_signed(commit.author),
        committer=_signed(commit.committer),
        time=int(commit.commit_time),
    )


def _signed(signature: Any) -> str:
    name, address = (
        bytes(part).decode("utf-8", "replace") for part in (signature.raw_name, signature.raw_email)
    )
    return f"{name} <{address}>"


def _is_cut(found: CommitRange, shallow: frozenset[str]) -> bool:
    """Return whether a range in a shallow clone may be wrong.

    It may lack commits, or contain commits that belong to the base's history.
    """
    if found.start is None or any(each.id in shallow for each in found.commits):
        return True
    if found.base not in shallow:
        return False
    # What the base's history holds is unknown beyond the base itself.
    return found.start != found.base or any(not each.parents for each in found.commits)
