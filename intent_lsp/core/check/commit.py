"""A commit as a check needs it: its parents, its message, and the people that it names.

Invariant: names and messages are text, whatever bytes git holds.
"""

from msgspec import Struct


class CommitFacts(Struct, frozen=True, kw_only=True):
    """A commit. `author` and `committer` are `Name <address>`, `time` is in seconds since 1970."""

    id: str
    parents: tuple[str, ...]
    message: str
    author: str
    committer: str
    time: int

    @property
    def subject(self) -> str:
        """The first line of the message that is not blank, without outer white space, or ""."""
        return next((line.strip() for line in self.message.splitlines() if line.strip()), "")

    @property
    def merge(self) -> bool:
        """Whether the commit has more than one parent."""
        return len(self.parents) > 1
