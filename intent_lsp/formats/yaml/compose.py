"""YAML composer: builds nodes from a text, or returns the first problem that prevents it.

Invariant: no text makes it raise, recurse deeper than MAX_NESTING, or crash the C parser, which
composing deep nesting would (requirements section 3).
Invariant: positions come from `mark.index` only, since a mark's line also counts NEL and U+2028.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn, Protocol

import yaml
from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.formats.yaml.limits import MAX_ALIASES, MAX_NESTING, MAX_VALUES, YamlProblem
from intent_lsp.formats.yaml.nodes import Alias, MappingNode, Scalar, SequenceNode, YamlNode

LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's parser in C, or that in Python where the C library is not installed."""

_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s+|\Z))*")
_MARK = "\ufeff"


class Composed(Struct, frozen=True, kw_only=True):
    """The YAML nodes of a text, with the duplicate keys and the unquoted globs found in the text.

    `root` is None if the text has no value. `duplicates` are pairs of keys with the same name in
    one mapping: the first key, and a later one. `globs` has the source of each value that is an
    unquoted glob, by its offset. `tab_gaps` are the start and end offset of each white space with a
    tab that was read as blanks; the result of `compose` has none.
    """

    root: YamlNode | None
    duplicates: tuple[tuple[Scalar, Scalar], ...]
    globs: Mapping[int, str]
    tab_gaps: Sequence[tuple[int, int]] = ()


class _Mark(Protocol):
    """A position in the text, as both the C parser and the Python parser of PyYAML report it."""

    index: int


class _ProblemError(Exception):
    """Stops the building of nodes in `_Building`. Carries the problem that `compose` returns."""

    def __init__(self, problem: YamlProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def compose(text: str, globs: Mapping[int, str] | None = None) -> Composed | YamlProblem:
    """Return the YAML nodes of a text, or the problem that prevents building them.

    `refused(text)` must have returned None before. If `globs` is given, the text is one in which a
    plain value takes the place of each unquoted glob; `globs` maps the offset of each such value to
    the source of the glob.
    """
    lead = 1 if text.startswith(_MARK) else 0
    building = _Building(text, globs or {}, lead)
    try:
        return building.composed()
    except _ProblemError as found:
        problem = found.problem
    except yaml.MarkedYAMLError as error:
        problem = _syntax_problem(error, text, lead)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # The Python parser raises the last two for impossible escapes and version numbers.
        place = int(getattr(error, "position", 0))
        problem = YamlProblem(
            code=FileCode.YAML_SYNTAX, message=f"not YAML: {error}", start=place, end=place + 1
        )
    return replace(problem, reached=building.reached, globs=frozenset(building.globs_met))


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, lead: int) -> YamlProblem:
    """Return the YAML parser's error as a problem at its place in the text.

    `lead` is the length of the byte order mark at the start of the text (0 or 1). The parser's
    positions do not include it.
    """
    mark = error.problem_mark or error.context_mark
    start = min(mark.index + lead if mark else 0, len(text))
    context = None
    if error.context and error.context_mark and error.context_mark.index + lead != start:
        context = (error.context_mark.index + lead, error.context)
    return YamlProblem(
        code=FileCode.YAML_SYNTAX,
        message=_message(error, text[start : start + 1]),
        start=start,
        end=min(start + 1, len(text)),
        context=context,
    )


def _message(error: yaml.MarkedYAMLError, found: str) -> str:
    """Return the message for a YAML parser's error at the character `found`.

    If the character cannot begin a value, the message says what to write. Otherwise it is the
    parser's own message.
    """
    if not str(error.problem).endswith("that cannot start any token"):
        return str(error.problem or error.context or "not YAML")
    if found == "\t":
        return "a tab cannot indent in YAML; use spaces"
    return f"text without quotes cannot begin with {found}; put it in quotes"


