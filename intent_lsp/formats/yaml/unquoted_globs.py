"""Unquoted globs in a YAML text that YAML would read as something else: finds and masks them.

Invariant: a masked text has the same length and the same lines.
Invariant: a glob never extends beyond its line (requirements section 3).
Invariant: a glob is masked only if it is a value. Text that looks like a glob in a comment or
inside other text is read as YAML reads it.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from intent_lsp.formats.text_positions import LINE_END
from intent_lsp.formats.yaml.compose import Composed, compose
from intent_lsp.formats.yaml.glob_source import block_glob, flow_glob, flow_item
from intent_lsp.formats.yaml.limits import YamlProblem

_START = r"(?:\A|(?<=[\r\n]))"
_BLANKS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
_TO_VALUE = re.compile(r"[ \t]*(?:&[\w-]+[ \t]*)?(?:#[^\r\n]*)?(?=[\r\n]|\Z)")
_BETWEEN = re.compile(r"(?:\s|(?<=\s)#[^\r\n]*)*")
_DASH = re.compile(r"( *)-(?=[ \t\r\n]|\Z)[ \t]*")
_SPACES = re.compile(r" *")
_REST = re.compile(r"[^\r\n]*")
_LINKS = re.compile(r"(?:(?<=[\s\[{,])|\A)([&*])([A-Za-z0-9_-]+)(?=[\s,\[\]{}:]|\Z)")
_MAX_TRIES = 32
"""The most times that a text is composed while wrong candidates are given up."""


class GlobKeys(Struct, frozen=True):
    """The keys whose lists hold globs: `outer` anywhere, `inner` only below the key `inner_of`."""

    outer: tuple[str, ...]
    inner: tuple[str, ...] = ()
    inner_of: str = ""

    def pattern(self) -> re.Pattern[str]:
        """Return a regular expression that finds these keys, first on a line or in flow mappings.

        Group `key` is the key's name; `lead` is the indent and the dashes before a key that is
        first on its line, else None.
        """
        names = "|".join(re.escape(name) for name in (*self.outer, *self.inner))
        return re.compile(
            rf"(?:{_START}(?P<lead>[ ]*(?:-[ ]+)*)|[{{,][ \t]*)"
            rf"(?P<quote>[\"']?)(?P<key>{names})(?P=quote)[ ]*:(?=\s|\Z)"
        )


INTENT_GLOBS = GlobKeys(("owned_scope", "ownedScope", "scope"), ("paths",), "scope")
POLICY_GLOBS = GlobKeys(
    (
        "path_glob",
        "pathGlob",
        "generated",
        "spec_iteration_globs",
        "specIterationGlobs",
        "blocked_tools",
        "blockedTools",
    )
)


def compose_with_globs(text: str, keys: GlobKeys) -> Composed | YamlProblem:
    """Return the YAML nodes of a text in which the globs below `keys` may be unquoted.

    Return the problem if the nodes cannot be built.
    """
    globs = dict(_Search(text, keys).found())
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
    parts: list[str] = []
    done = 0
    for start, source in globs.items():
        parts += (text[done:start], "x" * len(source))
        done = start + len(source)
    return "".join((*parts, text[done:]))


class _Search:
    """One search for unquoted globs through a YAML text, key by key.

    `_outer` is an offset up to which the text is known to be in the value of the last `inner_of`
    key (see GlobKeys), and that key's column. It is None outside of such a value.
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
        """Return whether a matched key holds globs.

        An `outer` key does; an `inner` key does only below the key `inner_of` (see GlobKeys).
        `_outer` is brought up to date.
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
        if text[at : at + 1] == "[":
            yield from self._flow(at + 1, self._indent(key))
        elif key.group("lead") is not None:
            yield from self._single(at)

    def _single(self, at: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of the unquoted glob at `at`, if there is one.

        `at` is where a single value stands although a list is expected. The glob is masked
        nevertheless, because a text that cannot be parsed would switch governance off.
        """
        raw = _REST.match(self._text, at)
        body = block_glob(raw.group() if raw else "", self._linked, continued=True)
        if body and body[0] not in "&{[|>":
            yield at, body

    def _below(self, at: int, column: int) -> Iterator[tuple[int, str]]:
        """Yield the offset and the source of each unquoted glob in a list on lines below its key.

        `at` is the offset of the list's first line, `column` the column of the key. The list may be
        in block or flow form; nothing is yielded if there is no list at `at`.
        """
        first = _DASH.match(self._text, at)
        if first and len(first.group(1)) >= column:
            yield from self._block(at, len(first.group(1)))
            return
        indent = len(self._text) - len(self._text[at:].lstrip(" ")) if not first else at
        if self._text[indent : indent + 1] == "[" and indent - at > column:
            yield from self._flow(indent + 1, column)

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
        """Yield the offset and the source of an item of a block list, if it is an unquoted glob.

        `item` is the offset and the text after the dash, or None to yield nothing. `continued`: the
        lines that follow belong to the item too.
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
            line = max(gap.rfind("\n"), gap.rfind("\r"))
            if here in ("", "]") or (line >= 0 and len(gap) - line - 1 <= indent):
                return
            if here == ",":
                at += 1
                continue
            end, whole = flow_item(text, at)
            if not whole:
                return
            body = text[at:end].rstrip()
            if flow_glob(body, self._linked):
                yield at, body
            at = end


def _linked_anchors(text: str) -> frozenset[str]:
    """Return the names that stand in the text both as anchor (`&`) and as alias (`*`): no globs."""
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


def _kept(globs: dict[int, str], composed: Composed | YamlProblem) -> dict[int, str]:
    """Return the globs without those that composing the masked text proved not to be values.

    `globs` maps offsets to sources. If composing failed, only a glob before the last value that was
    read is proved wrong. Without any, the first glob that was not read is left out if it is before
    the problem, since it may have masked a closing quote.
    """
    if isinstance(composed, Composed):
        return {at: source for at, source in globs.items() if at in composed.globs}
    unmet = [at for at in globs if at not in composed.globs]
    wrong = {at for at in unmet if at < composed.reached}
    if not wrong:
        wrong = {at for at in unmet[:1] if at < composed.start}
    return {at: source for at, source in globs.items() if at not in wrong}
