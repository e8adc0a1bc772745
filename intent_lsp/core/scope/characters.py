"""Characters against the tests of a segment: which pass, and which tell the tests apart."""

import itertools
from collections.abc import Iterable, Iterator

from intent_lsp.core.scope.charclass import CharClass
from intent_lsp.core.scope.language import ExtGlob, Items, Wild

OTHER = "\U0010fffe"
"""A character that no pattern names; it stands for all that a state does not tell apart."""


def passes(char: str, test: str | Wild | CharClass) -> bool:
    """Whether a character passes a test: an equal character, any wildcard, a class that has it."""
    if isinstance(test, str):
        return char == test
    return isinstance(test, Wild) or char in test


def samples(alternatives: Iterable[Items]) -> Iterator[str]:
    """Yield characters that the tests tell apart: named ones, ends of ranges, and a few others."""
    yield from ("a", "A", "0", " ", "-", "_", "é", OTHER)
    for item in itertools.chain.from_iterable(alternatives):
        if isinstance(item, str):
            yield item
        elif isinstance(item, ExtGlob):
            yield from samples(item.alternatives)
        elif isinstance(item, CharClass):
            yield from itertools.chain.from_iterable(item.ranges)
