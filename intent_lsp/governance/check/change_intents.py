"""The intents that a change is judged by, and what names them (requirements section 14).

Invariant: what people say of a change comes first: an option, then the commit's own trailer.
"""

from collections.abc import Sequence

from msgspec import Struct

from intent_lsp.core.check.commit_intents import branch_intents, trailer_intents
from intent_lsp.core.check.report import IntentSource
from intent_lsp.governance.check.change import CheckWishes, GitChange, OriginatedFile, merged_ids
from intent_lsp.governance.check.origins import HunkOrigin


class NamedIntents(Struct, frozen=True):
    """The intents of a change, and what names them."""

    ids: tuple[str, ...]
    source: IntentSource

    def of_hunk(self, origin: HunkOrigin, file: OriginatedFile) -> tuple[str, ...]:
        """Return the intents that a hunk is judged by.

        They are those of the whole change. If records name these, the hunk's own records decide
        first, then those of its file.
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
