"""The structure of an intents file: what stands where, outline, folding, selection, carrying."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position, Span
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure
from intent_lsp.formats.intents.structure.folding import (
    FoldedRun,
    carried_runs,
    enclosing,
    folded_runs,
)
from intent_lsp.formats.intents.structure.lookup import globs_of, part_at
from intent_lsp.formats.intents.structure.outline import (
    CarriedPlaces,
    IntentsSymbol,
    OutlineKind,
    carried,
    outlined,
)
from intent_lsp.formats.text_positions import TextPositions
from tests.support.hostile_text import texts as hostile_texts
from tests.support.marked_text import cursor_in, text_at

TEXT = """\
# The work
# of this year
active_intent: INT-002
active_intents:
  - id: INT-001
    name: "Login"
    status: done
    owned_scope: ["src/auth/**", *.py, '!gen/**']
    acceptance_criteria:
      - Tests pass
      - lint: passes
    related_files:
      - src/auth/login.py
    aliases: [OLD-1]
  - id: INT-002
    unknown: >
      # no comment
      # at all
    scope:
      paths:
        - docs/é/**
"""


def structure_of(text: str) -> IntentsStructure:
    structure = read_structure(text)
    assert structure is not None
    return structure


def marked(part: str, cursor: str) -> str:
    """Return TEXT with the one occurrence of `part` replaced by `cursor`, which has the mark."""
    assert TEXT.count(part) == 1, part
    return TEXT.replace(part, cursor)


@pytest.mark.parametrize(
    ("part", "cursor", "kind", "text"),
    [
        ('"src/auth/**"', '|"src/auth/**"', "glob", "src/auth/**"),
        ('"src/auth/**"', '"src/a|uth/**"', "glob", "src/auth/**"),
        ('"src/auth/**"', '"src/auth/**"|', "glob", "src/auth/**"),
        ("*.py", "*.p|y", "glob", "*.py"),
        ("'!gen/**'", "'!g|en/**'", "glob", "!gen/**"),
        ("docs/é/**", "docs/é/*|*", "glob", "docs/é/**"),
        ("status: done", "status: do|ne", "status", "done"),
        ("status: done", "sta|tus: done", "key", "status"),
        ("id: INT-001", "id: INT|-001", "id", "INT-001"),
        ("id: INT-001", "i|d: INT-001", "key", "id"),
        ("OLD-1", "O|LD-1", "alias", "OLD-1"),
        ("Tests pass", "Tests| pass", "criterion", "Tests pass"),
        ("lint: passes", "lint: pas|ses", "criterion", "lint: passes"),
        ("src/auth/login.py", "src|/auth/login.py", "related_file", "src/auth/login.py"),
        ("active_intent: INT-002", "active_intent: INT-00|2", "pointer", "INT-002"),
        ("active_intent: INT-002", "active|_intent: INT-002", "key", "active_intent"),
        ("active_intents:", "active_int|ents:", "key", "active_intents"),
        ("    scope:", "    sc|ope:", "key", "owned_scope"),
        ("# of this", "# of| this", None, None),
        ("unknown:", "unk|nown:", None, None),
        ("    name:", "  |  name:", None, None),
        ('"Login"', '"Lo|gin"', None, None),
    ],
)
def test_each_part_is_found_at_its_place(
    part: str, cursor: str, kind: str | None, text: str | None
) -> None:
    plain, offset = cursor_in(marked(part, cursor))
    found = part_at(structure_of(plain), offset)
    assert (found and found.kind.value, found and found.text) == (kind, text)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("- id: |A\n", "id", "A"),
        ("A:\n  owned_scope: [x|]\n", "glob", "x"),
        ("|A:\n  owned_scope: [x]\n", "id", "A"),
        ("intents: {A: {ownedScope: [a, b|]}}\n", "glob", "b"),
        ("\ufeff- intentId: A\n  scope: [é|]\n", "glob", "é"),
        ("- id: A\r\n  status: ACT|IVE\r\n", "status", "ACTIVE"),
        ("- owned_scope: [|x]\n", "glob", "x"),
        ("- id: A\n  acceptance_criteria: one| thing\n", "criterion", "one thing"),
        ("- id: A\n  acceptance_criteria: {a: b|}\n", "criterion", "a: b"),
        ("- id: A\n  status: |\n", None, None),
        ("|", None, None),
        ("just |text", None, None),
        ("- |[a]\n", None, None),
        # Items that are written elsewhere belong to the place where they are written.
        ("- {id: A, owned_scope: &g [x|]}\n- {id: B, owned_scope: *g}\n", "glob", "x"),
        ("- {id: A, owned_scope: &g [x]}\n- {id: B, owned_scope: *|g}\n", None, None),
        ("- &a {id: A}\n- *|a\n", None, None),
    ],
)
def test_parts_are_found_in_every_form(text: str, kind: str | None, value: str | None) -> None:
    plain, offset = cursor_in(text)
    found = part_at(structure_of(plain), offset)
    assert (found and found.kind.value, found and found.text) == (kind, value)


def test_criteria_are_numbered() -> None:
    plain, offset = cursor_in(marked("lint: passes", "lint|: passes"))
    found = part_at(structure_of(plain), offset)
    assert found is not None
    assert found.number == 2


def test_ids_and_aliases_lead_to_the_entry() -> None:
    structure = structure_of(TEXT)
    first = structure.entry_of("INT-001")
    assert first is structure.entries[0]
    assert structure.entry_of("OLD-1") is first
    assert structure.entry_of("nobody") is None


def drawn(text: str, symbols: tuple[IntentsSymbol, ...], depth: int = 0) -> list[str]:
    lines = []
    for symbol in symbols:
        head = text_at(text, symbol.named)
        lines.append(f"{'  ' * depth}{symbol.name} [{symbol.detail}] at {head}")
        lines += drawn(text, symbol.children, depth + 1)
    return lines


def test_the_outline_has_intents_with_their_lists() -> None:
    assert drawn(TEXT, outlined(structure_of(TEXT))) == [
        "INT-001: Login [COMPLETED] at INT-001",
        "  owned_scope [3] at owned_scope",
        '    src/auth/** [] at "src/auth/**"',
        "    *.py [] at *.py",
        "    !gen/** [] at '!gen/**'",
        "  acceptance_criteria [2] at acceptance_criteria",
        "    Tests pass [] at Tests pass",
        "    lint: passes [] at lint: passes",
        "  related_files [1] at related_files",
        "    src/auth/login.py [] at src/auth/login.py",
        "INT-002 [PLANNED] at INT-002",
        "  owned_scope [1] at scope",
        "    docs/é/** [] at docs/é/**",
    ]


def test_an_entry_without_an_id_has_a_name_all_the_same() -> None:
    found = outlined(structure_of('- name: x\n  owned_scope: [a]\n- id: "A\\nB"\n- id: [1]\n'))
    assert [symbol.name for symbol in found] == ["(no id)", "(no id)", "(no id)"]
    assert found[0].kind is OutlineKind.INTENT
    assert found[0].children[0].children[0].name == "a"


def test_a_name_is_on_one_line_and_not_endless() -> None:
    text = f'- id: A\n  name: "{"n" * 300}\\nx"\n  constraints: [" ", "a\\nb"]\n'
    symbol = outlined(structure_of(text))[0]
    assert len(symbol.name) == 120
    assert [item.name for item in symbol.children[0].children] == ['""', "a b"]


def folds(text: str) -> list[tuple[int, int]]:
    return [(run.first, run.last) for run in folded_runs(structure_of(text))]


def test_intents_lists_texts_and_comments_can_be_folded() -> None:
    runs = folded_runs(structure_of(TEXT))
    assert runs[0] == FoldedRun(0, 1, comment=True)
    assert [(run.first, run.last) for run in runs[1:]] == [
        (3, 20),
        (4, 13),
        (8, 10),
        (11, 12),
        (14, 20),
        (15, 17),
        (18, 20),
        (19, 20),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("- id: A\n", []),
        ("- id: A\n  owned_scope: [\n    a,\n    b\n  ]\n", [(0, 4), (1, 3)]),
        ("- id: A\n  owned_scope: [\n    a,\n    b]\n", [(0, 3), (1, 3)]),
        ("- id: A\n  name: |\n    x\n\n\n# one\n\n# two\n# three\n", [(0, 2), (1, 2), (7, 8)]),
        ("- id: A\r\n  name: x\r\n# a\r\n# b", [(0, 1), (2, 3)]),
        ("- id: A\r  name: x\r", [(0, 1)]),
        ("active_intents:\n- id: A\n  x: 1\n", [(0, 2), (1, 2)]),
    ],
)
def test_a_fold_ends_where_its_value_ends(text: str, expected: list[tuple[int, int]]) -> None:
    assert folds(text) == expected


@pytest.mark.parametrize(
    ("cursor", "expected"),
    [
        (
            'active_intents:\n  - id: A\n    owned_scope:\n      - "sr|c/**"\n      - b\n',
            [
                "src/**",
                '"src/**"',
                '- "src/**"',
                '- "src/**"\n      - b',
                'owned_scope:\n      - "src/**"\n      - b',
                'id: A\n    owned_scope:\n      - "src/**"\n      - b',
                '- id: A\n    owned_scope:\n      - "src/**"\n      - b',
                'active_intents:\n  - id: A\n    owned_scope:\n      - "src/**"\n      - b',
                'active_intents:\n  - id: A\n    owned_scope:\n      - "src/**"\n      - b\n',
            ],
        ),
        ("[{id: A, owned_scope: [a, b|]}]", ["b", "[a, b]", "owned_scope: [a, b]", None, None]),
        ("- na|me: x\n", ["name", "name: x", "- name: x", "- name: x\n"]),
        ("- id: A\n\n|\n", ["- id: A\n\n\n"]),
        ("|", [""]),
        ("- name: >\n    lo|ng\n    text\n\n", [">\n    long\n    text", None, None, None]),
    ],
)
def test_a_selection_grows_from_the_value_to_the_file(
    cursor: str, expected: list[str | None]
) -> None:
    text, offset = cursor_in(cursor)
    found = [text[start:end] for start, end in enclosing(structure_of(text), offset)]
    assert len(found) == len(expected)
    assert all(want in (None, got) for want, got in zip(expected, found, strict=True)), found


class SearchedText(str):  # noqa: SLOT000 - it counts in an attribute
    """A text that counts the characters in which `rfind` may search."""

    searched = 0

    def rfind(self, sub: str, *bounds: Any) -> int:
        """Find a text from the end, and count."""
        start, end = bounds
        self.searched += end - start
        return super().rfind(sub, start, end)


def test_a_selection_does_not_search_the_text_for_each_item() -> None:
    text = "".join(f"- id: INT-{number}\n  owned_scope: [a]\n" for number in range(500))
    structure, searched = structure_of(text), SearchedText(text)
    offset = text.rindex("a]")
    found = enclosing(replace(structure, text=searched), offset)
    assert text[slice(*found[0])] == "a"
    assert searched.searched < 100


BROKEN = TEXT.replace("      - Tests pass\n", "      - Tests: [pass\n")


def test_what_is_on_unchanged_lines_of_a_broken_text_is_known() -> None:
    assert read_structure(BROKEN) is None
    places = CarriedPlaces(split_lines(TEXT), split_lines(BROKEN))
    symbols = carried(outlined(structure_of(TEXT)), places)
    assert drawn(BROKEN, symbols) == [
        line for line in drawn(TEXT, outlined(structure_of(TEXT))) if "Tests pass" not in line
    ]
    assert folded_runs(structure_of(TEXT)) == tuple(
        carried_runs(folded_runs(structure_of(TEXT)), places)
    )


def test_places_after_a_change_move_with_their_lines() -> None:
    later = TEXT.replace("      - Tests pass\n", "      - [x\n      - y\n      - z\n")
    places = CarriedPlaces(split_lines(TEXT), split_lines(later))
    symbols = carried(outlined(structure_of(TEXT)), places)
    assert text_at(later, symbols[1].named) == "INT-002"
    assert text_at(later, symbols[0].named) == "INT-001"
    start = Position(9, 8)
    assert places.forward(Span(start, start)) is None
    assert places.back(Position(10, 3)) is None
    assert places.back(Position(12, 3)) == Position(10, 3)


def test_the_first_line_that_differs_is_nobodys() -> None:
    text = "auth:\n  owned_scope: [a]\npay:\n  owned_scope: [b]\n"
    lines = split_lines(text)
    later = [*lines[:2], 'new: "\n', *lines[2:]]
    places = CarriedPlaces(lines, later)
    assert places.back(Position(2, 0)) is None
    assert places.back(Position(3, 0)) == Position(2, 0)
    symbols = outlined(structure_of(text))
    auth, pay = (symbol.span for symbol in carried(symbols, places))
    assert (auth.start.line, auth.end) == (0, symbols[0].span.end)
    assert (pay.start.line, pay.end.line) == (3, symbols[1].span.end.line + 1)
    runs = tuple(carried_runs(folded_runs(structure_of(text)), places))
    assert [(run.first, run.last) for run in runs] == [(0, 1), (3, 4)]
    # An entry keeps its end where the lines below it are rewritten.
    rewritten = CarriedPlaces(lines, [*lines[:2], 'new: "\n'])
    assert [symbol.name for symbol in carried(symbols, rewritten)] == ["auth"]
    start = Position(2, 0)
    assert rewritten.forward(Span(start, start)) is None


YAMLISH = st.lists(
    st.sampled_from(
        [
            *("- ", "id: A", "id: B", "\n", "\n  ", "\n    ", "owned_scope:", " [", "]", "{", "}"),
            *("'a/**'", '"b"', "*.py", "&x ", "*x", "# c", ", ", ": ", "status: done", "|", "é😀"),
            *("active_intents:", "aliases: [B]", "\r\n", "acceptance_criteria: one", "\t", "!"),
        ]
    ),
    max_size=25,
).map("".join)


@given(YAMLISH | hostile_texts(), st.integers(0, 200))
@example(TEXT, 150)
def test_no_text_and_no_place_makes_it_fail(text: str, offset: int) -> None:
    structure = read_structure(text)
    read = read_intents(text)
    assert (structure is not None) == read.parsed
    if structure is None:
        return
    assert structure.intents == read.intents
    offset = min(offset, len(text))
    part = part_at(structure, offset)
    assert part is None or part.start <= offset <= part.end
    assert all(0 <= glob.start <= glob.end <= len(text) for glob in globs_of(structure))
    ranges = enclosing(structure, offset)
    assert ranges[-1] == (0, len(text))
    for (start, end), (outer_start, outer_end) in pairwise(ranges):
        assert outer_start <= start <= offset <= end <= outer_end
        assert end - start < outer_end - outer_start
    lines = TextPositions(text).position(len(text)).line
    runs = folded_runs(structure)
    assert all(0 <= run.first < run.last <= lines for run in runs)
    assert len({run.first for run in runs}) == len(runs)
    for symbol in outlined(structure):
        assert nested(symbol)


def nested(symbol: IntentsSymbol) -> bool:
    inside = [symbol.named, *(child.span for child in symbol.children)]
    return (
        bool(symbol.name)
        and all(symbol.span.start <= s.start <= s.end <= symbol.span.end for s in inside)
        and all(map(nested, symbol.children))
    )


LINES = st.lists(st.sampled_from(["a\n", "b\n", "cc\n", "\n"]), max_size=8)


@given(LINES, LINES, st.integers(0, 9), st.integers(0, 2))
def test_a_carried_place_has_the_same_line(
    former: list[str], now: list[str], line: int, character: int
) -> None:
    places = CarriedPlaces(former, now)
    start = Position(line, character)
    found = places.forward(Span(start, start))
    if found is None or places.same:
        return
    assert former[line : line + 1] == now[found.start.line : found.start.line + 1]
    assert places.back(found.start) == start
