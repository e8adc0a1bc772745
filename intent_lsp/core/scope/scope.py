"""Scopes of intents: whether a scope covers a path, and an index that finds all owners of a path.

Specified in scope sections 1, 2 and 5.

Invariant: a path is covered if a pattern matches it and no exclusion does. A scope without
patterns, or with exclusions only, covers nothing.
Invariant: all patterns of a scope compare names in the same way.
Invariant: the index returns the same owners as testing each intent's scope on its own. The index is
never updated: when the intents change, a new one is built.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec import Struct

from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.limits import FILE_AUTOMATA, FILE_ROWS
from intent_lsp.core.scope.pattern import EXACT, NameComparison, Pattern, compile_pattern
from intent_lsp.core.scope.rows import PatternRow
from intent_lsp.core.scope.trie import Trie


@dataclass(frozen=True, slots=True)
class Scope:
    """The patterns of an intent: as written in `patterns`, and compiled.

    Two scopes are equal if their patterns are written equally.
    """

    patterns: tuple[str, ...]
    compiled: tuple[Pattern, ...] = field(compare=False, repr=False)

    def covers(self, path: WorkspacePath) -> bool:
        """Whether the scope covers `path`: a pattern matches it and no exclusion does."""
        return self.why(path) is not None

    def why(self, path: WorkspacePath) -> str | None:
        """Return the first pattern, as written, that puts `path` in scope.

        Return None if the scope does not cover `path`.
        """
        names = self._names(path)
        for one in self.compiled:
            if not one.exclusion and one.matches_names(names):
                return one.text if self.exclusion(path) is None else None
        return None

    def exclusion(self, path: WorkspacePath) -> str | None:
        """Return the first exclusion (a pattern `!…`) that matches `path`, or None if none does.

        It is returned as written.
        """
        names = self._names(path)
        found = (one for one in self.compiled if one.exclusion and one.matches_names(names))
        return next((one.text for one in found), None)

    def _names(self, path: WorkspacePath) -> Sequence[str]:
        """Return the segments of a path, in the form in which the patterns compare names.

        The result is empty if the scope has no pattern.
        """
        return self.compiled[0].reading.path(path).split("/") if self.compiled else ()


def compile_scope(patterns: Sequence[str], reading: NameComparison = EXACT) -> Scope:
    """Compile a list of patterns. `reading` is how names are compared.

    It never raises: a pattern over a limit owns nothing.
    """
    compiled = tuple(compile_pattern(pattern, reading) for pattern in patterns)
    return Scope(tuple(patterns), compiled)


def compile_scopes(
    lists: Iterable[Sequence[str]], reading: NameComparison = EXACT
) -> tuple[Scope, ...]:
    """Return the scope of each list of patterns of one file, within the limits of a file.

    The limits count the patterns of all lists together (scope section 3). A pattern that would
    exceed a limit gets a `refusal` and matches nothing; later ones that still fit are compiled.
    `reading` is how names are compared.
    """
    rows = automata = 0
    scopes: list[Scope] = []
    for patterns in lists:
        compiled: list[Pattern] = []
        for text in patterns:
            pattern = compile_pattern(text, reading)
            refusal = _over(rows + len(pattern.rows), automata + pattern.automata)
            if refusal is not None:
                pattern = Pattern(text, reading, refusal=refusal)
            rows += len(pattern.rows)
            automata += pattern.automata
            compiled.append(pattern)
        scopes.append(Scope(tuple(patterns), tuple(compiled)))
    return tuple(scopes)


_REMEMBERED = 8_192


class Ownership(Struct, frozen=True):
    """An intent that owns a path, and the first pattern of it that matches the path.

    The pattern is as written in the intents file.
    """

    intent_id: IntentId
    pattern: str


Owners = Callable[[WorkspacePath], tuple[Ownership, ...]]
"""A function that returns the owners of a path, in the order of the intents file.

Closed intents are among them.
"""


class Hits(Struct, frozen=True):
    """The patterns that match a path, by number: exclusions in `taken`, all others in `given`.

    A ScopeIndex numbers the patterns of all its scopes from 0, in file order. If `given` is empty,
    exclusions are not looked up, so `taken` is empty too.
    """

    given: frozenset[int]
    taken: frozenset[int]


class ScopeIndex:
    """The scopes of one intents file, indexed so that all owners of a path are found at once.

    `entries` are the intents with their scopes, in file order. `reading` is how names are compared.
    All scopes must have been compiled with it.
    """

    def __init__(
        self, entries: Sequence[tuple[IntentId, Scope]], reading: NameComparison = EXACT
    ) -> None:
        self._reading = reading
        self._entries = entries
        # Patterns are numbered through all scopes. By number: the pattern's intent with its index
        # there.
        self._places = [
            (intent, at)
            for intent, (_, scope) in enumerate(entries)
            for at in range(len(scope.patterns))
        ]
        self._given = Trie(self._rows(exclusions=False))
        self._taken = Trie(self._rows(exclusions=True))
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._owners)

    def owners(self, path: WorkspacePath) -> tuple[Ownership, ...]:
        """Return every intent that owns `path`, in file order. Results are cached.

        An intent with an exclusion that matches does not own the path.
        """
        return self._remembered(path)

    def hits(self, path: WorkspacePath) -> Hits:
        """Return the numbers of all patterns that match `path`.

        Exclusions are looked up only if a pattern that is no exclusion matches. The result is not
        cached, since a walk over a tree asks for each path once.
        """
        names = self._reading.path(path).split("/")
        given = frozenset[int]() if "" in names else self._given.matching(names)
        return Hits(given, self._taken.matching(names) if given else given)

    def place(self, number: int) -> tuple[int, int]:
        """Return (intent index, index in the intent's patterns) of the pattern with this number."""
        return self._places[number]

    def owning(self, hits: Hits) -> list[tuple[int, int]]:
        """Return (intent index, pattern index) for each intent that owns a path.

        `hits` are the patterns that match the path. The pattern is the intent's first that matches.
        """
        first: dict[int, int] = {}
        for intent, at in map(self.place, sorted(hits.given)):
            first.setdefault(intent, at)
        for intent, _ in map(self.place, hits.taken):
            first.pop(intent, None)
        return [*first.items()]

    def _owners(self, path: WorkspacePath) -> tuple[Ownership, ...]:
        owning = [(*self._entries[intent], at) for intent, at in self.owning(self.hits(path))]
        return tuple(Ownership(name, scope.patterns[at]) for name, scope, at in owning)

    def _rows(self, *, exclusions: bool) -> Iterator[tuple[int, PatternRow]]:
        """Yield (pattern number, alternative) of all exclusions, or of all other patterns."""
        number = 0
        for _, scope in self._entries:
            for pattern in scope.compiled:
                if pattern.exclusion is exclusions:
                    yield from ((number, row) for row in pattern.rows)
                number += 1


def _over(rows: int, automata: int) -> str | None:
    """Return a clause that names an exceeded limit of an intents file, or None if none is exceeded.

    `rows` is the file's number of alternatives of patterns, and `automata` its number of path
    segments that need an automaton.
    """
    if rows > FILE_ROWS:
        return f"with braces expanded, this file has more than {FILE_ROWS:,} patterns"
    if automata > FILE_AUTOMATA:
        return f"this file has more than {FILE_AUTOMATA} path segments with extglobs"
    return None
