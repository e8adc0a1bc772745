"""Whether a git command is running in a root, followed from one snapshot to the next."""

from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import TreeSnapshot
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.git.activity import GitMoment, GitRest, git_moment

GIT_AWAITED_FOR: Final = timedelta(seconds=30)
"""How long an unchanging git lock file counts as a running git command."""


class GitWork(Struct, kw_only=True):
    """Follows the git activity of one root. `moment` is git's state at the last complete snapshot.

    The others are as of the last call of `goes_on`. `stuck` is the state in which a git command
    seemed to run, and the time when it was noticed, or None. `passed_over`: the command is ignored,
    as this state has lasted for GIT_AWAITED_FOR.
    """

    stores: Stores
    moment: GitMoment | None = None
    passed_over: bool = False
    stuck: tuple[GitMoment, datetime] | None = None

    def goes_on(self, rest: GitRest, before: TreeSnapshot) -> bool:
        """Return whether a git command is running, according to git's state `rest`.

        `before` is the last complete snapshot. Return False too if git's state has not changed for
        GIT_AWAITED_FOR.
        """
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
        """Return whether git has done something since the last snapshot, so another is needed.

        False while a git command is `passed_over`.
        """
        git, moment = self.stores.git, self.moment
        if git is None or moment is None:
            return False
        return not self.passed_over and git_moment(git.git_dir) != moment
