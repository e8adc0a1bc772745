"""Detection of unquoted globs: whether an item of a list means something else to YAML.

Invariant: an item is left to YAML if YAML reads it as a plain or quoted value, as block text or as
an anchor that is used (requirements section 3).
"""

import re

_COMMENT = re.compile(r"[ \t]#")
_QUOTED = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_BLOCK_HEADER = re.compile(r"[|>](?:[-+][1-9]?|[1-9][-+]?)?")
_SPECIAL = re.compile(r"[*&!@%`{}\[\],|>]|[-?:](?=[ \t]|\Z)")
_FLOW_SPECIAL = re.compile(_SPECIAL.pattern + r"|[?:]")
_MAPPED = re.compile(r":(?=[ \t]|\Z)")
_FLOW_MAPPED = re.compile(r":(?=[\s,?\[\]{}]|\Z)")
_TAG = re.compile(
    r"!!(?:str|null|bool|int|float|timestamp|binary|seq|map|omap|pairs|set|merge|value)"
    r"(?=[ \t]|\Z)"
)
_BLANKS = " \t"
_COLLECTION = re.compile(r"[{\[]|[-?:](?=[ \t]|\Z)")
_LINK = re.compile(r"([&*])([A-Za-z0-9_-]+)(?=[ \t]|\Z)")
_OPENERS, _CLOSERS = "{([", "})]"
_CLOSED_BY = {"[": "]", "{": "}", "(": ")"}


def block_glob(raw: str, linked: frozenset[str], *, continued: bool) -> str:
    """Return the unquoted glob that is an item in block form, or "" if the item is left to YAML.

    `raw` is the item's line from the item on. `linked` are the names that the text has both as an
    anchor (`&name`) and as an alias (`*name`). `continued`: the item goes on on more lines.
    """
    quoted = _QUOTED.match(raw)
    if quoted:
        rest = raw[quoted.end() :].strip(_BLANKS)
        body = _uncommented(raw) if rest and not rest.startswith("#") else ""
        return "" if continued else body
    body = _uncommented(raw)
    if not body or body[0] in "\"'#" or _BLOCK_HEADER.fullmatch(body) or _meant(body, linked):
        return ""
    if continued and _COLLECTION.match(body):
        return ""
    if _SPECIAL.match(body):
        return "" if body[0] in "{[" and _depth(body) else body
    return body if not continued and _MAPPED.search(body) else ""


def _meant(body: str, linked: frozenset[str]) -> bool:
    """Return whether an item is YAML syntax on purpose: a tag of YAML's own, an anchor or an alias.

    An anchor or alias is on purpose if its name is in `linked`, the names that the text has both as
    an anchor (`&name`) and as an alias (`*name`).
    """
    link = _LINK.match(body)
    return _TAG.match(body) is not None or (link is not None and link.group(2) in linked)


def flow_item(text: str, at: int) -> tuple[int, bool]:
    """Return the offset at which the flow list's item at `at` ends, and whether it is complete.

    It is complete if it is not empty and its brackets are closed. A comment and the end of a line
    end the item. Quotes at its start may go on over several lines; if they are never closed, the
    offset is `at`, and the item is not complete.
    """
    depth = 0
    quoted = _QUOTED.match(text, at)
    if text[at] in "\"'" and quoted is None:
        return at, False
    end = quoted.end() if quoted else at
    while end < len(text):
        here = text[end]
        if here in "\r\n" or (depth == 0 and here in ",]"):
            break
        if here == "#" and text[end - 1] in " \t":
            break
        depth += (here in _OPENERS) - (here in _CLOSERS)
        if depth < 0:
            return end, False
        end += 1
    return end, depth == 0 and end > at


def bracket_end(text: str, at: int) -> int | None:
    """Return the offset behind the bracket that closes the `[` or `{` at `at`.

    Return None if it is not closed on its line, or if a bracket or a parenthesis inside of it is
    closed by one of another kind. Brackets and line ends in quoted items do not count.
    """
    opened: list[str] = []
    begins = True
    while at < len(text) and text[at] not in "\r\n":
        here = text[at]
        quoted = _QUOTED.match(text, at) if begins and here in "\"'" else None
        if quoted is not None:
            at, begins = quoted.end(), False
            continue
        if here == "#" and text[at - 1] in _BLANKS:
            return None
        if here in _OPENERS:
            opened.append(_CLOSED_BY[here])
        elif here in _CLOSERS and (not opened or opened.pop() != here):
            return None
        at += 1
        if not opened:
            return at
        begins = here in "[{,:" or (begins and here in _BLANKS)
    return None


def flow_glob(body: str, linked: frozenset[str]) -> bool:
    """Return whether an item of a flow list is a glob that YAML would read as something else.

    `linked` are the names that the text has both as an anchor (`&name`) and as an alias (`*name`).
    An anchor or alias with such a name is no glob.
    """
    quoted = _QUOTED.match(body)
    if quoted:
        return quoted.end() < len(body) and "\n" not in body and "\r" not in body
    if _meant(body, linked):
        return False
    if _FLOW_SPECIAL.match(body) or _FLOW_MAPPED.search(body):
        return True
    return any(here in "[]{}" for here in body)


def _uncommented(raw: str) -> str:
    """Return a line without the comment and the white space at its end."""
    found = _COMMENT.search(raw)
    return (raw[: found.start()] if found else raw).rstrip(_BLANKS)


def _depth(body: str) -> int:
    """Return how many more brackets a text opens than it closes."""
    return sum((here in _OPENERS) - (here in _CLOSERS) for here in body)
