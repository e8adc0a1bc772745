"""Composing a text in spite of globs that are not quoted.

Invariant: a glob counts as one only where it stands as a value; text that merely looks like one,
in a comment or within other text, is read as it is.
"""

from intent_lsp.formats.yaml.compose import Composed, compose
from intent_lsp.formats.yaml.limits import Problem
from intent_lsp.formats.yaml.unquoted_globs import GlobKeys, find_unquoted, masked

_MAX_TRIES = 32


def compose_with_globs(
    text: str, keys: GlobKeys, linked: frozenset[str], depth: int = 0
) -> Composed | Problem:
    """Compose a text whose globs below `keys` may be unquoted; `linked` as `linked_anchors`."""
    globs = find_unquoted(text, keys, linked)
    for _ in range(_MAX_TRIES):
        composed = compose(masked(text, globs), globs, depth)
        kept = _kept(globs, composed)
        if len(kept) == len(globs):
            return composed
        globs = kept
    return composed


def _kept(globs: dict[int, str], composed: Composed | Problem) -> dict[int, str]:
    """Leave out what was no value after all.

    A glob within quoted text may have masked the closing quote: where reading stopped, the first
    one that has not been met is then given up, too.
    """
    if isinstance(composed, Composed):
        return {at: source for at, source in globs.items() if at in composed.globs}
    unmet = [at for at in globs if at not in composed.globs]
    wrong = {at for at in unmet if at < composed.reached}
    if not wrong:
        wrong = {at for at in unmet[:1] if at < composed.start}
    return {at: source for at, source in globs.items() if at not in wrong}
