"""Formats paths, ids, globs and hashes for the sentence of a fact (requirements section 6).

Invariant: a fact is one line of printable characters, shorter than 600.
Invariant: a name with an unprintable character stands in quotes, with that character escaped.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.intent_lists import listed

FACT_AT_MOST: Final = 599

_NAME_AT_MOST: Final = 80
_HASH_AT_MOST: Final = len("sha256:") + 12
# One more than a list shows, so that it can end in an ellipsis.
_LOOKED_AT: Final = 11
_CUT: Final = "…"


def fact_of(sentence: str) -> str:
    """Return a sentence, cut at the greatest length of a fact."""
    return sentence if len(sentence) <= FACT_AT_MOST else sentence[: FACT_AT_MOST - 1] + _CUT


def shown(name: str) -> str:
    """Format a name for a sentence. A long one loses its middle."""
    short = _without_middle(name)
    return short if short and short.isprintable() else _without_middle(repr(short))


def shown_list(names: Iterable[str]) -> str:
    """Format names as a list of at most ten. Without names, return `(none)`."""
    return fact_list(map(shown, names))


def fact_list(told: Iterable[str]) -> str:
    """Format up to ten formatted facts as a list. What comes later is not even computed."""
    return listed(list(islice(told, _LOOKED_AT)))


def shown_hash(hash_: ContentHash | None) -> str:
    """Format enough of a hash to tell two apart. None is `no file`."""
    if hash_ is None:
        return "no file"
    return shown(hash_ if len(hash_) <= _HASH_AT_MOST else hash_[:_HASH_AT_MOST] + _CUT)


def _without_middle(text: str) -> str:
    if len(text) <= _NAME_AT_MOST:
        return text
    half = _NAME_AT_MOST // 2
    return text[: half - 1] + _CUT + text[-half:]
