"""Reader of the intents file: the intents of `active_intents.yaml`, and findings on it.

Invariant: what a reader has cached of earlier texts does not change its result for a text, if the
function that it was given to check globs always returns the same findings for a glob.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, RelatedSpan, Span, TextChange
from intent_lsp.core.intents import IntentId, Intents, next_id
from intent_lsp.core.scope.findings import PatternFinding, pattern_findings
from intent_lsp.formats.intents.entry import EntryRead, IntentPlaces, read_entry
from intent_lsp.formats.intents.entry_values import PatternFindings
from intent_lsp.formats.intents.id_style import odd_ids
from intent_lsp.formats.intents.root import EntryNode, entries_of
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.compose import Composed
from intent_lsp.formats.yaml.document import YamlDocument, problem_findings
from intent_lsp.formats.yaml.globs.unquoted_globs import INTENT_GLOBS, compose_with_globs
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import BLOCK_STYLES, NULLS, QUOTES

MAX_INTENTS = 10_000
"""The most intents in one file."""


class IntentsFile(Struct, frozen=True, kw_only=True):
    """The content of the intents file: the intents, the spans of their parts, and the findings.

    Spans are in the text without its byte order mark. Findings are in order of position. If
    `parsed` is False, the text could not be read: there are no intents, and governance is off
    (requirements section 10).
    """

    intents: Intents
    findings: tuple[Finding, ...]
    parsed: bool
    places: Mapping[IntentId, IntentPlaces] = field(default_factory=dict)


class ComposedIntents(Struct, frozen=True):
    """The nodes and the entries of an intents file.

    The only findings in `reading` are on the root, on its keys and on the form of the list of
    intents. The entries themselves are not yet read.
    """

    reading: YamlDocument
    composed: Composed
    entries: tuple[EntryNode, ...]


def compose_intents(text: str) -> ComposedIntents | YamlProblem:
    """Return the nodes and entries of a text, or the problem for which it is not read."""
    composed = compose_with_globs(text, INTENT_GLOBS)
    if isinstance(composed, YamlProblem):
        return composed
    reading = YamlDocument(text)
    entries = tuple(entries_of(reading, composed.root))
    if len(entries) > MAX_INTENTS:
        return _too_many(entries[MAX_INTENTS])
    return ComposedIntents(reading, composed, entries)


def read_intents(text: str) -> IntentsFile:
    """Parse the text of an intents file, given without its byte order mark. Never raises."""
    return IntentsReader().read(text)


def glob_findings(pattern: str) -> Sequence[PatternFinding]:
    """Return the findings on a glob that can be made without asking the disk."""
    return pattern_findings(pattern, lambda _: False)


class IntentsReader:
    """Parses successive texts of one intents file.

    `find` returns the findings on a glob; without it, `glob_findings` does. They are cached for as
    long as the glob remains in the file.
    """

    def __init__(self, find: PatternFindings | None = None) -> None:
        self._find = find or glob_findings
        self._found: dict[str, Sequence[PatternFinding]] = {}
        self._last: tuple[str, IntentsFile] | None = None

    def read(self, text: str) -> IntentsFile:
        """Parse a text, given without its byte order mark. Never raises.

        The text that was read last is not parsed again.
        """
        if self._last is None or self._last[0] != text:
            self._last = (text, self._read(text))
        return self._last[1]

    def _read(self, text: str) -> IntentsFile:
        """Parse a text, without the cache of the last result."""
        made = compose_intents(text)
        if isinstance(made, YamlProblem):
            findings = problem_findings(text, made)
            return IntentsFile(intents=Intents(), findings=findings, parsed=False)
        made.reading.take_composed(made.composed)
        return _joined(made.reading, self._entries(made.reading, made.entries))

    def _entries(self, reading: YamlDocument, found: Sequence[EntryNode]) -> list[EntryRead]:
        known, fresh = self._found, dict[str, Sequence[PatternFinding]]()

        def find(glob: str) -> Sequence[PatternFinding]:
            if glob not in fresh:
                fresh[glob] = known[glob] if glob in known else self._find(glob)
            return fresh[glob]

        read = [read_entry(reading, place, find) for place in found]
        self._found = fresh
        return [entry for entry in read if entry is not None]


def _joined(reading: YamlDocument, entries: Iterable[EntryRead]) -> IntentsFile:
    """Return the content of a file with these entries, and with the findings of `reading`.

    Of entries with the same id, the first one is used and each later one gets a finding.
    """
    first: dict[IntentId, EntryRead] = {}
    for entry in entries:
        known = first.setdefault(entry.intent.id, entry)
        if known is not entry:
            message = f"two intents have the id `{known.intent.id}`; only the first one is used"
            related = RelatedSpan(span=known.places.id, message="the first intent with this id")
            reading.add(FileCode.DUPLICATE_ID, message, entry.places.id, related=(related,))
    for intent_id, why in odd_ids(list(first)):
        reading.add(FileCode.ID_STYLE, f"the id `{intent_id}` {why}", first[intent_id].places.id)
    intents = Intents(tuple(entry.intent for entry in first.values()))
    findings = _with_free_ids(reading, intents)
    return IntentsFile(
        intents=intents,
        findings=tuple(sorted(findings, key=lambda finding: (finding.span, finding.code))),
        parsed=True,
        places={intent_id: entry.places for intent_id, entry in first.items()},
    )


def _with_free_ids(reading: YamlDocument, intents: Intents) -> Iterator[Finding]:
    """Yield the findings. Those on missing and on repeated ids get a fix to the next free id.

    Where `_missing_id_fix` or `_other_id_fix` returns None, the finding stays as it is.
    """
    fixing = {FileCode.MISSING_ID: _missing_id_fix, FileCode.DUPLICATE_ID: _other_id_fix}
    free = next_id(intents) if any(each.code in fixing for each in reading.findings) else ""
    for finding in reading.findings:
        make = fixing.get(finding.code)
        fix = None if make is None else make(reading, finding.span, free)
        yield finding if fix is None else replace(finding, fixes=(fix,))


def _other_id_fix(reading: YamlDocument, place: Span, free: str) -> Fix | None:
    """Return the fix that puts the id `free`, which no entry has, in the place of an id.

    Return None if the id is block text.
    """
    if reading.text[reading.places.offset(place.start)] in BLOCK_STYLES:
        return None
    quote = _quote_at(reading, place)
    return Fix(f"Change to `{free}`", (TextChange(place, f"{quote}{free}{quote}"),))


def _missing_id_fix(reading: YamlDocument, place: Span, free: str) -> Fix | None:
    """Return the fix that gives an entry the id `free`, which no entry has, or None.

    `place` is the place of the null that stands for its id, or of its first key. Return None for an
    empty entry, since there is nothing that an id could name. Return None also if the first key is
    neither first in its braces nor first on its line, behind any dashes.
    """
    text, title = reading.text, f"Add the id `{free}`"
    start, end = reading.places.offset(place.start), reading.places.offset(place.end)
    if text[start:end] in NULLS:
        space = "" if text[start - 1 : start].isspace() else " "
        return Fix(title, (TextChange(place, f"{space}{free}"),))
    if text[start:end] == "{}":
        return None
    quote = _quote_at(reading, place)
    pair = f"{quote}id{quote}: {quote}{free}{quote}"
    lead = text[reading.places.line_start(start) : start]
    # The brace may be on a line above.
    if (lead.rstrip() or text[:start].rstrip()).endswith("{"):
        pair += ", "
    elif lead.strip(" -"):
        return None
    else:
        pair += line_end_of(text) + " " * len(lead)
    return Fix(title, (TextChange(Span(place.start, place.start), pair),))


def _quote_at(reading: YamlDocument, place: Span) -> str:
    start = reading.places.offset(place.start)
    quote = reading.text[start : start + 1]
    return quote if quote in QUOTES else ""


def _too_many(place: EntryNode) -> YamlProblem:
    message = f"the file has more than {MAX_INTENTS:,} intents, so it is not read"
    start, end = place.head.start, place.head.end
    return YamlProblem(code=FileCode.YAML_LIMIT, message=message, start=start, end=end)
