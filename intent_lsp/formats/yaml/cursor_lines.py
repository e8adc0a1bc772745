"""The lines around a cursor in a YAML text being typed: keys beside it, room for something new.

Invariant: a new node never takes in text that is already there. In doubt there is no room for it.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from intent_lsp.core.content import line_body
from intent_lsp.formats.yaml.cursor_place import (
    Beginning,
    CursorWord,
    KeyAbove,
    NamedKey,
    YamlCursor,
)
from intent_lsp.formats.yaml.line_parts import LineParts, line_parts
from intent_lsp.formats.yaml.nodes import QUOTES

_NO_BLOCK = ("[", "{", "]", "}", *QUOTES)
_MARKERS = ("---", "%")
_LINES_SEARCHED = 500
"""The most lines above a cursor, and below it, that are searched for the quotes of one text."""


def keys_beside(lines: Sequence[str], line: int, own: LineParts) -> tuple[NamedKey, ...]:
    """Return the other keys of the block mapping that a key on a line would be in, from the top.

    `own` are the parts of that line, and `own.body` is the column of the key.
    """
    above = () if own.dashes else _keys_towards(lines, line, own.body, -1)
    return (*tuple(above)[::-1], *_keys_towards(lines, line, own.body, 1))


def _keys_towards(lines: Sequence[str], own: int, column: int, step: int) -> Iterator[NamedKey]:
    """Yield the keys in a column above (`step` -1) or below (1) the line `own`, nearest first.

    The first line that is indented less ends the mapping. Above, that line may still have the
    mapping's first key, behind a dash.
    """
    stop = -1 if step < 0 else len(lines)
    for line in range(own + step, stop, step):
        text = line_body(lines[line])
        if len(text) - len(text.lstrip(" ")) > column:
            continue
        parts = line_parts(text)
        if parts.blank:
            continue
        if parts.key is not None and parts.body == column and (step < 0 or not parts.dashes):
            yield parts.key._replace(scalar=parts.scalar)
        if parts.indent < column:
            return


def key_above(lines: Sequence[str], own: int, column: int) -> KeyAbove | None:
    """Return the key in a column above the line `own` whose list can go on there, or None.

    Of the lines above that are indented no further than the column, and have no dash in the column,
    the nearest must have the key. The key's value must be missing, or a list on the lines below.
    """
    children, listed = None, True
    for line in range(own - 1, -1, -1):
        parts = line_parts(line_body(lines[line]))
        if parts.blank:
            continue
        if parts.indent > column or (parts.indent == column and parts.dashes):
            children, listed = parts.indent, bool(parts.dashes)
            continue
        if not listed or parts.key is None or parts.body != column or parts.valued:
            return None
        return KeyAbove(name=parts.key.name, children=children)
    return None


def content_below(lines: Sequence[str], line: int) -> LineParts | None:
    """Return the parts of the first line below `line` with more than white space or a comment.

    Return None if there is none.
    """
    for below in range(line + 1, len(lines)):
        parts = line_parts(line_body(lines[below]))
        if not parts.blank:
            return parts
    return None


def quote_goes_on(lines: Sequence[str], line: int, word: CursorWord) -> bool:
    """Return whether the quote before a word is not closed on its line, but on a line below.

    It counts as closed below if the next line with that quote has an odd number of them.
    """
    if not word.quote or word.closed:
        return False
    return _closed_below(lines, line + 1, word.quote)


def _closed_below(lines: Sequence[str], first: int, quote: str) -> bool:
    """Return whether, from the line `first` on, the first line with `quote` has an odd number.

    Return False if none of the next `_LINES_SEARCHED` lines has the quote.
    """
    some = (lines[line] for line in range(first, min(first + _LINES_SEARCHED, len(lines))))
    return next((text.count(quote) % 2 == 1 for text in some if quote in text), False)


def in_quoted_text(lines: Sequence[str], line: int) -> bool:
    """Return whether a line is inside a quoted text that began above it, or ends one.

    This is judged by counting quotes, at most `_LINES_SEARCHED` lines up and down; in doubt, False.
    """
    own = line_parts(line_body(lines[line]) if line < len(lines) else "")
    between, ends = "", ""
    if not own.structural and not own.text[own.body :].startswith(QUOTES):
        ends = "".join(quote for quote in QUOTES if own.text.count(quote) % 2 == 1)
    for above in range(line - 1, max(line - _LINES_SEARCHED, 0) - 1, -1):
        parts = line_parts(line_body(lines[above]))
        quote = parts.content[:1]
        if quote in QUOTES and parts.content.count(quote) % 2 == 1:
            if quote in between or (quote in own.text and quote not in ends):
                return False
            return quote in ends or _closed_below(lines, line + 1, quote)
        if parts.structural:
            return False
        between += lines[above]
    return False


def fits_root(lines: Sequence[str], line: int, column: int) -> bool:
    """Return whether a key at the root of a text may begin in a column of a line.

    Apart from this line, the text's first line with content decides. It must begin in the same
    column, and not with a dash. If it has no key, it must not begin with a quote or a bracket
    either. `---` and directives do not count. True if there is no such line.
    """
    for other, text in enumerate(lines):
        parts = line_parts(line_body(text))
        if other == line or parts.blank or parts.text.startswith(_MARKERS):
            continue
        bracket = parts.text[parts.body :].startswith(_NO_BLOCK) and not parts.structural
        return parts.indent == column and not parts.dashes and not bracket
    return True


def fitting(
    found: YamlCursor, below: LineParts | None, own: LineParts, parent: int
) -> YamlCursor | None:
    """Return a cursor outside of brackets with its fields `deeper` and `dash_below` filled in.

    They say whether the next line with content is indented deeper than the word, and whether it has
    a dash in the word's column. Return None if that line leaves no room for something new at the
    cursor. `own` is the cursor's line, `below` the next one with content or None, and `parent` the
    column of the key or dash that has the cursor's line in its value, or -1 at the root.
    """
    word, indent = found.word, -1 if below is None else below.indent
    if below is None or found.is_key or (word.quote and word.closed):
        return found
    match found.beginning:
        case Beginning.DASH:
            beside = indent == own.body and below.key is not None and not below.dashes
            return found if beside or indent <= own.dashes[-1] else None
        case Beginning.LINE:
            return _on_own_line(found, below, own.body, parent)
        case _:
            inside = indent > own.body or (indent == own.body and bool(below.dashes))
            return None if inside else found


def _on_own_line(
    found: YamlCursor, below: LineParts, column: int, parent: int
) -> YamlCursor | None:
    blank = found.word.typed + found.word.rest == "" and not found.word.quote
    if below.indent > column:
        return None if blank or not below.structural else replace(found, deeper=True)
    if below.indent == column:
        if blank and not below.structural:
            return None
        return replace(found, dash_below=bool(below.dashes))
    beside = below.indent == parent and bool(below.dashes) and found.path[-1:] != (None,)
    return None if below.indent > parent or beside else found
