"""Foreign names inside the sentence of a fact: paths, ids, globs, hashes (requirements section 6).

Invariant: a fact is one line of printable characters, shorter than 600.
Invariant: a name with any other character stands in quotes, with that character spelled out.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.intent_lists import listed

FACT_AT_MOST: Final = 599

_NAME_AT_MOST: Final = 80
_HASH_AT_MOST: Final = len("sha256:") + 12
# One more than a list names, so that it can tell that there are more.
_LOOKED_AT: Final = 11
_CUT: Final = "…"


def fact_of(sentence: str) -> str:
    """Cut a sentence off where a fact has to end."""
    return sentence if len(sentence) <= FACT_AT_MOST else sentence[: FACT_AT_MOST - 1] + _CUT


def shown(name: str) -> str:
    """Show a name in a sentence; the middle of a long one is left out."""
    short = _without_middle(name)
    return short if short and short.isprintable() else _without_middle(repr(short))


def shown_list(names: Iterable[str]) -> str:
    """List names in a sentence: ten at most, `(none)` for none."""
    return fact_list(map(shown, names))


def fact_list(told: Iterable[str]) -> str:
    """List what is told of names that are shown already; what is past the list is not made."""
    return listed(list(islice(told, _LOOKED_AT)))


def shown_hash(hash_: ContentHash | None) -> str:
    """Show enough of a hash to tell two apart; None: there is no file."""
    if hash_ is None:
        return "no file"
    return shown(hash_ if len(hash_) <= _HASH_AT_MOST else hash_[:_HASH_AT_MOST] + _CUT)


def _without_middle(text: str) -> str:
    if len(text) <= _NAME_AT_MOST:
        return text
    half = _NAME_AT_MOST // 2
    return text[: half - 1] + _CUT + text[-half:]
