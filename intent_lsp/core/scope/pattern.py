"""A glob pattern as people write it: how it is parsed, and which paths it matches.

Invariant: every text can be parsed; a pattern over a limit has a refusal and matches nothing.
Invariant: matching takes time linear in the path, whatever the pattern (scope section 3).
"""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct

from intent_lsp.core.scope.braces import expand_braces
from intent_lsp.core.scope.language import fold
from intent_lsp.core.scope.limits import MAX_AUTOMATA, MAX_CLASSES, MAX_PATTERN, PatternLimitError
from intent_lsp.core.scope.rows import PatternRow, PatternRows, read_row
from intent_lsp.core.scope.segment import Segment


class NormalizedPattern(Struct, frozen=True, kw_only=True):
    """A pattern reduced to its glob (scope section 2).

    `exclusion`: an odd number of leading `!` was removed. `trimmed`: white space around it was
    removed. `rooted`: a leading `/` was removed.
    """

    glob: str
    exclusion: bool = False
    trimmed: bool = False
    rooted: bool = False


class NameComparison(Struct, frozen=True):
    """How names of files are compared, as the file system does it (scope section 4).

    `case_sensitive` is False if case is ignored. `nfc` is True if the file system decomposes names,
    so that they must be compared in NFC.
    """

    case_sensitive: bool = True
    nfc: bool = False

    def path(self, text: str) -> str:
        """Return a path in the form in which it can be compared.

        This is NFC if `nfc`, and lower case unless `case_sensitive`.
        """
        if self.nfc:
            text = unicodedata.normalize("NFC", text)
        return text if self.case_sensitive else fold(text)


EXACT = NameComparison()
"""Names are equal only if they are the same code points."""


class Pattern:
    """A compiled pattern. `reading` is how it compares names.

    `rows` are the alternatives that a path can match. `dead_parts` has, for each alternative that
    no path can match, its part between slashes that no name can match; the part may be empty.
    `refusal` says which limit the pattern exceeds, as a clause for a message, or is None if it
    exceeds none.
    """

    def __init__(self, text: str, reading: NameComparison, *, refusal: str | None = None) -> None:
        self.text, self.reading, self.refusal = text, reading, refusal
        self.spelling = normalize(text)
        self.exclusion = self.spelling.exclusion
        """Whether the pattern takes files out of the scope instead of putting them in."""
        self.dead_parts: tuple[str, ...] = ()
        self.rows: tuple[PatternRow, ...] = ()
        if refusal is not None:
            return
        try:
            self.rows = self._read()
        except PatternLimitError as over:
            self.refusal = str(over)

    @cached_property
    def automata(self) -> int:
        """The number of different segments of the pattern that need an automaton."""
        return _automata(_segments(self.rows))

    def matches(self, path: str) -> bool:
        """Whether the glob matches the whole of `path`. The `!` of an exclusion is ignored."""
        return self.matches_names(self.reading.path(path).split("/"))

    def matches_names(self, names: Sequence[str]) -> bool:
        """Whether the glob matches a path, given as segments that `reading.path` has normalized."""
        return self.steps.matches(names)

    @cached_property
    def steps(self) -> PatternRows:
        """The alternatives, in the form in which they are matched segment by segment."""
        return PatternRows(self.rows)

    def _read(self) -> tuple[PatternRow, ...]:
        if len(self.text) > MAX_PATTERN:
            raise PatternLimitError(f"the pattern is longer than {MAX_PATTERN} characters")
        glob = self.spelling.glob
        if self.reading.nfc:
            glob = unicodedata.normalize("NFC", glob)
        spelled = expand_braces(glob) if glob else ()
        folded = not self.reading.case_sensitive
        read = [read_row(text, folded=folded) for text in spelled]
        rows = tuple(dict.fromkeys(row for row in read if not isinstance(row, str)))
        self.dead_parts = tuple(row for row in read if isinstance(row, str))
        _check_size(_segments(rows))
        return rows


def _segments(rows: Iterable[PatternRow]) -> frozenset[Segment]:
    return frozenset(segment for row in rows for segment in row if segment is not None)


def _automata(segments: Iterable[Segment]) -> int:
    return sum(segment.flat is None for segment in segments)


def _check_size(segments: Iterable[Segment]) -> None:
    """Raise PatternLimitError if a pattern with these segments (each once) is over a limit."""
    classes = frozenset[object]().union(*(segment.classes for segment in segments))
    if len(classes) > MAX_CLASSES:
        raise PatternLimitError(
            f"the pattern has more than {MAX_CLASSES} different bracket expressions"
        )
    if _automata(segments) > MAX_AUTOMATA:
        raise PatternLimitError(
            f"the pattern has more than {MAX_AUTOMATA} different path segments with extglobs"
        )


@lru_cache(maxsize=16_384)
def compile_pattern(text: str, reading: NameComparison = EXACT) -> Pattern:
    """Return a pattern compiled, from a cache if possible. `reading` is how names are compared.

    It never raises: a pattern over a limit has a `refusal`.
    """
    return Pattern(text, reading)


def normalize(text: str) -> NormalizedPattern:
    """Return the glob of a pattern, without leading `!`, `./` and `/`.

    Outer white space is removed too, unless it is escaped.

    A `!` that begins an extglob `!(…)` stays. `dir/` becomes `dir/**`. A pattern that begins with
    `#` is a comment: its glob is empty.
    """
    glob = trim(text)
    trimmed = glob != text
    if glob.startswith("#"):
        return NormalizedPattern(glob="", trimmed=trimmed)
    exclusion = False
    while glob.startswith("!") and not opens_extglob(glob):
        glob, exclusion = glob[1:], not exclusion
    rooted = glob.startswith("/")
    while glob.startswith(("./", "/")):
        glob = glob[1:] if glob[0] == "/" else glob[2:]
    if glob.endswith("/"):
        glob += "**"
    return NormalizedPattern(glob=glob, exclusion=exclusion, trimmed=trimmed, rooted=rooted)


def trim(text: str) -> str:
    """Return a pattern without outer white space. A last space after a back-slash is kept."""
    left = text.lstrip()
    bare = left.rstrip()
    if bare == left:
        return left
    # Only an odd number of back-slashes escapes the space; an even number is escaped back-slashes.
    kept = len(bare) - len(bare.rstrip("\\"))
    return left[: len(bare) + 1] if kept % 2 else bare


def opens_extglob(glob: str) -> bool:
    """Return whether a glob begins with `!(…)`, closed within a segment: it is no exclusion."""
    return glob.startswith("!(") and ")" in glob.split("/", 1)[0]