class _Building:
    """Builds the nodes of one text from the YAML parser's events."""

    def __init__(self, text: str, globs: Mapping[int, str], lead: int) -> None:
        self._text, self._globs, self._lead = text, globs, lead
        self._events: Iterator[yaml.Event] = iter(())
        self._depth = self._aliases = self._values = 0
        self._anchors: dict[str, Scalar | SequenceNode | MappingNode | None] = {}
        self._duplicates: list[tuple[Scalar, Scalar]] = []
        self.globs_met: dict[int, str] = {}
        self.reached = 0

    def composed(self) -> Composed:
        """Return the nodes of the whole text, with its duplicate keys and unquoted globs.

        Raise _ProblemError at the first exceeded limit, merge key, invalid alias or second
        document. Errors of the YAML parser pass through.
        """
        root, documents = None, 0
        self._events = yaml.parse(self._text[self._lead :], Loader=LOADER)
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                root = self._node(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    start = self._offset(event.start_mark)
                    message = "a file with more than one YAML document is not read; keep one"
                    self._stop(FileCode.YAML_SYNTAX, message, start, start + len("---"))
        return Composed(root=root, duplicates=tuple(self._duplicates), globs=self.globs_met)

    def _node(self, event: yaml.NodeEvent) -> YamlNode:
        """Return the node that begins with `event`, after reading all events that belong to it."""
        node: YamlNode
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            node = self._collection(event)
        else:
            node = self._alias(event)
        self._values += 1
        if self._values > MAX_VALUES:
            message = f"a file of more than {MAX_VALUES:,} keys and values is not read"
            self._stop(FileCode.YAML_LIMIT, message, node.start, node.end)
        if event.anchor and not isinstance(node, Alias):
            self._anchors[event.anchor] = node
        return node

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        start, end = self._offset(event.start_mark), self._offset(event.end_mark)
        self.reached = start
        source = self._globs.get(start)
        if source is not None and not event.style and event.tag is None:
            self.globs_met[start] = source
            return Scalar(start=start, end=start + len(source), value=source, unquoted=True)
        if event.anchor or event.tag:
            start = self._after_properties(start, end)
        return Scalar(
            start=start,
            end=end,
            value=event.value,
            style=event.style or "",
            anchored=bool(event.anchor),
        )

    def _after_properties(self, start: int, end: int) -> int:
        """Return the offset after the anchor and tag at `start` and the white space behind them.

        Return `start` if there are none. `end` is the offset at which the search for them stops.
        """
        found = _PROPERTIES.match(self._text, start, end)
        return found.end() if found else start

    def _collection(self, event: yaml.CollectionStartEvent) -> SequenceNode | MappingNode:
        start = self._offset(event.start_mark)
        if self._depth >= MAX_NESTING:
            message = f"a file nested deeper than {MAX_NESTING} levels is not read"
            self._stop(FileCode.YAML_LIMIT, message, start, start + 1)
        if event.anchor:
            # Mark the anchor as incomplete: an alias inside it would make an endless node.
            self._anchors[event.anchor] = None
        if event.anchor or event.tag:
            start = self._after_properties(start, len(self._text))
        self._depth += 1
        children: list[YamlNode] = []
        while isinstance(following := next(self._events), yaml.NodeEvent):
            children.append(self._node(following))
        self._depth -= 1
        flow, anchored = bool(event.flow_style), bool(event.anchor)
        # The parser ends a block collection after the comments and blank lines below it, so take
        # the end of the last child instead.
        end = self._offset(following.end_mark) if flow or not children else children[-1].end
        if isinstance(event, yaml.SequenceStartEvent):
            items = tuple(children)
            return SequenceNode(start=start, end=end, items=items, flow=flow, anchored=anchored)
        pairs = tuple(zip(children[::2], children[1::2], strict=True))
        self._check_keys(pairs)
        return MappingNode(start=start, end=end, pairs=pairs, flow=flow, anchored=anchored)

    def _check_keys(self, pairs: tuple[tuple[YamlNode, YamlNode], ...]) -> None:
        """Add the duplicate keys of a mapping to `_duplicates`.

        `pairs` are the keys and values of the mapping. Keys that are lists, mappings or aliases are
        not compared. Raise _ProblemError for a merge key (`<<` without quotes).
        """
        first: dict[str, Scalar] = {}
        for key, _ in pairs:
            if not isinstance(key, Scalar):
                continue
            if key.value == "<<" and not key.style:
                message = (
                    "YAML merge keys (`<<`) are not supported; write out the keys that they add"
                )
                self._stop(FileCode.YAML_LIMIT, message, key.start, key.end)
            known = first.setdefault(key.value, key)
            if known is not key:
                self._duplicates.append((known, key))

    def _alias(self, event: yaml.NodeEvent) -> Alias:
        start, end = self._offset(event.start_mark), self._offset(event.end_mark)
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            message = f"a file with more than {MAX_ALIASES} YAML aliases is not read"
            self._stop(FileCode.YAML_LIMIT, message, start, end)
        name = event.anchor or ""
        target = self._anchors.get(name)
        if target is None:
            fault = "a value that contains the alias" if name in self._anchors else "no anchor"
            message = f"the YAML alias *{name} refers to {fault}; put it in quotes if it is text"
            self._stop(FileCode.YAML_SYNTAX, message, start, end)
        return Alias(start=start, end=end, target=target)

    def _offset(self, mark: _Mark | None) -> int:
        """Return the offset of a parser's mark in the text, or 0 for None.

        The parser's positions do not include a byte order mark; the offset does.
        """
        return mark.index + self._lead if mark else 0

    def _stop(self, code: FileCode, message: str, start: int, end: int) -> NoReturn:
        raise _ProblemError(YamlProblem(code=code, message=message, start=start, end=end))
