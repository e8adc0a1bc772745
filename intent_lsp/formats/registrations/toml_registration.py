"""Registrations in TOML files: our tables appended, corrected and removed as whole lines.

Invariant: bytes outside of our tables stay as they are, and removing what was added restores the
earlier text. A new table stands at the end, since a table ends where the next one begins.
Invariant: the text after a table was added or removed is parsed again, and must have the value that
the edit was to give it. Else the edit is refused.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from intent_lsp.formats.registrations.block_edit import with_block, with_block_at, without_block
from intent_lsp.formats.registrations.json_edit import JsonPath, value_with, value_without
from intent_lsp.formats.registrations.json_entry import SettingsEntry, same_trigger
from intent_lsp.formats.registrations.jsonc import JsonValue, UnreadableText
from intent_lsp.formats.registrations.registration import EditedText, State, calls_hook
from intent_lsp.formats.text_positions import LINE_END

LINES_AT_MOST: Final = 200
"""The most lines that one table of ours may have."""

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_MAYBE_OURS = re.compile(r"[ \t]*\[|.*intent[-_]lsp")
_NOT_APART: Final = (
    "has a form in which an entry cannot be edited without touching other text, so edit it by hand"
)

Table = dict[str, Any]


class TomlRegistration(Struct, frozen=True, kw_only=True):
    """Our tables for one host in a TOML file.

    `host` is the host's name in `intent-lsp hook NAME`. A table in an array is ours if its
    `command` calls our hook.
    """

    host: str
    entries: tuple[SettingsEntry, ...]

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far a file holds the tables. `text` is its text, or None for no file.

        MISSING: none of them is in its place. DIFFERS: some are missing or wrong. Return
        UnreadableText if the text is not TOML.
        """
        tree = parse_toml(text or "")
        if isinstance(tree, UnreadableText):
            return tree
        found = [self._found(tree, entry) for entry in self.entries]
        if not any(found):
            return State.MISSING
        right = all(
            any(_has(table, entry) for _, table in tables)
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
            entry, (path, _) = found[-1]
            cut = _cut(made, tree, path)
            made = _form_problem(entry) if cut is None else without_block(made, *cut)
        return made

    def _with(self, text: str | None, entry: SettingsEntry) -> EditedText:
        tree = parse_toml(text or "")
        if isinstance(tree, UnreadableText):
            return tree
        found = self._found(tree, entry)
        if any(_has(table, entry) for _, table in found):
            return text
        if not found:
            made = with_block(text, _lines(entry))
            wanted = value_with(tree, entry.new_path, entry.value)
            return made if parse_toml(made) == wanted else _form_problem(entry)
        cut = _cut(text or "", tree, found[0][0])
        if cut is None:
            return _form_problem(entry)
        return with_block_at(text or "", *cut, _lines(entry))

    def _found(self, tree: Table, entry: SettingsEntry) -> list[tuple[JsonPath, Table]]:
        """Return the tables of ours in the place of `entry`, each with its path.

        Tables for another event are left out.
        """
        ours = self._ours(tree, entry)
        return [(path, table) for path, table in ours if same_trigger(table, entry)]

    def _ours(self, tree: Table, entry: SettingsEntry) -> Iterator[tuple[JsonPath, Table]]:
        """Yield the tables of ours in the table or array of `entry`, each with its path."""
        held = _value_at(tree, entry.path)
        if not entry.item and isinstance(held, dict):
            yield entry.path, held
        for at, table in enumerate(held if entry.item and isinstance(held, list) else ()):
            if isinstance(table, dict) and calls_hook(table.get("command"), self.host):
                yield (*entry.path, at), table


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


def _has(table: Table, entry: SettingsEntry) -> bool:
    """Return whether a table has all values of an entry. A larger `timeout` is accepted, too."""
    return all(
        table.get(key) == value
        or (key == "timeout" and isinstance(table.get(key), int) and table[key] >= value)
        for key, value in entry.members.items()
    )


def _lines(entry: SettingsEntry) -> tuple[str, ...]:
    """Return the table of an entry as lines of TOML, without line ends."""
    # A basic string of TOML is one of JSON, as long as it is ASCII.
    name = ".".join(
        step if re.fullmatch(r"[\w-]+", step) else json.dumps(step) for step in map(str, entry.path)
    )
    header = f"[[{name}]]" if entry.item else f"[{name}]"
    return (header, *(f"{key} = {json.dumps(value)}" for key, value in entry.members.items()))


def _cut(text: str, tree: Table, gone: JsonPath) -> tuple[int, int] | None:
    """Return the (start, end) offsets of the lines to remove so that only the table at `gone` goes.

    Return None if no run of at most LINES_AT_MOST whole lines does that.
    """
    wanted = _pruned(value_without(tree, gone), gone)
    starts = [0, *(found.end() for found in LINE_END.finditer(text))]
    if starts[-1] != len(text):
        starts.append(len(text))
    for at, start in reversed(list(enumerate(starts[:-1]))):
        if not _MAYBE_OURS.match(text, start):
            continue
        for end in starts[at + 1 : at + 1 + LINES_AT_MOST]:
            rest = parse_toml(text[:start] + text[end:])
            if not isinstance(rest, UnreadableText) and _pruned(rest, gone) == wanted:
                return start, end
    return None


def _pruned(tree: JsonValue, path: JsonPath) -> JsonValue:
    """Return a file's values without empty tables and arrays on the way along `path`."""
    for size in range(len(path) - 1, 0, -1):
        if _value_at(tree, path[:size]) in ({}, []):
            tree = value_without(tree, path[:size])
    return tree


def _value_at(tree: object, path: JsonPath) -> object:
    """Return the value to which keys lead, or None if there is none."""
    for step in path:
        tree = tree.get(step) if isinstance(tree, dict) else None
    return tree


def _form_problem(entry: SettingsEntry) -> UnreadableText:
    name = ".".join(map(str, entry.path))
    return UnreadableText(problem=f"`{name}` {_NOT_APART}")
