"""Pages: what a terminal, a pipe and a program are given."""

import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable, spoken, width
from tests.doors.cli.conftest import Terminal

TABLE = TextTable(
    (Column("Id"), Column("Name", fold=True), Column("Kind", spare=True)),
    [
        [Cell("1", "red"), Cell("[bold]漢字[/bold]"), Cell("k")],
        [Cell("22"), Cell("a rather long name that will have to fold"), Cell("kind")],
    ],
)

CODE = TextTable(
    (Column(""), Column("", spare=True), Column("", free=True)),
    [
        [Cell("1", "cyan"), Cell("Ada"), Cell("def a_function(of_a, long_line, that_goes_on):")],
        [Cell("22"), Cell("-"), Cell("    pass")],
        [Cell("3"), Cell("-"), Cell("")],
    ],
)


def drawn(table: TextTable, monkeypatch: pytest.MonkeyPatch, *, columns: int, colour: bool) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    (monkeypatch.delenv if colour else lambda _: None)("NO_COLOR")
    out = Terminal()
    Output(out, None).table(table)
    return out.getvalue()


@given(st.text())
def test_spoken_text_is_one_line_and_moves_nothing(text: str) -> None:
    said = spoken(text)
    categories = {unicodedata.category(char) for char in said}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert said == text or not text.isprintable()


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("漢字", 4), ("e\u0301", 1), ("ü", 1)])
def test_wide_and_combining_characters_are_counted_as_they_are_shown(
    text: str, columns: int
) -> None:
    assert width(text) == columns


def test_a_pipe_gets_aligned_text_without_blanks_at_the_end() -> None:
    out = io.StringIO()
    Output(out, None).table(TABLE)
    assert out.getvalue().splitlines() == [
        "Id  Name                                       Kind",
        "1   [bold]漢字[/bold]                          k",
        "22  a rather long name that will have to fold  kind",
    ]


def test_a_terminal_gets_colours_and_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(TABLE, monkeypatch, columns=80, colour=True)
    assert "\x1b[31m1" in text
    assert "[bold]漢字[/bold]" in text
    assert "kind" in text


def test_colours_can_be_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[31m" not in drawn(TABLE, monkeypatch, columns=80, colour=False)


@pytest.mark.parametrize("columns", [10, 26, 40])
def test_nothing_is_cut_off_where_the_window_is_narrow(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    text = drawn(TABLE, monkeypatch, columns=columns, colour=False)
    assert all(width(line) <= columns + len("\x1b[1m\x1b[0m") * 9 for line in text.splitlines())
    for word in ("a", "rather", "long", "name", "that", "will", "have", "to", "fold"):
        assert word[:2] in text
    assert "…" not in text
    assert ("kind" in text) == (columns >= 26)


def test_a_table_without_rows_is_nothing() -> None:
    out = io.StringIO()
    Output(out, None).table(TextTable(TABLE.columns, []))
    assert out.getvalue() == ""


def test_a_terminal_that_knows_no_unicode_still_gets_its_answer() -> None:
    raw = io.BytesIO()
    page = Output(io.TextIOWrapper(raw, encoding="ascii"), None)
    page.line("ü")
    page.raw('{"a":"ü"}\n'.encode())
    page.flush()
    assert raw.getvalue() == b'\\xfc\n{"a":"\xc3\xbc"}\n'


def test_json_can_be_written_where_there_are_no_bytes() -> None:
    out = io.StringIO()
    Output(out, None).raw(b"{}\n")
    assert out.getvalue() == "{}\n"


def test_a_remark_that_nobody_can_read_is_dropped() -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    Output(None, Gone()).remark("x")


@pytest.mark.parametrize("colour", [True, False])
def test_the_terminal_wraps_what_is_a_line_of_code(
    monkeypatch: pytest.MonkeyPatch, *, colour: bool
) -> None:
    text = drawn(CODE, monkeypatch, columns=40, colour=colour)
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    # A narrow window costs a spare column, and breaks no line.
    assert plain.splitlines() == [
        "1   Ada  def a_function(of_a, long_line, that_goes_on):",
        "22  -        pass",
        "3   -",
    ]
    assert ("\x1b[36m1" in text) is colour
    narrow = drawn(CODE, monkeypatch, columns=20, colour=False)
    assert "def a_function(of_a, long_line, that_goes_on):" in narrow
    assert "Ada" not in narrow
