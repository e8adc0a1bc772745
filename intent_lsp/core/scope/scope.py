"""The scope of an intent: its patterns, and whether they cover a path (scope sections 1 and 2).

Invariant: a path is covered if a pattern matches it and no exclusion does. A scope without
patterns, or with exclusions only, covers nothing.
Invariant: all patterns of a scope compare names in the same way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.limits import FILE_AUTOMATA, FILE_ROWS
from intent_lsp.core.scope.pattern import EXACT, NameComparison, Pattern, compile_pattern


@dataclass(frozen=True, slots=True)
class Scope:
    """The compiled patterns of an intent.

    Two scopes are equal if their patterns are written equally.
    """

    patterns: tuple[str, ...]
    compiled: tuple[Pattern, ...] = field(compare=False, repr=False)

    def covers(self, path: WorkspacePath) -> bool:
        """Whether `path` is in scope."""
        return self.why(path) is not None

    def why(self, path: WorkspacePath) -> str | None:
        """Return the first pattern, as written, that puts `path` in scope, or None if none does."""
        names = self._names(path)
        for one in self.compiled:
            if not one.exclusion and one.matches_names(names):
                return None if self._excludes(names) else one.text
        return None

    def excludes(self, path: WorkspacePath) -> bool:
        """Whether an exclusion (`!…`) matches `path`."""
        return self._excludes(self._names(path))

    def _excludes(self, names: Sequence[str]) -> bool:
        return any(one.exclusion and one.matches_names(names) for one in self.compiled)

    def _names(self, path: WorkspacePath) -> Sequence[str]:
        """Return the segments of a path, normalized for comparison."""
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
    """Compile the pattern lists of one file within the limits of a file (scope section 3).

    A pattern that would exceed a limit is refused. Later patterns that still fit are compiled.
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


def _over(rows: int, automata: int) -> str | None:
    """Return which limit of a file `rows` or `automata`, the numbers of each, exceed, or None.

    The limit is described by a clause for a message.
    """
    if rows > FILE_ROWS:
        return f"with braces expanded, this file has more than {FILE_ROWS:,} patterns"
    if automata > FILE_AUTOMATA:
        return f"this file has more than {FILE_AUTOMATA} path segments with extglobs"
    return None
