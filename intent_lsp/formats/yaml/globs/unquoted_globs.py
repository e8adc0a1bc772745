"""Unquoted globs in a YAML text that YAML would read as something else: finds and masks them.

Invariant: a masked text has the same length and the same lines.
Invariant: text that looks like a glob in a comment or inside other text is read as YAML reads it.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from intent_lsp.core.text import spliced
from intent_lsp.formats.yaml.compose import Composed, compose
from intent_lsp.formats.yaml.globs.glob_keys import GlobKeys
from intent_lsp.formats.yaml.globs.glob_search import GlobSearch
from intent_lsp.formats.yaml.globs.tab_gaps import before_items, tab_gaps, without_tabs
from intent_lsp.formats.yaml.limits import YamlProblem

_MAX_TRIES = 32
"""The most times that a text is composed while wrong candidates are given up."""


def compose_with_globs(text: str, keys: GlobKeys) -> Composed | YamlProblem:
    """Return the YAML nodes of a text in which the globs below `keys` may be unquoted.

    Tabs may stand between a dash and its item. Return the problem if the nodes cannot be built.
    """
    composed = _composed(text, keys)
    if isinstance(composed, Composed) or text[composed.start : composed.start + 1] != "\t":
        return composed
    gaps = tab_gaps(text)
    composed = _composed(without_tabs(text, gaps), keys)
    if isinstance(composed, YamlProblem):
        return composed
    kept = before_items(text, gaps, composed.root)
    if kept != gaps:
        composed = _composed(without_tabs(text, kept), keys)
    return composed if isinstance(composed, YamlProblem) else replace(composed, tab_gaps=kept)


def plain_yaml(text: str, composed: Composed) -> str:
    """Return the text as YAML without unquoted globs, of the same length.

    `composed` is the result of `compose_with_globs(text, …)`. Each unquoted glob in it is masked,
    and the tabs of its `tab_gaps` are blanks.
    """
    return without_tabs(masked(text, composed.globs), composed.tab_gaps)


def _composed(text: str, keys: GlobKeys) -> Composed | YamlProblem:
    globs = dict(GlobSearch(text, keys).found())
    for _ in range(_MAX_TRIES):
        composed = compose(masked(text, globs), globs)
        kept = _kept(globs, composed)
        if len(kept) == len(globs):
            return composed
        globs = kept
    return composed


def masked(text: str, globs: Mapping[int, str]) -> str:
    """Return the text with each glob replaced by a plain value of the same length.

    `globs` maps the offset of each glob to its source, in ascending order.
    """
    sizes = ((start, len(source)) for start, source in globs.items())
    return spliced(text, ((start, start + size, "x" * size) for start, size in sizes))


def _kept(globs: dict[int, str], composed: Composed | YamlProblem) -> dict[int, str]:
    """Return the globs without those that composing the masked text proved not to be values.

    `globs` maps offsets to sources. If composing failed, a glob is proved wrong if it was not read
    but a later value was. If that proves none wrong, the first glob that was not read is left out
    if it is before the problem, since it may have masked a closing quote.
    """
    if isinstance(composed, Composed):
        return {at: source for at, source in globs.items() if at in composed.globs}
    unmet = [at for at in globs if at not in composed.globs]
    wrong = {at for at in unmet if at < composed.reached}
    if not wrong:
        wrong = {at for at in unmet[:1] if at < composed.start}
    return {at: source for at, source in globs.items() if at not in wrong}
