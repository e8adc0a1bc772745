"""Registrations in TOML files: our tables appended, corrected and removed as whole lines.

Invariant: bytes outside of our tables stay as they are, and removing what was added restores the
earlier text. A new table stands at the end, since a table ends where the next one begins.
Invariant: the text after an edit is parsed again, and must have the value that the edit was to give
it. Else the edit is refused.
"""

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from intent_lsp.formats.registrations.block_edit import with_block, with_block_at, without_block
from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import EditedText, State, calls_hook
from intent_lsp.formats.text_positions import LINE_END

LINES_AT_MOST: Final = 200
"""The most lines that one table of ours may have."""

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_MAYBE_OURS = re.compile(r"[ \t]*\[|.*intent[-_]lsp")
_NOT_APART: Final = "has a form in which an entry cannot be edited without touching other text"

Table = dict[str, Any]


class TomlEntry(Struct, frozen=True, kw_only=True):
    """A table of ours, and the `values` that it must have, as keys with their values.

    `item`: it is an item of the array of tables to which `path` leads; otherwise it is the table to
    which `path` leads.
    """

    path: tuple[str, ...]
    values: tuple[tuple[str, str | int | list[str]], ...]
    item: bool = False


class TomlRegistration(Struct, frozen=True, kw_only=True):
    """Our tables for one host in a TOML file.

    `host` is the host's name in `intent-lsp hook NAME`. If several tables are items of one array,
    their values of the key `trigger`, such as the name of an event, tell them apart. Their
    commands, which call our hook, tell them apart from tables of others.
    """

    host: str
    entries: tuple[TomlEntry, ...]
    trigger: str = "event"

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far a file holds the tables. `text` is its text, or None for no file.

        MISSING: it holds none of them. DIFFERS: some are missing or wrong. Return UnreadableText if
        the text is not TOML.
        """
        tree = parse_toml(text or "")
        if isinstance(tree, UnreadableText):
            return tree
        found = [self._found(tree, entry) for entry in self.entries]
        if not any(found):
            return State.MISSING
        right = all(
            any(_has(table, entry) for table in tables)
            for entry, tables in zip(self.entries, found, strict=True)
        )
        return State.REGISTERED if right else State.DIFFERS

    def installed(self, text: str | None) -> EditedText:
        """Return the file's text with all tables, each of them right. `text` is None for no file.

        Return UnreadableText if the text cannot be edited.
        """
        made: EditedText = text
        for entry in self.entries:
            made = made if isinstance(made, UnreadableText) else self._with(made, entry)
        return made

    def uninstalled(self, text: str | None) -> EditedText:
        """Return the text without any table of ours, or None, for no file, if that leaves nothing.

        A text without such a table is returned unchanged. Return UnreadableText if the text cannot
        be edited.
        """
        made: EditedText = text
        while isinstance(made, str):
            tree = parse_toml(made)
            if isinstance(tree, UnreadableText):
                return tree
            found = [(entry, each) for entry in self.entries for each in self._ours(tree, entry)]
            if not found:
                break
            entry, table = found[-1]
            cut = _cut(made, tree, entry, table)
            made = _form_problem(entry) if cut is None else without_block(made, *cut)
        return made

    def _with(self, text: str | None, entry: TomlEntry) -> EditedText:
        tree = parse_toml(text or "")
        if isinstance(tree, UnreadableText):
            return tree
        found = self._found(tree, entry)
        if any(_has(table, entry) for table in found):
            return text
        if not found:
            made = with_block(text, _lines(entry))
            return made if parse_toml(made) == _changed(tree, entry, None) else _form_problem(entry)
        cut = _cut(text or "", tree, entry, found[0])
        if cut is None:
            return _form_problem(entry)
        return with_block_at(text or "", *cut, _lines(entry))

    def _found(self, tree: Table, entry: TomlEntry) -> list[Table]:
        """Return the tables of ours in the place of `entry`; of an array, those with its event."""
        wanted = dict(entry.values).get(self.trigger)
        return [
            table
            for table in self._ours(tree, entry)
            if not entry.item or table.get(self.trigger) == wanted
        ]

    def _ours(self, tree: Table, entry: TomlEntry) -> Iterator[Table]:
        node: object = tree
        for step in entry.path:
            node = node.get(step) if isinstance(node, dict) else None
        for table in node if entry.item and isinstance(node, list) else [node]:
            if isinstance(table, dict) and (
                not entry.item or calls_hook(table.get("command"), self.host)
            ):
                yield table


def parse_toml(text: str) -> Table | UnreadableText:
    """Return the values of TOML text, or why it cannot be parsed."""
    try:
        # A bare carriage return is no line end of TOML, and is refused.
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        found = _PLACE.search(said)
        problem = said[: found.start()] if found else said
        if found is None or found.group(1) is None:
            return UnreadableText(problem=problem)
        return UnreadableText(problem=problem, line=int(found[1]), column=int(found[2]))
    except (RecursionError, ValueError):
        return UnreadableText(problem="the file cannot be parsed")


def _has(table: Table, entry: TomlEntry) -> bool:
    """Return whether a table has all values of an entry. A larger `timeout` is accepted, too."""
    return all(
        table.get(key) == value
        or (key == "timeout" and isinstance(table.get(key), int) and table[key] >= value)
        for key, value in entry.values
    )


def _lines(entry: TomlEntry) -> tuple[str, ...]:
    """Return the table of an entry as lines of TOML, without line ends."""
    # A basic string of TOML is one of JSON, as long as it is ASCII.
    name = ".".join(
        step if re.fullmatch(r"[\w-]+", step) else json.dumps(step) for step in entry.path
    )
    header = f"[[{name}]]" if entry.item else f"[{name}]"
    return (header, *(f"{key} = {json.dumps(value)}" for key, value in entry.values))


def _changed(tree: Table, entry: TomlEntry, gone: Table | None) -> Table:
    """Return a copy of a file's values with `entry` added, or without the table `gone`.

    If `gone` is None, the entry is added; otherwise `gone`, a table in its place, is removed.
    """
    made = copy.deepcopy(tree)
    node = made
    for step in entry.path[:-1]:
        node = node.setdefault(step, {})
    name = entry.path[-1]
    if not entry.item:
        if gone is None:
            node[name] = dict(entry.values)
        else:
            del node[name]
    elif gone is None:
        node[name] = [*node.get(name, []), dict(entry.values)]
    else:
        items = list(node[name])
        items.remove(gone)
        node[name] = items
    return made


def _cut(text: str, tree: Table, entry: TomlEntry, gone: Table) -> tuple[int, int] | None:
    """Return the (start, end) offsets of the lines to remove so that only the table `gone` goes.

    Return None if no run of at most LINES_AT_MOST whole lines does that.
    """
    wanted = [_pruned(_changed(tree, entry, gone), entry)]
    starts = [0, *(found.end() for found in LINE_END.finditer(text))]
    if starts[-1] != len(text):
        starts.append(len(text))
    for at, start in reversed(list(enumerate(starts[:-1]))):
        if not _MAYBE_OURS.match(text, start):
            continue
        for end in starts[at + 1 : at + 1 + LINES_AT_MOST]:
            rest = parse_toml(text[:start] + text[end:])
            if not isinstance(rest, UnreadableText) and _pruned(rest, entry) in wanted:
                return start, end
    return None


def _pruned(tree: Table, entry: TomlEntry) -> Table:
    """Return a copy of a file's values, without empty tables and arrays on the path of `entry`.

    If `entry` is a table of its own, that table stays.
    """
    made = copy.deepcopy(tree)
    around = len(entry.path) if entry.item else len(entry.path) - 1
    for size in range(around, 0, -1):
        *above, name = entry.path[:size]
        node = made
        for step in above:
            node = node.get(step, {})
        if node.get(name) in ({}, []):
            del node[name]
    return made


def _form_problem(entry: TomlEntry) -> UnreadableText:
    name = ".".join(entry.path)
    return UnreadableText(problem=f"`{name}` {_NOT_APART}")
