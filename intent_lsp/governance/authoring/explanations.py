"""Explanations of the parts of an intents file, as hovers show them (protocol section 4).

Invariant: the intents are those of the text that is explained, saved or not.
"""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from msgspec import Struct

from intent_lsp.core.intents import Intent, Intents, Status
from intent_lsp.core.records import Record
from intent_lsp.core.text import counted
from intent_lsp.formats.intents.entry import STATUS_WORDS, status_meant
from intent_lsp.formats.intents.structure.entries import IntentsStructure
from intent_lsp.formats.intents.structure.lookup import POINTER_KEY, IntentsPart, PartKind
from intent_lsp.formats.key_texts.intents_keys import ENTRY_TEXTS, ROOT_TEXTS, STATUS_TEXTS
from intent_lsp.formats.key_texts.key_text import names_schema
from intent_lsp.formats.markdown.editor_text import HoverParagraph
from intent_lsp.governance.authoring.glob_matches import GlobMatches, MatchedFiles
from intent_lsp.governance.root.stores import Stores

NAMED_AT_MOST: Final = 10
"""The most files, globs, intents or records that one list names."""

_RECORDS_AT_MOST: Final = 3
_MINUTE: Final = slice(0, 16)
_UNKNOWN: Final = "Which files this glob matches is unknown: git does not list the files."
_POINTER_TEXT: Final = (
    "Names an intent. The key has no effect: which intent is selected is remembered for each"
    " session, outside of this file."
)


class Explanation(Struct, frozen=True):
    """What a hover shows of one part: a title, and paragraphs below it.

    `glob` is the part itself if it is a glob, else "". It is shown before the title, which may then
    be empty.
    """

    title: str
    paragraphs: tuple[HoverParagraph, ...]
    glob: str = ""


class Explanations(Struct, frozen=True):
    """Explains the parts and the intents of one root's intents file."""

    stores: Stores
    matches: GlobMatches

    def of_part(self, structure: IntentsStructure, part: IntentsPart) -> Explanation | None:
        """Return what a hover shows of a part of an intents file, or None if there is nothing.

        There is nothing for a related file, for an unknown key, for a criterion of an entry that is
        no valid intent, and for an id, alias or pointer (a key such as `active_intent`) that names
        no valid intent. There is nothing for a valid glob if there is no git repository, and
        nothing for a key or a status if the file names its schema: the YAML language server
        explains these there.
        """
        match part.kind:
            case PartKind.GLOB:
                return self._glob(structure.intents, part)
            case PartKind.STATUS | PartKind.KEY:
                return _described(structure, part)
            case PartKind.CRITERION:
                return self._criterion(structure.intents, part)
            case PartKind.ID | PartKind.ALIAS | PartKind.POINTER:
                named = structure.intents.get(part.text)
                return None if named is None else self._intent(structure.intents, named)
            case PartKind.RELATED_FILE:
                return None
            case _ as never:
                assert_never(never)

    def of_scope(self, intent: Intent) -> Explanation | None:
        """Return which files an intent's globs cover, or None if git does not list the files."""
        found = self.matches.owned(intent.owned_scope)
        if found is None:
            return None
        return Explanation(f"{_called(intent)} owns {_number(found)}", tuple(_files(found)))

    def of_records(self, intents: Intents, intent: Intent) -> Explanation:
        """Return how many records an intent has, and the newest `NAMED_AT_MOST` of them."""
        records = tuple(self._records(intents, intent, at_most=NAMED_AT_MOST))
        return Explanation(_called(intent), records)

    def _glob(self, intents: Intents, part: IntentsPart) -> Explanation | None:
        glob = part.text
        pattern, found = self.matches.pattern(glob), self.matches.of(glob)
        if pattern.refusal is not None:
            refusal = HoverParagraph(f"This glob owns nothing: {pattern.refusal}.")
            return Explanation("", (refusal,), glob)
        if found is None:
            unknown = Explanation("", (HoverParagraph(_UNKNOWN),), glob)
            return None if self.stores.git is None else unknown
        words = matched_words(self.matches, glob, found)
        said = words if pattern.exclusion else f"matches {words}"
        own = None if part.entry is None else part.entry.intent
        owners = _owners(self.matches, intents, own, found)
        return Explanation(said, (*_files(found), *owners), glob)

    def _criterion(self, intents: Intents, part: IntentsPart) -> Explanation | None:
        intent = None if part.entry is None else part.entry.intent
        if intent is None:
            return None
        title = f"Criterion {part.number} of {len(intent.acceptance_criteria)} of {intent.id}"
        why = HoverParagraph("A record says for which intent it was made, not for which criterion.")
        return Explanation(title, (*self._records(intents, intent), why))

    def _intent(self, intents: Intents, intent: Intent) -> Explanation:
        parts = [
            counted(len(intent.constraints), "constraint"),
            f"{len(intent.acceptance_criteria):,} acceptance criteri"
            + ("on" if len(intent.acceptance_criteria) == 1 else "a"),
        ]
        if intent.specification:
            parts.insert(0, f"specification {intent.specification}")
        if intent.aliases:
            parts.append(f"formerly {', '.join(intent.aliases)}")
        scope = _named(intent.owned_scope, len(intent.owned_scope))
        owns = HoverParagraph("Owns" if scope else "Has no glob, so owns no file.", scope)
        summary = HoverParagraph(" · ".join([intent.status.value, *parts]))
        return Explanation(_called(intent), (summary, owns, *self._records(intents, intent)))

    def _records(
        self, intents: Intents, intent: Intent, at_most: int = _RECORDS_AT_MOST
    ) -> Iterator[HoverParagraph]:
        """Yield a paragraph about an intent's records. It names the newest ones, up to `at_most`.

        Records under the intent's earlier ids are included.
        """
        newest = self.stores.past.of_intent(intents, intent, limit=at_most)
        number = self.stores.past.count_of(intents, intent)
        if not newest:
            yield HoverParagraph(f"{intent.id} has no record.")
            return
        said = f"{intent.id} has {counted(number, 'record')}, the newest"
        yield HoverParagraph(said, tuple(map(_record, newest)))


