"""The intent map as Markdown: what is written parses back to the same cells (ledger section 6)."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.redaction import redacted
from intent_lsp.formats.markdown.intent_map import (
    ARCHIVED,
    MapRow,
    intent_map,
    section_of,
    section_of_archived,
)

TIME = "2026-11-21T20:27:33.123Z"
HASH = hash_content(b"x")
HEAD = "# Intent map\n\nWritten by intent-lsp from its ledger: changes made here are lost.\n"
TABLE = "| file | definitions | last record | hash |\n| --- | --- | --- | --- |\n"

hostile = st.one_of(
    st.text(min_size=1, max_size=20),
    st.text(st.sampled_from("|`\\\n\r\t <>&@[]()*_~#—:/x7\u202e\ud800\u2028"), min_size=1),
    st.sampled_from(
        ["a | b", "``", "\\x7c", "https://x.org/", "<!-- x -->", "www.x.org", " ", "-"]
    ),
)
rows = st.builds(
    MapRow,
    path=hostile.map(WorkspacePath),
    definitions=st.lists(hostile, max_size=3).map(tuple),
    time=st.just(TIME),
    hash=st.sampled_from([HASH, None]),
)


def intent(**changes: object) -> Intent:
    told = {"id": IntentId("INT-001"), "name": "Login", "status": Status.IN_PROGRESS, **changes}
    return Intent(**told)  # type: ignore[arg-type]  # what a test says of it


def row(path: str, *definitions: str, **changes: object) -> MapRow:
    told = {"path": WorkspacePath(path), "definitions": definitions, "time": TIME, "hash": HASH}
    return MapRow(**{**told, **changes})  # type: ignore[arg-type]  # what a test says of it


def unescaped(text: str) -> str:
    """Read back what was spelled with escapes."""
    form = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([nrt]))")

    def character(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        return {"n": "\n", "r": "\r", "t": "\t"}[found[4]] if code is None else chr(int(code, 16))

    return form.sub(character, text)


def cells(line: str) -> list[list[str]]:
    """Read a row's cells: the values in its code spans, or what stands there without one."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    parts = line[2:-2].split(" | ")
    return [[unescaped(each) for each in re.findall("`([^`]*)`", part)] or [part] for part in parts]


def rendered(text: str) -> list[str]:
    """Give what a Markdown reader makes of a text, by the kind of each block."""
    reader = MarkdownIt("commonmark").enable("table")
    return [token.type for token in reader.parse(text)]


def test_a_map_has_a_section_for_each_intent_and_a_row_for_each_file() -> None:
    first = section_of(intent(), [row("src/b.py"), row("src/a.py", "A", "A.b", hash=None)])
    second = section_of(intent(id="INT-002", name="", status=Status.PLANNED), [])
    last = section_of_archived("INT-OLD", [row("old.py")])
    assert intent_map([first, second, last]) == (
        f"{HEAD}\n"
        f"## INT-001 — Login (IN_PROGRESS)\n\n{TABLE}"
        f"| `src/a.py` | `A`, `A.b` | {TIME} | - |\n"
        f"| `src/b.py` | - | {TIME} | `{HASH[7:19]}` |\n"
        "\n"
        "## INT-002 (PLANNED)\n\nNo file was edited for this intent.\n"
        "\n"
        f"## INT-OLD (INTENT_ARCHIVED)\n\n{TABLE}"
        f"| `old.py` | - | {TIME} | `{HASH[7:19]}` |\n"
    )


def test_a_map_without_intents_is_its_head() -> None:
    assert intent_map([]) == HEAD


@given(found=st.lists(rows, max_size=4))
def test_what_is_written_parses_back_to_the_same_cells(found: list[MapRow]) -> None:
    text = section_of(intent(), found)
    lines = text.split("\n")[4:-1] if found else []
    assert len(lines) == len(found)
    for line, each in zip(lines, sorted(found, key=lambda each: each.path), strict=True):
        path, definitions, time, short = cells(line)
        assert path == [redacted(each.path)]
        assert definitions == ([redacted(name) for name in each.definitions] or ["-"])
        assert time == [TIME]
        assert short == (["-"] if each.hash is None else [HASH[7:19]])


@given(found=st.lists(rows, min_size=1, max_size=4), id_=hostile, name=hostile)
def test_no_value_breaks_the_table_nor_the_heading(
    found: list[MapRow], id_: str, name: str
) -> None:
    text = section_of(intent(id=IntentId(id_), name=name), found)
    text.encode()
    kinds = rendered(text)
    assert kinds[:3] == ["heading_open", "inline", "heading_close"]
    assert kinds.count("tr_open") == len(found) + 1
    assert kinds.count("td_open") == 4 * len(found)
    assert kinds[3] == "table_open"
    assert kinds[-1] == "table_close"


@given(id_=hostile, name=hostile)
def test_a_heading_parses_back_to_id_and_name(id_: str, name: str) -> None:
    heading = section_of(intent(id=IntentId(id_), name=name), []).split("\n", 1)[0]
    found = re.fullmatch(r"## (.*?) — (.*) \(IN_PROGRESS\)", heading)
    assert found is not None
    assert (unescaped(found[1]), unescaped(found[2])) == (redacted(id_), redacted(name))
    archived = section_of_archived(id_, []).split("\n", 1)[0]
    assert archived.endswith(f" ({ARCHIVED})")


@given(found=st.lists(rows, max_size=4, unique_by=lambda each: each.path), seed=st.randoms())
def test_the_order_of_rows_is_that_of_their_paths(found: list[MapRow], seed: Random) -> None:
    shuffled = list(found)
    seed.shuffle(shuffled)
    assert section_of(intent(), shuffled) == section_of(intent(), found)


@pytest.mark.parametrize("secret", ["ghp_" + "a" * 36, "AKIA" + "A" * 16])
def test_no_secret_is_shown(secret: str) -> None:
    assert secret not in section_of(intent(name=secret), [row(secret, secret)])
