"""Brace expansion as in minimatch: `a{b,c}` stands for `ab` and `ac` (scope section 1).

Invariant: the work is bounded by MAX_BRACE_WORK, the result by MAX_ALTERNATIVES and MAX_EXPANDED.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from intent_lsp.core.scope.limits import (
    MAX_ALTERNATIVES,
    MAX_BRACE_WORK,
    MAX_EXPANDED,
    PatternLimitError,
)

_GROUP = re.compile(r"\{(?:(?!\{).)*\}")
_NUMBERS = re.compile(r"-?[0-9]+\.\.-?[0-9]+(?:\.\.-?[0-9]+)?")
_LETTERS = re.compile(r"[a-zA-Z]\.\.[a-zA-Z](?:\.\.-?[0-9]+)?")
_PADDED = re.compile(r"-?0[0-9]")
_ESCAPED = re.compile(r"\\([\\{},.])")
_BRACE_SIGN = re.compile(r"\\[\\{},.]|[{},]")
_SET_FOLLOWS = re.compile(r",(?!,)[^\n\r\u2028\u2029]*\}")

# While the braces are read, escaped characters are replaced by private-use code points (U+10FF00
# and on), so that an escaped brace or comma is not read as syntax. No real path contains these.
_HIDDEN = {char: chr(0x10FF00 + at) for at, char in enumerate("\\{},.")}
_SHOWN = {ord(hidden): char for char, hidden in _HIDDEN.items()}
_SHOWN[ord(_HIDDEN["\\"])] = "\\\\"
_MAX_NUMBER = 2**53


def expand_braces(pattern: str) -> tuple[str, ...]:
    """Return the patterns that `pattern` expands to, in order and without duplicates.

    A pattern without braces, or with a code point of _HIDDEN in it, is returned unchanged. Raise
    PatternLimitError if there are too many alternatives, if they are too long, or if the braces are
    nested too deeply.
    """
    if not _GROUP.search(pattern) or any(hidden in pattern for hidden in _HIDDEN.values()):
        return (pattern,)
    text = _ESCAPED.sub(lambda found: _HIDDEN[found[1]], pattern)
    if text.startswith("{}"):
        # As in a shell, `{}` at the very start of a pattern is literal.
        text = _HIDDEN["{"] + _HIDDEN["}"] + text[2:]
    try:
        rows = _expand(text, _Work(), top=True)
    except RecursionError:
        raise PatternLimitError("the pattern's braces are nested too deeply") from None
    return tuple(dict.fromkeys(row.translate(_SHOWN) for row in rows))


def brace_syntax(pattern: str) -> frozenset[int]:
    """Return the offsets of the braces and commas of `pattern` that make up alternatives.

    Literal ones are left out. Of a range such as `{1..3}`, the offsets are those of its braces. In
    a pattern such as `{a},b}`, which has the alternatives `a}` and `b`, it is not clear which brace
    belongs to which. For such a pattern, return all braces and commas that are not escaped. Raise
    PatternLimitError if `expand_braces` has to be asked, and the pattern exceeds a limit.
    """
    marked: set[int] = set()
    opened: list[tuple[int, list[int]]] = []
    for found in _BRACE_SIGN.finditer(pattern):
        at, sign = found.start(), found[0]
        if sign == "{":
            opened.append((at, []))
        elif sign == "," and opened:
            opened[-1][1].append(at)
        elif sign == "}" and opened:
            start, commas = opened.pop()
            if pattern.startswith("$", max(start - 1, 0)) and start:
                marked.difference_update(range(start, at))
            elif commas or _is_range(pattern[start + 1 : at]):
                marked.update((start, *commas, at))
    if not marked and len(expand_braces(pattern)) > 1:
        # In `{a},b}` the first `}` is literal: which of such braces pair is not worth finding out.
        marked.update(each.start() for each in _BRACE_SIGN.finditer(pattern) if each[0] in "{},")
    return frozenset(marked)


class _Work(Struct):
    """The budget of one brace expansion, counted in characters read."""

    left: int = MAX_BRACE_WORK

    def spend(self, amount: int) -> None:
        """Subtract `amount` from the budget. Raise PatternLimitError if the budget is too small."""
        self.left -= amount
        if self.left < 0:
            raise PatternLimitError("the pattern's braces are nested too deeply")


class _Group(Struct, frozen=True, kw_only=True):
    """The first brace group of a text: the `body` in the braces, the text before and after it."""

    pre: str
    body: str
    post: str

    @property
    def sequence(self) -> bool:
        """Whether the group is a range of numbers or letters, such as `1..3` or `a..e`."""
        return _is_range(self.body)

    @property
    def whole(self) -> str:
        """The group as it is written, with its braces."""
        return "{" + self.body + "}"


def _is_range(body: str) -> bool:
    return bool(_NUMBERS.fullmatch(body) or _LETTERS.fullmatch(body))


def _expand(text: str, work: _Work, *, top: bool) -> list[str]:
    """Return the expansions of `text`: the alternatives of its groups in all combinations.

    A group after `$` is literal. `top`: `text` is the whole pattern, not the inside of a group. If
    `top`, empty results are dropped, as in minimatch, unless the first group is a range or literal.
    """
    rows, first, drop = [""], True, False
    while (group := _group(text, work)) is not None:
        if group.pre.endswith("$"):
            values, first = [group.whole], False
        elif not group.sequence and "," not in group.body:
            if not _SET_FOLLOWS.search(group.post):
                break
            # In `{a},b}` the first `}` is literal, and the later one closes the set: hide the
            # first and read again.
            text, top = f"{group.pre}{{{group.body}{_HIDDEN['}']}{group.post}", True
            continue
        else:
            if first:
                first, drop = False, top and not group.sequence
            values = _values(group, work)
        _check_count(len(rows) * len(values))
        rows = [row + group.pre + value for row in rows for value in values]
        _bounded(rows)
        text = group.post
        if not text:
            return [row for row in rows if row] if drop else rows
    rows = [row + text for row in rows]
    _bounded(rows)
    return [row for row in rows if row] if drop else rows


def _values(group: _Group, work: _Work) -> list[str]:
    """Return the alternatives of one group, with the groups inside them expanded.

    A group without a comma of its own keeps its braces: `{{a,b}}` gives `{a}` and `{b}`.
    """
    if group.sequence:
        return _sequence(group.body)
    members = _members(group.body, work)
    if len(members) == 1:
        # Nested pairs as in minimatch: `{{a,b}}` keeps the outer pair and gives `{a}` and `{b}`.
        members = ["{" + member + "}" for member in _expand(members[0], work, top=False)]
        if len(members) == 1:
            return members
    values: list[str] = []
    for member in members:
        values += _expand(member, work, top=False)
    _bounded(values)
    return values


def _bounded(rows: Sequence[str]) -> None:
    """Raise PatternLimitError if there are too many expanded texts, or too many characters."""
    _check_count(len(rows))
    if sum(map(len, rows)) > MAX_EXPANDED:
        raise PatternLimitError(
            f"the pattern has more than {MAX_EXPANDED:,} characters when its braces are expanded"
        )


def _check_count(alternatives: int) -> None:
    """Raise PatternLimitError if a pattern has too many alternatives."""
    if alternatives > MAX_ALTERNATIVES:
        raise PatternLimitError(
            f"the pattern has more than {MAX_ALTERNATIVES:,} alternatives in braces"
        )


def _members(body: str, work: _Work) -> list[str]:
    """Split the body of a group at the commas that are not inside an inner group."""
    members, carry = [""], body
    while (group := _group(carry, work)) is not None:
        head, *rest = group.pre.split(",")
        members[-1] += head
        members += rest
        members[-1] += group.whole
        carry = group.post
    head, *rest = carry.split(",")
    members[-1] += head
    return members + rest


def _sequence(body: str) -> list[str]:
    """Return the members of a range such as `1..10..2`, `01..10` (padded with zeros) or `a..e`.

    Raise PatternLimitError if there are too many.
    """
    bounds = body.split("..")
    letters = _LETTERS.fullmatch(body) is not None
    start, stop = (ord(bound) if letters else int(bound) for bound in bounds[:2])
    step = max(abs(int(bounds[2])), 1) if len(bounds) > 2 else 1  # noqa: PLR2004 - a third part
    too_far = max(abs(start), abs(stop)) > _MAX_NUMBER
    _check_count(MAX_ALTERNATIVES + 1 if too_far else abs(stop - start) // step + 1)
    span = range(start, stop + 1, step) if start <= stop else range(start, stop - 1, -step)
    if letters:
        return [chr(code) if code != ord("\\") else "" for code in span]
    width = max(map(len, bounds[:2])) if any(map(_PADDED.match, bounds)) else 0
    return [f"{number:0{width}d}" for number in span]


def _group(text: str, work: _Work) -> _Group | None:
    """Return the first closed brace group of `text`, or None if there is none.

    Braces pair as in minimatch: of nested pairs, the outermost closed one is returned. The length
    of `text` is subtracted from the budget.
    """
    open_at: list[int] = []
    best: tuple[int, int] | None = None
    work.spend(len(text))
    for found in re.finditer(r"[{}]", text):
        at = found.start()
        if found[0] == "{":
            open_at.append(at)
        elif len(open_at) == 1:
            best = (open_at[0], at)
            break
        elif open_at:
            start = open_at.pop()
            if best is None or start < best[0]:
                best = (start, at)
    if best is None:
        return None
    start, end = best
    return _Group(pre=text[:start], body=text[start + 1 : end], post=text[end + 1 :])