def matched_words(matches: GlobMatches, glob: str, found: MatchedFiles) -> str:
    """Return how many files a glob matches: `12 files`, or for an exclusion `excludes no file`."""
    number = _number(found)
    return f"excludes {number}" if matches.pattern(glob).exclusion else number


def _number(found: MatchedFiles) -> str:
    return counted(found.count, "file") if found.count else "no file"


def _files(found: MatchedFiles) -> Iterator[HoverParagraph]:
    """Yield a paragraph that names the first files, unless there are none."""
    if found.count:
        yield HoverParagraph("", _named(found.first, found.count))


def _owners(
    matches: GlobMatches, intents: Intents, own: Intent | None, found: MatchedFiles
) -> Iterator[HoverParagraph]:
    owners = matches.other_owners(found.first, intents, own)
    if owners:
        every = found.count == len(found.first)
        said = "Other open" if every else f"Of the first {len(found.first):,} files, other open"
        named = [f"{_called(each.intent)}: {counted(each.count, 'file')}" for each in owners]
        yield HoverParagraph(f"{said} intents own", _named(named, len(named)))


def _described(structure: IntentsStructure, part: IntentsPart) -> Explanation | None:
    """Return what a key or a status means, or None for an unknown key.

    Return None, too, if the file names its schema: the editor then explains keys and statuses.
    """
    if names_schema(structure.text):
        return None
    return _status(part.text) if part.kind is PartKind.STATUS else _key(part)


def _status(word: str) -> Explanation:
    meant = status_meant(word)
    title = word.strip() if meant is not None else f"{word.strip()}: no status"
    status = meant or Status.PLANNED
    said = [HoverParagraph(STATUS_TEXTS[status], ours=True)]
    if word.strip() != status.value:
        said.insert(0, HoverParagraph(f"Read as {status.value}."))
    others = [name for name, each in STATUS_WORDS.items() if each is status and name != status]
    if others:
        said.append(HoverParagraph(f"{status.value} is also read from {' and '.join(others)}."))
    return Explanation(title, tuple(said))


def _key(part: IntentsPart) -> Explanation | None:
    if part.entry is None and part.text == POINTER_KEY:
        return Explanation(part.text, (HoverParagraph(_POINTER_TEXT),))
    text = (ROOT_TEXTS if part.entry is None else ENTRY_TEXTS).get(part.text)
    if text is None:
        return None
    return Explanation(part.text, (HoverParagraph(text.description, ours=True),))


def _record(record: Record) -> str:
    time = record.timestamp[_MINUTE].replace("T", " ")
    return f"{time} {record.tool_name} {record.scope_validation.value} {record.id[:8]}"


def _called(intent: Intent) -> str:
    return f"{intent.id} — {intent.name}" if intent.name else intent.id


def _named(values: Sequence[str], count: int) -> tuple[str, ...]:
    """Return the first NAMED_AT_MOST values, and how many more of `count` there are, if any."""
    shown = tuple(values[:NAMED_AT_MOST])
    left = count - len(shown)
    return (*shown, f"… and {left:,} more") if left else shown
