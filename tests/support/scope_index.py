"""The index of some intents, given by their patterns as written."""

from collections.abc import Iterable, Sequence

from intent_lsp.core.intents import IntentId
from intent_lsp.core.scope.pattern import EXACT, NameComparison
from intent_lsp.core.scope.scope import ScopeIndex, compile_scopes


def index_of(
    entries: Iterable[tuple[str, Sequence[str]]], reading: NameComparison = EXACT
) -> ScopeIndex:
    given = list(entries)
    scopes = compile_scopes([patterns for _, patterns in given], reading)
    return ScopeIndex(
        [(IntentId(name), s) for (name, _), s in zip(given, scopes, strict=True)], reading
    )
