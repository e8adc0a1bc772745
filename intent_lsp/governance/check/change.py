"""A change to be judged (a commit, the index or the work tree), and the intents that judge it.

Specified in requirements section 14.

Invariant: what people say of a change comes first: an option, then the commit's own trailer.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from intent_lsp.core.check.commit import CommitFacts, branch_intents, trailer_intents
from intent_lsp.core.check.report import IntentSource
from intent_lsp.core.control_plane import FileClass
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.check.diffed_files import DiffedFile
from intent_lsp.governance.check.intent_judge import ChangeRules
from intent_lsp.governance.check.origins import HunkOrigin


class CheckWishes(Struct, frozen=True, kw_only=True):
    """What the caller of a check sets: intents, branch, message, further agents, coverage.

    `intents` judge every change, even one that names others. `branch` is the name in which an
    intent's id is looked for; None means the name of the branch that is checked. `message` is the
    message of a commit that is being made, or "". `agents` are names or addresses that count as
    agents. `require_coverage`: a hunk without a record is an error, not a warning.
    """

    intents: tuple[str, ...] = ()
    branch: str | None = None
    message: str = ""
    agents: tuple[str, ...] = ()
    require_coverage: bool = False


class GitChange(Struct, frozen=True, kw_only=True):
    """A commit, or what is not committed (`commit` is None), with its files and rules.

    `now` is the time at which what is not committed counts as made.
    """

    commit: CommitFacts | None
    files: Sequence[DiffedFile]
    rules: ChangeRules
    now: datetime

    @property
    def id(self) -> str | None:
        """The commit's id, or None if the change is not committed."""
        return None if self.commit is None else self.commit.id

    @property
    def moment(self) -> str:
        """When the change was made, as an RFC 3339 time."""
        made = self.now if self.commit is None else datetime.fromtimestamp(self.commit.time, UTC)
        return timestamp(made)


class OriginatedFile(Struct, frozen=True):
    """A file of a change, its class `kind` (see FileClass), and the origins of its hunks.

    `judged`: the gate is asked about it, and records are expected.
    """

    file: DiffedFile
    kind: FileClass
    origins: tuple[HunkOrigin, ...]
    judged: bool

    @property
    def intent_ids(self) -> tuple[str, ...]:
        """The intents of all records of the file's hunks, each once."""
        return merged_ids(self.origins)


class NamedIntents(Struct, frozen=True):
    """The intents of a change, and what names them."""

    ids: tuple[str, ...]
    source: IntentSource

    def of_hunk(self, origin: HunkOrigin, file: OriginatedFile) -> tuple[str, ...]:
        """Return the intents that a hunk is judged by: those of the whole change.

        A change whose intents are named by records is judged hunk by hunk: by the intents that the
        hunk's records name, else by those that the file's records name, else by all of the change.
        """
        if self.source is not IntentSource.RECORDS:
            return self.ids
        return origin.intent_ids or file.intent_ids or self.ids


def intents_of(
    change: GitChange, files: Sequence[OriginatedFile], wishes: CheckWishes
) -> NamedIntents:
    """Return the intents of a change: by option, trailer, records, or the branch's name.

    The first of these that names any decides; there are no intents if none does. `wishes` has the
    option, the branch, and the message of a commit that is being made.
    """
    known = change.rules.known_ids
    message = wishes.message if change.commit is None else change.commit.message
    recorded = merged_ids([origin for file in files for origin in file.origins])
    for ids, source in (
        (wishes.intents, IntentSource.OPTION),
        (trailer_intents(message, known), IntentSource.TRAILER),
        (recorded, IntentSource.RECORDS),
        (branch_intents(wishes.branch or "", known), IntentSource.BRANCH),
    ):
        if ids:
            return NamedIntents(ids, source)
    return NamedIntents((), IntentSource.NONE)


def merged_ids(origins: Sequence[HunkOrigin]) -> tuple[str, ...]:
    """Return the intents of several origins, each once."""
    return tuple(dict.fromkeys(each for origin in origins for each in origin.intent_ids))
