"""A scope: the patterns of one intent, and whether they cover a path (scope sections 1 and 2).

Invariant: a path is covered when a pattern matches it and no exclusion does; a scope without
patterns, or with exclusions alone, covers nothing.
Invariant: all patterns of a scope read paths alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.limits import FILE_AUTOMATA, FILE_ROWS
from intent_lsp.core.scope.pattern import NameComparison, Pattern, compile_pattern


@dataclass(frozen=True, slots=True)
class Scope:
    """Compiled patterns; `patterns` are as written, equal ones make equal scopes."""

    patterns: tuple[str, ...]
    compiled: tuple[Pattern, ...] = field(compare=False, repr=False)

    def covers(self, path: WorkspacePath) -> bool:
        """Whether an edit of `path` is in scope."""
        return self.why(path) is not None

    def why(self, path: WorkspacePath) -> str | None:
        """Give the first pattern, as written, that puts `path` in scope; None: out of scope."""
        names = self._names(path)
        for one in self.compiled:
            if not one.exclusion and one.matches_names(names):
                return None if self._excludes(names) else one.text
        return None

    def excludes(self, path: WorkspacePath) -> bool:
        """Whether an exclusion (`!…`) takes `path` out."""
        return self._excludes(self._names(path))

    def _excludes(self, names: Sequence[str]) -> bool:
        return any(one.exclusion and one.matches_names(names) for one in self.compiled)

    def _names(self, path: WorkspacePath) -> Sequence[str]:
        """Split a path once for all patterns."""
        return self.compiled[0].reading.path(path).split("/") if self.compiled else ()


def compile_scope(
    patterns: Sequence[str], *, case_sensitive: bool = True, nfc: bool = False
) -> Scope:
    """Compile a list of patterns; total: a refused or dead pattern owns nothing.

    `case_sensitive=False` where the disk does not tell case apart; `nfc` where it decomposes names.
    """
    reading = NameComparison(case_sensitive=case_sensitive, nfc=nfc)
    compiled = tuple(compile_pattern(pattern, reading) for pattern in patterns)
    return Scope(tuple(patterns), compiled)


def compile_scopes(
    lists: Sequence[Sequence[str]], *, case_sensitive: bool = True, nfc: bool = False
) -> tuple[Scope, ...]:
    """Compile the pattern lists of one file within the limits of a file (scope section 3).

    In order: a pattern that would go over is refused, those after it that still fit go on.
    """
    reading = NameComparison(case_sensitive=case_sensitive, nfc=nfc)
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
    if rows > FILE_ROWS:
        return f"the patterns of this file stand for more than {FILE_ROWS:,} alternatives"
    if automata > FILE_AUTOMATA:
        return f"this file has more than {FILE_AUTOMATA} segments with extglobs"
    return None
