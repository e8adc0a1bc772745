"""YAML that has globs without quotes, or tabs between a dash and its item: masked and composed.

YAML would read such a glob as something else. YAML 1.2 allows such a tab; the parser refuses it.

Invariant: a masked text has the same length and the same lines.
Invariant: text that looks like a glob in a comment or inside other text is read as YAML reads it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from intent_lsp.core.text import spliced
from intent_lsp.formats.yaml.compose import Composed, compose
from intent_lsp.formats.yaml.globs.glob_search import GlobKeys, GlobSearch
from intent_lsp.formats.yaml.limits import YamlProblem, refused
from intent_lsp.formats.yaml.nodes import SequenceNode, YamlNode, nodes_in

INTENT_GLOBS: Final = GlobKeys(("owned_scope", "scope"), ("paths",), "scope")
"""The keys of the intents file below which globs need no quotes."""

_LISTS = ("generated", "spec_iteration_globs", "blocked_tools", "mutating_tools", "read_only_tools")
POLICY_GLOBS: Final = GlobKeys(("path_glob", *_LISTS), single=("path_glob",))
"""Those of the policy."""

_MAX_TRIES = 32
"""The most times that a text is composed while wrong candidates are given up."""

_TabGap: TypeAlias = tuple[int, int]
"""The offsets at which the white space between a dash and its item begins and ends."""

_GAP = re.compile(r"(?:\A|(?<=[\r\n])) *(?:- +)*-(?P<gap> *\t[ \t]*)(?P<item>[^ \t\r\n#][^\r\n]*)")
_PROPERTY = re.compile(r"([&!]\S*)\s*")
# A mapping that begins behind a tab is no YAML, since the columns of its keys are unknown.
_MAPPED = re.compile(r"([\"']?)[\w-]+\1 *:(?=[ \t]|\Z)")


def compose_with_globs(text: str, keys: GlobKeys) -> Composed | YamlProblem:
    """Return the YAML nodes of a text in which the globs below `keys` may be unquoted.

    Tabs may stand between a dash and its item. Return the problem if the text is refused or
    cannot be composed.
    """
    problem = refused(text)
    if problem is not None:
        return problem
    composed = _composed(text, keys)
    if isinstance(composed, Composed) or text[composed.start : composed.start + 1] != "\t":
        return composed
    gaps = _tab_gaps(text)
    composed = _composed(_without_tabs(text, gaps), keys)
    if isinstance(composed, YamlProblem):
        return composed
    kept = _before_items(text, gaps, composed.root)
    if kept != gaps:
        composed = _composed(_without_tabs(text, kept), keys)
    return composed if isinstance(composed, YamlProblem) else replace(composed, tab_gaps=kept)


def plain_yaml(text: str, composed: Composed) -> str:
    """Return the text as YAML without unquoted globs, of the same length.

    `composed` is the result of `compose_with_globs(text, …)`. Each unquoted glob in it is masked,
    and the tabs of its `tab_gaps` are blanks.
    """
    return _without_tabs(_masked(text, composed.globs), composed.tab_gaps)


def _without_tabs(text: str, gaps: Sequence[_TabGap]) -> str:
    """Return the text with blanks in place of the tabs in its gaps, which are in order."""
    return spliced(text, ((start, end, " " * (end - start)) for start, end in gaps))


def _composed(text: str, keys: GlobKeys) -> Composed | YamlProblem:
    globs = dict(GlobSearch(text, keys).found())
    for _ in range(_MAX_TRIES):
        composed = compose(_masked(text, globs), globs)
        kept = _kept(globs, composed)
        if len(kept) == len(globs):
            return composed
        globs = kept
    return composed


def _masked(text: str, globs: Mapping[int, str]) -> str:
    """Return the text with each glob replaced by a plain value of the same length.

    `globs` maps the offset of each glob to its source, in ascending order.
    """
    sizes = ((start, len(source)) for start, source in globs.items())
    return spliced(text, ((start, start + size, "x" * size) for start, size in sizes))


def _kept(globs: dict[int, str], composed: Composed | YamlProblem) -> dict[int, str]:
    """Return the globs without those that composing the masked text proved not to be values.

    `globs` maps offsets to sources. If composing succeeded, all globs that were not read as values
    are left out. If it failed, unread globs are left out that stand before a value that was read.
    If there are no such globs, the first unread glob is left out if it is before the problem, since
    it may have masked a closing quote.
    """
    if isinstance(composed, Composed):
        return {at: source for at, source in globs.items() if at in composed.globs}
    unmet = [at for at in globs if at not in composed.globs]
    wrong = {at for at in unmet if at < composed.reached}
    if not wrong:
        wrong = {at for at in unmet[:1] if at < composed.start}
    return {at: source for at, source in globs.items() if at not in wrong}


def _tab_gaps(text: str) -> Sequence[_TabGap]:
    """Return, in order, the gaps with a tab after what looks like the dash of a list's item.

    Gaps before what looks like a key of a mapping are left out.
    """
    return [each.span("gap") for each in _GAP.finditer(text) if not _MAPPED.match(each["item"])]


def _before_items(text: str, gaps: Sequence[_TabGap], root: YamlNode | None) -> Sequence[_TabGap]:
    """Return those of `gaps` directly behind which an item of a list begins.

    The item may begin with an anchor or a tag. Other gaps may be inside a text. `root` is the root
    node of the text with blanks in place of the tabs in `gaps`, or None if the text has no value.
    """
    lists = (node for node in nodes_in(root) if isinstance(node, SequenceNode))
    starts = {item.start for listing in lists for item in listing.items}
    return [gap for gap in gaps if not starts.isdisjoint(_possible_starts(text, gap[1]))]


def _possible_starts(text: str, at: int) -> Iterator[int]:
    """Yield the offsets at which an item that begins at `at` may have its value.

    They are `at`, and the ends of each anchor or tag there, without and with the space after it.
    """
    yield at
    while (found := _PROPERTY.match(text, at)) is not None:
        at = found.end()
        yield from (found.end(1), at)
