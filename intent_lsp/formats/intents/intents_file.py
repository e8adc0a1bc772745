"""The intents file: what `active_intents.yaml` says and what is wrong with it.

Invariant: reading item by item and reading the whole file give the same, places included.
Invariant: the reader keeps nothing but a cache: any sequence of texts reads as each alone does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, RelatedSpan, Severity, Span
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.scope.findings import PatternFinding, pattern_findings
from intent_lsp.formats.intents.entry import EntryRead, IntentPlaces, read_entry
from intent_lsp.formats.intents.root import EntryNode, entries_of
from intent_lsp.formats.intents.scope import PatternFindings
from intent_lsp.formats.text_positions import count_line_ends, lowered, lowered_finding
from intent_lsp.formats.yaml.compose import Composed
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.limits import MAX_ALIASES, MAX_VALUES, YamlProblem, refused
from intent_lsp.formats.yaml.nodes import SequenceNode
from intent_lsp.formats.yaml.split import Split, split_items
from intent_lsp.formats.yaml.unquoted_globs import INTENT_GLOBS, compose_with_globs, linked_anchors

MAX_INTENTS = 10_000


class PlacesById(Mapping[IntentId, IntentPlaces]):
    """Where the parts of each intent stand; moved to their lines when they are asked for."""

    def __init__(self, entries: Mapping[IntentId, tuple[IntentPlaces, int]]) -> None:
        self._entries = entries

    def __getitem__(self, intent_id: IntentId) -> IntentPlaces:
        places, lines = self._entries[intent_id]
        return places.lowered(lines)

    def __iter__(self) -> Iterator[IntentId]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentsFile:
    """What one text of the file says; positions are of the text without its byte order mark.

    `parsed` False: the text is not read at all, has no intents, and `findings` says where and
    why: governance is off (requirements section 10). Findings stand in order of place.
    """

    intents: Intents
    findings: tuple[Finding, ...]
    parsed: bool
    places: Mapping[IntentId, IntentPlaces] = field(default_factory=dict)


def read_intents(text: str, find: PatternFindings | None = None) -> IntentsFile:
    """Read one text of the file, without its byte order mark."""
    return IntentsReader(find).read(text)


def glob_findings(pattern: str) -> Sequence[PatternFinding]:
    """Find what is wrong with a glob as such, where no directory is known."""
    return pattern_findings(pattern, lambda _: False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A stretch of the file as read, its places counted from its own first line."""

    entries: tuple[EntryRead, ...]
    findings: tuple[Finding, ...]
    lines: int = 0
    aliases: int = 0
    values: int = 0


@dataclass(frozen=True, slots=True)
class _Placed:
    """A piece at its line, with its findings moved there."""

    piece: _Piece
    line: int
    findings: tuple[Finding, ...]


class IntentsReader:
    """Reads the texts of one file after each other; only items that changed are composed again.

    `composed_items` counts the items that the last read composed.
    """

    def __init__(self, find: PatternFindings | None = None) -> None:
        self._find = find or glob_findings
        self._cache: dict[str, _Placed] = {}
        self._last: tuple[str, IntentsFile] | None = None
        self.composed_items = 0

    def read(self, text: str) -> IntentsFile:
        """Read a text, without its byte order mark; total."""
        self.composed_items = 0
        if self._last is None or self._last[0] != text:
            self._last = (text, self._read(text))
        return self._last[1]

    def _read(self, text: str) -> IntentsFile:
        problem = refused(text)
        if problem is not None:
            return _unread(text, problem)
        linked = linked_anchors(text)
        split = None if linked else split_items(text)
        placed = self._read_split(text, split) if split else None
        return _joined(placed) if placed is not None else self._read_whole(text, linked)

    def _read_whole(self, text: str, linked: frozenset[str]) -> IntentsFile:
        composed = compose_with_globs(text, INTENT_GLOBS, linked)
        if isinstance(composed, YamlProblem):
            return _unread(text, composed)
        reading = YamlDocument(text)
        found = entries_of(reading, composed.root)
        if len(found) > MAX_INTENTS:
            return _unread(text, _too_many(found[MAX_INTENTS]))
        self.composed_items += len(found)
        piece = _piece(reading, composed, found, self._find)
        return _joined((_Placed(piece, 0, piece.findings),))

    def _read_split(self, text: str, split: Split) -> tuple[_Placed, ...] | None:
        """Read item by item; None when the text has to be read as a whole after all."""
        frame = _read_frame(split)
        if frame is None or len(split.starts) > MAX_INTENTS:
            return None
        placed: list[_Placed] = []
        fresh: dict[str, _Placed] = {}
        line = count_line_ends(text[: split.starts[0]])
        aliases, values = frame.piece.aliases, frame.piece.values
        for item in split.items(text):
            here = self._item(item, line, split.depth)
            if here is None:
                return None
            fresh[item] = here
            placed.append(here)
            line += here.piece.lines
            aliases += here.piece.aliases
            values += here.piece.values
            if aliases > MAX_ALIASES or values > MAX_VALUES:
                return None
        self._cache = fresh
        return (frame, *placed)

    def _item(self, text: str, line: int, depth: int) -> _Placed | None:
        known = self._cache.get(text)
        if known is not None and known.line == line:
            return known
        piece = known.piece if known else self._read_item(text, depth)
        if piece is None:
            return None
        findings = tuple(lowered_finding(finding, line) for finding in piece.findings)
        return _Placed(piece, line, findings)

    def _read_item(self, text: str, depth: int) -> _Piece | None:
        self.composed_items += 1
        composed = compose_with_globs(text, INTENT_GLOBS, frozenset(), depth)
        if isinstance(composed, YamlProblem) or not isinstance(composed.root, SequenceNode):
            return None
        if len(composed.root.items) != 1:
            return None
        return _piece(
            YamlDocument(text), composed, (EntryNode(composed.root.items[0]),), self._find
        )


