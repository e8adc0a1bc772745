"""Formatting of the intents file: its white space set in order.

Invariant: the formatted text reads to equal values with equal comments, and without white space it
is equal to the text before.
"""

from collections.abc import Iterator, Sequence

from intent_lsp.core.findings import TextChange
from intent_lsp.core.text import spliced
from intent_lsp.formats.intents.edit import EditRefused, FileEdit
from intent_lsp.formats.intents.intents_file import ComposedIntents, compose_intents
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.globs.unquoted_globs import plain_yaml
from intent_lsp.formats.yaml.layout.gaps import SpaceEdit
from intent_lsp.formats.yaml.layout.layout import comments_of, space_edits
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import Alias, Scalar, SequenceNode, YamlNode, nodes_in

_MARK = "\ufeff"
_CHANGED = "a change of its white space would change a value or lose a comment"
_ALONE = (
    "a change of white space on these lines alone would change a value or lose a comment;"
    " format the whole file"
)
_ODD = "it has a line break that only YAML takes for one, such as U+2028, or a key behind `?`"


def format_intents(text: str) -> FileEdit | EditRefused:
    """Return the edit that sets the white space of an intents file in order, or a refusal.

    A byte order mark at the start is allowed. Each change is within a line, deletes a blank line,
    or adds the line end that the last line lacks. A text is refused if it does not parse, has a key
    behind `?`, or has a line break that only YAML knows, such as U+2028. An edit is refused if it
    would change a value or lose a comment.
    """
    return _edit(text, None)


def format_lines(text: str, lines: range) -> FileEdit | EditRefused:
    """Return the changes that begin on the lines `lines`, of those that `format_intents` makes.

    Lines count from 0. A text is refused as in `format_intents`. The changes are refused if they
    would change a value or lose a comment without the changes of other lines.
    """
    return _edit(text, lines)


def same_nodes(one: YamlNode | None, other: YamlNode | None) -> bool:
    """Return whether two trees of nodes are equal but for their offsets.

    The targets of two aliases are equal if they are at the same place in the order of nodes.
    """
    return list(_said(one)) == list(_said(other))


def _edit(text: str, lines: range | None) -> FileEdit | EditRefused:
    made = compose_intents(text)
    if isinstance(made, YamlProblem):
        place = TextPositions(text[: made.start]).position(made.start)
        where = f"{place.line + 1}:{place.character + 1}"
        return EditRefused(f"it does not parse: {where}: {made.message}")
    lead = 1 if text.startswith(_MARK) else 0
    found = space_edits(_plain(text, made), text.removeprefix(_MARK))
    if found is None:
        return EditRefused(_ODD)
    places = TextPositions(text)
    moved = [(start + lead, end + lead, space) for start, end, space in found]
    edits = [
        edit
        for edit in _without_tabs(moved, made)
        if lines is None or places.position(edit[0]).line in lines
    ]
    if not edits:
        return ()
    if not _keeps(text, made, spliced(text, edits)):
        return EditRefused(_CHANGED if lines is None else _ALONE)
    return tuple(TextChange(places.span(start, end), space) for start, end, space in edits)


def _without_tabs(edits: Sequence[SpaceEdit], made: ComposedIntents) -> list[SpaceEdit]:
    """Return the edits, and those that replace a tab between a dash and its item by one space.

    All are in order of position.
    """
    known = {start for start, _, _ in edits}
    tabs = ((start, end, " ") for start, end in made.composed.tab_gaps if start not in known)
    return sorted((*edits, *tabs))


def _plain(text: str, made: ComposedIntents) -> str:
    """Return a text as YAML, without a byte order mark and with plain words for unquoted globs."""
    return plain_yaml(text, made.composed).removeprefix(_MARK)


def _keeps(text: str, made: ComposedIntents, formatted: str) -> bool:
    """Return whether a formatted text has the values and the comments of the text before."""
    if "".join(text.split()) != "".join(formatted.split()):
        return False
    again = compose_intents(formatted)
    return (
        isinstance(again, ComposedIntents)
        and same_nodes(made.composed.root, again.composed.root)
        and comments_of(_plain(text, made)) == comments_of(_plain(formatted, again))
    )


def _said(root: YamlNode | None) -> Iterator[tuple[object, ...]]:
    """Yield, node by node, what two trees must have in common to be equal."""
    # The place of each node in the order of nodes, by its `id()`.
    numbers: dict[int, int] = {}
    for node in nodes_in(root):
        if isinstance(node, Alias):
            yield "alias", numbers.get(id(node.target))
            continue
        numbers[id(node)] = len(numbers)
        if isinstance(node, Scalar):
            yield node.value, node.style, node.anchored, node.unquoted
        else:
            inner = node.items if isinstance(node, SequenceNode) else node.pairs
            yield type(node), node.flow, node.anchored, len(inner)
