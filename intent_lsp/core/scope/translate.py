"""Segments without extglobs: as a regular expression that never backtracks far, or as a line.

Invariant: the expression's time is linear in the name for each run between two `*`: a run is looked
for from the left, and what was found is never given up (atomic groups, possessive quantifiers).
"""

import itertools
import re
from collections.abc import Sequence

from intent_lsp.core.scope.charclass import CharClass
from intent_lsp.core.scope.language import ExtGlob, Item, Items, Wild
from intent_lsp.core.scope.lines import Line

MAX_FLATTENED = 64

Test = str | Wild | CharClass


def flatten(items: Items) -> tuple[Items, ...] | None:
    """Spell out `@(a|b)` and `?(a)` as alternatives; None when an extglob repeats or negates."""
    if ExtGlob not in set(map(type, items)):
        return (items,)
    parts: list[tuple[Items, ...]] = []
    size = 1
    for item in items:
        if not isinstance(item, ExtGlob):
            parts.append(((item,),))
            continue
        alternatives = item.alternatives if item.kind == "@" else ((), *item.alternatives)
        size *= len(alternatives)
        if item.kind not in "@?" or size > MAX_FLATTENED or any(map(_has_extglob, alternatives)):
            return None
        parts.append(alternatives)
    flat = (tuple(itertools.chain.from_iterable(row)) for row in itertools.product(*parts))
    return tuple(dict.fromkeys(flat))


def translate(alternatives: Sequence[Items]) -> re.Pattern[str] | None:
    """Give the expression to `fullmatch` a name with; None when `re` cannot name a class in it."""
    sources = [_source(items) for items in alternatives]
    known = [source for source in sources if source is not None]
    return re.compile("|".join(known), re.DOTALL) if len(known) == len(sources) else None


def line_of(items: Items) -> Line[Test]:
    """Give the items as a line of tests, in which a `*` is a gap."""
    tests: list[Test] = []
    gaps: set[int] = set()
    for item in items:
        if item is Wild.MANY:
            gaps.add(len(tests))
        elif not isinstance(item, ExtGlob):
            tests.append(item)
    return Line(tuple(tests), frozenset(gaps))


def _has_extglob(items: Items) -> bool:
    return ExtGlob in set(map(type, items))


def _source(items: Items) -> str | None:
    """Write one alternative: the runs between `*`, each found as far left as it can be."""
    runs: list[list[str]] = [[]]
    for item in items:
        if item is Wild.MANY:
            runs.append([])
            continue
        source = _test_source(item)
        if source is None:
            return None
        runs[-1].append(source)
    first, *middle = ("".join(run) for run in runs)
    if not middle:
        return first
    last = middle.pop()
    inner = "".join(f"(?>.*?{run})" for run in middle if run)
    if not last:
        return f"{first}{inner}.*+"
    # The last run ends the name: take all of it, then look back.
    return f"{first}{inner}.{{{len(runs[-1])},}}+(?<={last})"


def _test_source(item: Item) -> str | None:
    if isinstance(item, str):
        return re.escape(item)
    return item.source() if isinstance(item, CharClass) else "."
