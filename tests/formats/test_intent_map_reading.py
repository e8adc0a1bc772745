"""A written intent map, read back: what we wrote is what it says, anything else says nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.redaction import redacted
from intent_lsp.formats.markdown.intent_map import (
    MAX_READ,
    NAME_LENGTH,
    NAMED_AT_MOST,
    MapRow,
    NamedDefinitions,
    cells_in,
    definitions_of,
    intent_map,
    named,
    section_of,
    section_of_archived,
)

SECRET = "ghp_" + "a" * 36
TIME = "2026-11-21T20:27:33.123Z"
HASH = hash_content(b"x")
ROW = MapRow(path=WorkspacePath("a.py"), definitions=("A", "A.b"), time=TIME, hash=HASH)
LINE = f"| `a.py` | `A`, `A.b` | {TIME} | `{HASH[7:19]}` |"

hostile = st.one_of(
    st.text(min_size=1, max_size=20),
    st.text(
        st.sampled_from("|`\\, -\n\r\t<>&@[]*_#—:/x7u\u202e\ud800\u2028\U0001f600"), min_size=1
    ),
    st.sampled_from(["a | b", "`, `", " and 3 more", "\\x7c", "[redacted]", SECRET, "-", " "]),
)
rows = st.builds(
    MapRow,
    path=hostile.map(WorkspacePath),
    time=st.sampled_from([TIME, "2027-01-01T00:00:00.000Z"]),
    hash=st.sampled_from([HASH, hash_content(b"y"), None]),
)


def written(*found: MapRow) -> bytes:
    half = len(found) // 2
    first = section_of(Intent(id=IntentId("INT-001"), name="| `x` |"), found[:half])
    return intent_map([first, section_of_archived("INT-OLD", found[half:])]).encode()


def read_definitions(text: str, row: MapRow = ROW) -> NamedDefinitions | None:
    return definitions_of(row, cells_in(text.encode()))


def key(row: MapRow) -> tuple[object, ...]:
    return redacted(row.path), row.time, row.hash


@given(
    found=st.lists(rows, max_size=6, unique_by=key),
    names=st.lists(st.lists(hostile, max_size=12), min_size=6, max_size=6),
)
def test_what_is_written_is_read_back(found: list[MapRow], names: list[list[str]]) -> None:
    found = [named(row, each) for row, each in zip(found, names, strict=False)]
    cells = cells_in(written(*found))
    for row in found:
        shown = tuple(map(redacted, row.definitions))
        expected = NamedDefinitions() if row.hash is None else NamedDefinitions(shown, row.more)
        assert definitions_of(row, cells) == expected


@given(row=rows.filter(lambda row: row.hash is not None), names=st.lists(hostile, max_size=12))
def test_what_is_read_is_spelled_as_it_stood(row: MapRow, names: list[str]) -> None:
    text = written(named(row, names))
    told = definitions_of(row, cells_in(text))
    assert told is not None
    assert written(replace(row, definitions=told.definitions, more=told.more)) == text


@given(first=st.integers(0, 400), last=st.integers(0, 400))
def test_of_a_map_that_was_cut_nothing_wrong_is_read(first: int, last: int) -> None:
    other = MapRow(path=WorkspacePath("b"), time=TIME, hash=HASH)
    found = [named(ROW, ["A", "A.b"]), named(other, ["C"] * 20)]
    piece = written(*found)[first:last]
    for row in found:
        assert definitions_of(row, cells_in(piece)) in (
            None,
            NamedDefinitions(row.definitions, row.more),
        )


@given(
    data=st.binary(max_size=200)
    | st.text(alphabet="| `-\r\nab0\\xuU", max_size=200).map(str.encode)
)
def test_any_bytes_are_read(data: bytes) -> None:
    assert cells_in(data) is not None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (LINE, NamedDefinitions(("A", "A.b"))),
        (LINE + "\r", NamedDefinitions(("A", "A.b"))),
        (LINE.replace("`A.b`", "`A.b` and 12 more"), NamedDefinitions(("A", "A.b"), 12)),
        (LINE.replace("`A`, `A.b`", "-"), NamedDefinitions()),
        (
            LINE.replace("`A.b`", r"`\x5c\u202e\U0001f600\n`"),
            NamedDefinitions(("A", "\\\u202e\U0001f600\n")),
        ),
        # Not of our form: a name without its span, an end that is cut, words that nobody wrote.
        (LINE.replace("`A`", "A"), None),
        (LINE.replace("`A`, `A.b`", "``"), None),
        (LINE.replace("`A.b`", "`A.b` and 012 more"), None),
        (LINE.replace("`A.b`", "`A.b` and 9999999999 more"), None),
        (LINE.replace("`A.b`", "`A.b`,"), None),
        (LINE.replace("`A.b`", f"`{'x' * (NAME_LENGTH + 1)}`"), None),
        (LINE.replace("`A.b`", ", ".join(["`x`"] * NAMED_AT_MOST)), None),
        (LINE[:-1], None),
        (" " + LINE, None),
        (LINE.replace("| `A`", "| | `A`"), None),
        # Another record's.
        (LINE.replace("a.py", "b.py"), None),
        (LINE.replace("33.123", "33.124"), None),
        (LINE.replace(HASH[7:19], "0" * 12), None),
    ],
)
def test_a_row_says_what_has_the_form_of_ours(line: str, expected: NamedDefinitions | None) -> None:
    assert read_definitions(f"# Intent map\n\n{line}\n") == expected


def test_an_escape_that_names_no_character_is_a_text() -> None:
    name = r"\UFFFFFFFF\xZZ"
    assert read_definitions(LINE.replace("`A`, `A.b`", f"`{name}`")) == NamedDefinitions((name,))


def test_of_two_rows_for_a_record_the_first_that_names_anything_counts() -> None:
    nothing, other = LINE.replace("`A`, `A.b`", "-"), LINE.replace("`A`, ", "")
    assert read_definitions(f"{nothing}\n{LINE}\n{other}\n") == NamedDefinitions(("A", "A.b"))


def test_a_path_with_a_secret_is_found_without_it() -> None:
    row = MapRow(path=WorkspacePath(f"{SECRET}.py"), definitions=("A",), time=TIME, hash=HASH)
    text = written(row).decode()
    assert SECRET not in text
    assert read_definitions(text, row) == NamedDefinitions(("A",))


def test_a_map_that_is_too_large_names_nothing() -> None:
    data = LINE.encode() + b"\n"
    assert definitions_of(ROW, cells_in(data + b" " * (MAX_READ - len(data)))) == NamedDefinitions(
        ("A", "A.b")
    )
    assert cells_in(data + b" " * MAX_READ) is None
    assert definitions_of(ROW, None) == NamedDefinitions()
