"""Search for globs without quotes in a YAML text, which YAML would read as something else.

Invariant: a glob never extends beyond its line (requirements section 3).
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from intent_lsp.core.text import camel_case
from intent_lsp.formats.text_positions import LINE_END
from intent_lsp.formats.yaml.globs.glob_source import block_glob, bracket_end, flow_glob, flow_item
from intent_lsp.formats.yaml.keys import snake_case

_START = r"(?:\A|(?<=[\r\n]))"
_BLANKS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
_TO_VALUE = re.compile(r"[ \t]*(?:&[\w-]+[ \t]*)?(?:#[^\r\n]*)?(?=[\r\n]|\Z)")
_BETWEEN = re.compile(r"(?:[ \t\r\n]|(?<=[ \t\r\n])#[^\r\n]*)*")
_DASH = re.compile(r"( *)-(?=[ \t\r\n]|\Z)[ \t]*")
_SPACES = re.compile(r" *")
_REST = re.compile(r"[^\r\n]*")
_SIGNS = ("*", "!", "@", "%", "`")
"""Signs with which a glob may begin, but no value of YAML that has no quotes."""

_LINKS = re.compile(r"(?:(?<=[\s\[{,])|\A)([&*])([A-Za-z0-9_-]+)(?=[\s,\[\]{}:]|\Z)")


class GlobKeys(Struct, frozen=True):
    """The keys below which globs need no quotes: `outer` anywhere, `inner` below `inner_of`.

    `single` are those of `outer` that hold one glob, and no list. The names here are in snake_case;
    a text may also have them in camelCase.
    """

    outer: tuple[str, ...]
    inner: tuple[str, ...] = ()
    inner_of: str = ""
    single: tuple[str, ...] = ()

    def pattern(self) -> re.Pattern[str]:
        """Return a regular expression that finds these keys, first on a line or in flow mappings.

        Group `key` is the key's name; `lead` is the indent and the dashes before a key that is
        first on its line, else None.
        """
        known = (*self.outer, *self.inner)
        names = "|".join(re.escape(name) for name in (*known, *map(camel_case, known)))
        return re.compile(
            rf"(?:{_START}(?P<lead>[ ]*(?:-[ ]+)*)|[{{,][ \t]*)"
            rf"(?P<quote>[\"']?)(?P<key>{names})(?P=quote)[ ]*:(?=\s|\Z)"
        )


class GlobSearch:
    """One search for unquoted globs through a YAML text, key by key.

    `_outer` is None outside of the value of an `inner_of` key (see GlobKeys). Inside, it is a pair:
    the offset up to which the value was followed so far, and the column of the key.
    """

    def __init__(self, text: str, keys: GlobKeys) -> None:
        self._text, self._keys, self._linked = text, keys, _linked_anchors(text)
        self._outer: tuple[int, int] | None = None
        self._line_ends = ("\n", "\r") if "\r" in text else ("\n",)

    def found(self) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of each unquoted glob."""
        done = 0
        for key in self._keys.pattern().finditer(self._text):
            if key.start() < done or not self._counts(key):
                continue
            for start, source in self._of_key(key):
                done = start + len(source)
                yield start, source

    def _counts(self, key: re.Match[str]) -> bool:
        """Return whether the value of a matched key may hold globs (see GlobKeys).

        The value of an `outer` key may, and that of an `inner` key only inside the value of an
        `inner_of` key. `_outer` is set at an `inner_of` key and cleared after its value.
        """
        if key.group("key") == self._keys.inner_of:
            self._outer = (key.end(), self._column(key))
        if key.group("key") not in self._keys.inner:
            return True
        if self._outer is None:
            return False
        since, outside = self._outer
        left = re.compile(rf"[\r\n] {{0,{outside}}}[^\s#]").search(self._text, since, key.end())
        # Remember how far the text was searched, so that the next key does not search it again.
        self._outer = None if left else (key.end(), outside)
        return left is None

    def _column(self, key: re.Match[str]) -> int:
        """Return the column of a matched key on its line."""
        lead = key.group("lead")
        if lead is not None:
            return len(lead)
        return key.start("key") - self._line_start(key.start())

    def _line_start(self, at: int) -> int:
        return 1 + max(self._text.rfind(end, 0, at) for end in self._line_ends)

    def _indent(self, key: re.Match[str]) -> int:
        """Return the indent of the line that a matched key is on."""
        found = _SPACES.match(self._text, self._line_start(key.start("key")))
        return len(found.group()) if found else 0

    def _of_key(self, key: re.Match[str]) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of each unquoted glob in the value of a matched key."""
        text, at = self._text, key.end()
        blank = _TO_VALUE.match(text, at)
        if blank and key.group("lead") is not None:
            after = _BLANKS.match(text, _line_end(text, blank.end()))
            yield from self._below(after.end() if after else len(text), len(key.group("lead")))
            return
        while text[at : at + 1] in (" ", "\t"):
            at += 1
        alone = snake_case(key.group("key")) in self._keys.single
        collection = text[at : at + 1] in ("[", "{") and not self._is_head(at)
        if text[at : at + 1] == "[" and collection and not alone:
            yield from self._flow(at + 1, self._indent(key))
        elif collection or (text[at : at + 1] == "&" and not alone):
            return
        elif key.group("lead") is not None:
            yield from self._single(at, len(key.group("lead")))
        else:
            yield from self._inner(at)

    def _is_head(self, at: int) -> bool:
        """Return whether the brackets at `at` are only the head of a glob, as in `[slug]/x`."""
        end = bracket_end(self._text, at)
        return end is not None and self._text[end : end + 1].strip(" \t\r\n,]}#:") != ""

    def _single(self, at: int, column: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of the unquoted glob at `at`, if there is one.

        `at` is the offset at which a single value begins, and `column` the column of its key. The
        glob is yielded even if the key is one for a list: left to YAML, the glob might keep the
        text from being parsed.
        """
        item = next(_lines_from(self._text, at), None)
        yield from self._item(item, continued=self._goes_on(at, column))

    def _goes_on(self, at: int, column: int) -> bool:
        """Return whether the next line with text below `at` belongs to the key in `column`.

        It is indented more, or is an item of a list in the same column.
        """
        for _, line in _lines_from(self._text, _line_end(self._text, at)):
            body = line.lstrip(" ")
            if body.strip() and not body.startswith("#"):
                indent = len(line) - len(body)
                return indent > column or (indent == column and _DASH.match(line) is not None)
        return False

    def _inner(self, at: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and source of an unquoted glob at `at` in braces: `{scope: *.py}`."""
        here = self._text[at : at + 1]
        if here in ("", "\r", "\n", ",", "}", "]", "#"):
            return
        end, _ = flow_item(self._text, at)
        body = self._text[at:end].rstrip(" \t")
        if body and self._text[end : end + 1] in (",", "}") and flow_glob(body, self._linked):
            yield at, body

    def _below(self, at: int, column: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of each unquoted glob in a value on lines below its key.

        `at` is the offset of the value's first line, `column` the column of the key. The value is a
        list in block or flow form, or a single glob.
        """
        first = _DASH.match(self._text, at)
        if first and len(first.group(1)) >= column:
            yield from self._block(at, len(first.group(1)))
            return
        spaces = _SPACES.match(self._text, at)
        start = spaces.end() if spaces else at
        if first or start - at <= column:
            return
        if self._text[start : start + 1] == "[" and not self._is_head(start):
            yield from self._flow(start + 1, column)
        else:
            yield from self._on_own_line(start, column)

    def _on_own_line(self, at: int, column: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of the unquoted glob on a line of its own below its key.

        Nothing is yielded if the value goes on on further lines.
        """
        here = self._text[at : at + 1]
        meant = here in _SIGNS or (here in ("[", "{") and self._is_head(at))
        if meant and not self._goes_on(at, column):
            yield from self._single(at, column)

    def _block(self, at: int, column: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of each unquoted glob in a block list.

        `at` is the offset of the list's first line, `column` the column of its dashes.
        """
        item: tuple[int, str] | None = None
        continued = False
        for start, line in _lines_from(self._text, at):
            body = line.lstrip(" ")
            if not body.strip() or body.startswith("#"):
                continue
            indent = len(line) - len(body)
            if indent > column:
                continued = True
                continue
            dash = _DASH.match(line)
            if indent < column or dash is None:
                break
            yield from self._item(item, continued=continued)
            item, continued = (start + dash.end(), line[dash.end() :]), False
        yield from self._item(item, continued=continued)

    def _item(self, item: tuple[int, str] | None, *, continued: bool) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of a value, if its first line is an unquoted glob.

        `item` is the offset and the text of the line from the value on, or None to yield nothing.
        `continued`: the value has more lines, which rules some globs out (see `block_glob`).
        """
        if item is not None:
            body = block_glob(item[1], self._linked, continued=continued)
            if body:
                yield item[0], body

    def _flow(self, at: int, indent: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of each unquoted glob in a flow list.

        `at` is where its items start. The search ends at `]`, at a line that is indented by at most
        `indent` columns, or at an item that is not complete on its line.
        """
        text = self._text
        while True:
            between = _BETWEEN.match(text, at)
            gap = between.group() if between else ""
            at += len(gap)
            here = text[at : at + 1]
            lead = gap[1 + max(gap.rfind("\n"), gap.rfind("\r")) :]
            if here in ("", "]") or (lead != gap and "\t" not in lead and len(lead) <= indent):
                return
            if here == ",":
                at += 1
                continue
            end, whole = flow_item(text, at)
            if not whole:
                return
            body = text[at:end].rstrip(" \t")
            if flow_glob(body, self._linked):
                yield at, body
            at = end


def _linked_anchors(text: str) -> frozenset[str]:
    """Return the names that stand in the text both as anchor (`&name`) and as alias (`*name`)."""
    if "&" not in text or "*" not in text:
        return frozenset()
    names: dict[str, set[str]] = {"&": set(), "*": set()}
    for found in _LINKS.finditer(text):
        names[found.group(1)].add(found.group(2))
    return frozenset(names["&"] & names["*"])


def _line_end(text: str, at: int) -> int:
    found = LINE_END.search(text, at)
    return found.end() if found else len(text)


def _lines_from(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yield the offset and the text of each line from the offset `at` on, without the line end."""
    while at < len(text):
        line = _REST.match(text, at)
        yield at, line.group() if line else ""
        at = _line_end(text, at)