def _read_frame(split: Split) -> _Placed | None:
    """Read what stands around the list; None when the list is not where it seems to be."""
    composed = compose_with_globs(split.frame, INTENT_GLOBS, frozenset())
    if isinstance(composed, YamlProblem):
        return None
    reading = YamlDocument(split.frame)
    found = entries_of(reading, composed.root)
    if len(found) != 1 or found[0].node.start != split.mark:
        return None
    reading.take_composed(composed)
    at = reading.places.position(split.mark).line
    # What stands after the list may refer to what stands before it.
    findings = tuple(lowered_finding(found, split.hidden, at) for found in reading.findings)
    piece = _Piece(entries=(), findings=findings, aliases=composed.aliases, values=composed.values)
    return _Placed(piece, 0, findings)


def _piece(
    reading: YamlDocument, composed: Composed, found: tuple[EntryNode, ...], find: PatternFindings
) -> _Piece:
    reading.take_composed(composed)
    entries = (read_entry(reading, place.node, place.key, find) for place in found)
    return _Piece(
        entries=tuple(entry for entry in entries if entry is not None),
        findings=tuple(reading.findings),
        lines=count_line_ends(reading.text),
        aliases=composed.aliases,
        values=composed.values,
    )


def _joined(placed: Sequence[_Placed]) -> IntentsFile:
    """Join pieces; the first of two entries with one id counts."""
    intents: dict[IntentId, Intent] = {}
    places: dict[IntentId, tuple[IntentPlaces, int]] = {}
    findings: list[Finding] = []
    for part in placed:
        findings += part.findings
        for entry in part.piece.entries:
            known = places.get(entry.intent.id)
            if known is None:
                intents[entry.intent.id] = entry.intent
                places[entry.intent.id] = (entry.places, part.line)
            else:
                first = lowered(known[0].id, known[1])
                findings.append(_duplicate(entry, lowered(entry.places.id, part.line), first))
    findings.sort(key=lambda finding: (finding.span, finding.code))
    return IntentsFile(
        intents=Intents(tuple(intents.values())),
        findings=tuple(findings),
        parsed=True,
        places=PlacesById(places),
    )


def _duplicate(entry: EntryRead, span: Span, first: Span) -> Finding:
    return Finding(
        code=FileCode.DUPLICATE_ID,
        severity=Severity.ERROR,
        message=f"the id `{entry.intent.id}` is given twice; the first intent counts",
        span=span,
        related=(RelatedSpan(span=first, message="the first one"),),
    )


def _too_many(place: EntryNode) -> YamlProblem:
    message = f"more than {MAX_INTENTS:,} intents are not read"
    node = place.key or place.node
    return YamlProblem(code=FileCode.YAML_LIMIT, message=message, start=node.start, end=node.end)


def _unread(text: str, problem: YamlProblem) -> IntentsFile:
    # No further than the problem: its place is wanted, and not that of millions of lines.
    reading = YamlDocument(text[: problem.end])
    reading.take_problem(problem)
    return IntentsFile(intents=Intents(), findings=tuple(reading.findings), parsed=False)
