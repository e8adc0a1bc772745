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
                return one.text if self._exclusion(names) is None else None
        return None

    def exclusion(self, path: WorkspacePath) -> str | None:
        """Return the first exclusion (a pattern `!…`) that matches `path`, or None if none does.

        It is returned as written.
        """
        return self._exclusion(self._names(path))

    def _exclusion(self, names: Sequence[str]) -> str | None:
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
    """Return the scope of each list of patterns, within the limits of a file (scope section 3).

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
    """Return a clause that names the limit of an intents file that is exceeded, or None if none is.

    `rows` and `automata` are the file's numbers of alternatives, and of segments with an automaton.
    """
    if rows > FILE_ROWS:
        return f"with braces expanded, this file has more than {FILE_ROWS:,} patterns"
    if automata > FILE_AUTOMATA:
        return f"this file has more than {FILE_AUTOMATA} path segments with extglobs"
    return None
