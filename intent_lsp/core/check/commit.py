"""A commit as a check needs it: its message, the people that it names, and the intents.

The intents are those that its message or the name of a branch names (requirements section 14).

Invariant: names and messages are text, whatever bytes git holds.
Invariant: an id is taken from a branch name only if the intents file has it.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

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


TRAILER: Final = "Intent"

_LINE: Final = re.compile(rf"{TRAILER}[ \t]*:[ \t]*(\S.*?)[ \t]*", re.IGNORECASE)
_PARTS: Final = re.compile(r"[,\s]+")
_WORD: Final = r"[^\W_]"


def trailer_intents(message: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the ids that the trailers `Intent: ID` of a commit message name, each once.

    In the last paragraph every such line counts. Elsewhere, as in the message of a squashed branch,
    an id counts only if `known` has it. A line may name several ids, separated by commas or spaces.
    """
    *above, last = re.split(r"\n[ \t\r]*\n", message.rstrip())
    found = dict.fromkeys(_named(last, known))
    for paragraph in above:
        found.update((each, None) for each in _named(paragraph, known) if each in known)
    return tuple(found)


def branch_intents(branch: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the longest id of `known` that a branch name contains as a word of its own, or ().

    Letter case does not count. A letter or digit directly before or after the id makes it part of
    another word: `INT-10` is not found in `INT-100`. The result has one id at most.
    """
    for intent_id in sorted(known, key=len, reverse=True):
        pattern = rf"(?<!{_WORD}){re.escape(intent_id)}(?!{_WORD})"
        if intent_id and re.search(pattern, branch, re.IGNORECASE):
            return (intent_id,)
    return ()


def _named(paragraph: str, known: Collection[str]) -> Iterator[str]:
    for line in paragraph.splitlines():
        found = _LINE.fullmatch(line)
        if found is not None:
            value = found[1]
            # An id may contain white space or a comma.
            yield from (value,) if value in known else filter(None, _PARTS.split(value))
