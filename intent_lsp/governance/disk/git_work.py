"""Whether git is at work on a root, from one look to the next."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.agents.tree_snapshot import TreeSnapshot
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.git.activity import GitMoment, GitRest, git_moment

GIT_AWAITED_FOR: Final = timedelta(seconds=30)
"""How long a lock of git's that nothing moves under is taken for a git at work."""


@dataclass(slots=True, kw_only=True)
class GitWork:
    """Follows the git of one root; `moment` is what it had at the last look that counts.

    `passed_over`: a lock stands under which nothing moves.
    """

    stores: Stores
    moment: GitMoment | None = None
    passed_over: bool = False
    stuck: tuple[GitMoment, datetime] | None = None

    def goes_on(self, rest: GitRest, before: TreeSnapshot) -> bool:
        """Whether git is at work; a lock that stands, and nothing else moves, is passed over."""
        git = before.git
        if git is None or rest.lasted(git.index, git.log):
            self.stuck, self.passed_over = None, False
            return False
        now = self.stores.clock()
        if self.stuck is None or self.stuck[0] != rest.moment:
            self.stuck = (rest.moment, now)
        self.passed_over = now - self.stuck[1] >= GIT_AWAITED_FOR
        return not self.passed_over

    def has_moved(self) -> bool:
        """Whether git has moved since the last look, which another then has to follow."""
        git, moment = self.stores.git, self.moment
        if git is None or moment is None:
            return False
        return not self.passed_over and git_moment(git.git_dir) != moment
