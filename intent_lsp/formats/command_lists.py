"""Parses the command lists, TOML files that say what each shell program does.

Invariant: a list that does not fit `core.commands.rows` is rejected, and the error names the list.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import fields

from intent_lsp.core.commands.rows import CommandLists, ProgramRow, RowKind
from intent_lsp.formats.msgspec_types import register_msgspec_types

_SPLIT: Final = frozenset(
    field.name
    for field in fields(ProgramRow)
    if isinstance(field.default, frozenset) or field.name == "plain"
)
"""The fields of a row whose value is a string of words separated by blanks."""

_SHARED: Final = frozenset(field.name for field in fields(CommandLists)) - {"rows"}
_ROW: Final = frozenset(field.name for field in fields(ProgramRow)) - {"kind"}


def read_command_lists(texts: Mapping[str, tuple[RowKind, str]]) -> CommandLists:
    """Return the command lists as one value: each program's rows, and the shared sets of words.

    `texts` maps the name of each list to the kind of its rows and its TOML text. Raise ValueError,
    with the list's name, if a list is not valid.
    """
    rows: dict[str, tuple[ProgramRow, ...]] = {}
    shared: dict[str, frozenset[str]] = {}
    for place, (kind, text) in texts.items():
        try:
            given = tomllib.loads(text)
            for name, row in _rows(given.pop("row", []), kind):
                rows[name] = (*rows.get(name, ()), row)
            shared |= {_known(key, _SHARED): _words(value) for key, value in given.items()}
        except ValueError as problem:
            raise ValueError(f"{place}: {problem}") from problem
    return CommandLists(rows=rows, **shared)


def _rows(given: list[dict[str, Any]], kind: RowKind) -> Iterator[tuple[str, ProgramRow]]:
    for each in given:
        of, names = each.pop("of", ""), each.pop("names", "")
        if not names:
            raise ValueError(f"a row without names: {each}")
        try:
            row = _row(each, kind)
        except (ValueError, re.error) as problem:
            raise ValueError(f"the row of {f'{of} {names}'.strip()}: {problem}") from problem
        for above in of.split(","):
            for name in names.split():
                yield f"{above.strip()} {name}".strip(), row


def _row(given: dict[str, Any], kind: RowKind) -> ProgramRow:
    fields_ = {
        _known(key, _ROW): _words(value) if key in _SPLIT else value for key, value in given.items()
    }
    row = msgspec.convert({"kind": kind, **fields_}, ProgramRow)
    re.compile(row.script)
    return row


def _known(key: str, names: frozenset[str]) -> str:
    if key not in names:
        raise ValueError(f"{key!r} is not a known key; the keys are {', '.join(sorted(names))}")
    return key


def _words(value: object) -> frozenset[str]:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")  # noqa: TRY004 - whoever reads lists catches one
    return frozenset(value.split())


KNOWN: Final = register_msgspec_types(ProgramRow)
