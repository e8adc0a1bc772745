"""Open documents against a naive oracle, in every encoding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import line_body, split_lines
from intent_lsp.core.findings import Position
from intent_lsp.core.line_diff import LineEdit
from intent_lsp.doors.lsp.protocol.documents import ContentChange, Document, Documents
from intent_lsp.doors.lsp.protocol.positions import (
    ClientPosition,
    ClientRange,
    PositionEncoding,
    choose_encoding,
    count_units,
    end_of,
    from_client,
    to_client,
    to_code_points,
    to_units,
)

UTF_8, UTF_16, UTF_32 = PositionEncoding
CODECS = {UTF_8: ("utf-8", 1), UTF_16: ("utf-16-le", 2), UTF_32: ("utf-32-le", 4)}

encodings = st.sampled_from(PositionEncoding)
texts = st.text(alphabet="ab\r\n\r\né😀\u2028\u2029\f\v\x85\u0301\ufeff\ud83d\ude00", max_size=30)
places = st.builds(ClientPosition, st.integers(0, 8), st.integers(0, 12))
ranges = st.builds(ClientRange, places, places)
changes = st.builds(ContentChange, texts, st.none() | ranges)


def open_document(text: str, encoding: PositionEncoding = UTF_16) -> Document:
    return Document(uri="file:///a", version=1, language_id="", text=text, encoding=encoding)


def naive_units(text: str, encoding: PositionEncoding) -> int:
    codec, width = CODECS[encoding]
    return sum(len(character.encode(codec, "surrogatepass")) // width for character in text)


def whole(text: str) -> str:
    """Join the halves of surrogate pairs, as every client sees them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def naive_offset(text: str, place: ClientPosition, encoding: PositionEncoding) -> int:
    lines = split_lines(text)
    if place.line >= len(lines):
        return len(text)
    before = sum(len(line) for line in lines[: place.line])
    body = line_body(lines[place.line])
    fitting = [
        count
        for count in range(len(body) + 1)
        if naive_units(body[:count], encoding) <= place.character
    ]
    return before + max(fitting)


def naive_change(text: str, change: ContentChange, encoding: PositionEncoding) -> str:
    if change.range is None:
        return whole(change.text)
    start, end = sorted(naive_offset(text, place, encoding) for place in change.range)
    return whole(text[:start] + change.text + text[end:])


@given(texts, st.lists(changes, max_size=8), encodings)
def test_a_document_is_what_the_naive_oracle_says(
    text: str, edits: list[ContentChange], encoding: PositionEncoding
) -> None:
    document, expected = open_document(text, encoding), whole(text)
    assert document.text == expected
    for change in edits:
        before = list(document.lines)
        expected = naive_change(expected, change, encoding)
        (edit,) = document.apply([change])
        assert document.edits == (edit,)
        assert document.text == expected
        assert document.lines == split_lines(expected)
        assert document.lines[: edit.start] == before[: edit.start]
        assert document.lines[edit.new_end :] == before[edit.old_end :]
        assert 0 <= edit.start <= edit.old_end <= len(before)


@given(texts, st.lists(changes, max_size=6), encodings)
def test_changes_together_are_changes_one_by_one(
    text: str, edits: list[ContentChange], encoding: PositionEncoding
) -> None:
    together, one_by_one = open_document(text, encoding), open_document(text, encoding)
    touched = together.apply(edits)
    assert touched == tuple(one_by_one.apply([change])[0] for change in edits)
    assert together.lines == one_by_one.lines


def span(*numbers: int) -> ClientRange:
    line, character, end_line, end_character = numbers
    return ClientRange(ClientPosition(line, character), ClientPosition(end_line, end_character))


@pytest.mark.parametrize(
    ("before", "range_", "text", "after", "edit"),
    [
        ("", span(0, 0, 0, 0), "a", ["a"], (0, 0, 1)),
        ("", span(5, 5, 6, 6), "a\n", ["a\n"], (0, 0, 1)),
        ("a\nb\n", span(2, 0, 2, 0), "c", ["a\n", "b\n", "c"], (2, 2, 3)),
        ("a\nb", span(9, 9, 9, 9), "c", ["a\n", "bc"], (1, 2, 2)),
        ("a\nb\nc\n", span(1, 0, 2, 0), "", ["a\n", "c\n"], (1, 3, 2)),
        ("a\nb", span(0, 0, 1, 1), "", [], (0, 2, 0)),
        # A carriage return and a line feed that meet are one terminator.
        ("a\rb\n", span(1, 0, 1, 1), "", ["a\r\n"], (0, 2, 1)),
        ("a\rb", span(1, 0, 1, 0), "\n", ["a\r\n", "b"], (0, 2, 2)),
        ("a\r", span(1, 0, 1, 0), "\n", ["a\r\n"], (0, 1, 1)),
        ("ab\n", span(0, 1, 0, 2), "\r", ["a\r\n"], (0, 1, 1)),
        ("a\r\rb\n", span(1, 0, 2, 1), "", ["a\r\n"], (0, 3, 1)),
        # Nobody can get between the two: the line ends before its terminator.
        ("a\r\nb", span(0, 2, 0, 2), "x", ["ax\r\n", "b"], (0, 1, 1)),
        ("a\r\nb", span(0, 2, 1, 0), "", ["ab"], (0, 2, 1)),
        # Other separators end no line.
        ("a\f\u2028\x85b\n", span(0, 5, 0, 5), "!", ["a\f\u2028\x85b!\n"], (0, 1, 1)),
        # A unit in the middle of a character is the place before it.
        ("😀b\n", span(0, 1, 0, 3), "", ["\n"], (0, 1, 1)),
        # The end before the start.
        ("abc\n", span(0, 3, 0, 1), "", ["a\n"], (0, 1, 1)),
    ],
)
def test_a_change(
    before: str, range_: ClientRange, text: str, after: list[str], edit: tuple[int, int, int]
) -> None:
    document = open_document(before)
    start, old_end, new_end = edit
    expected = LineEdit(start=start, old_end=old_end, new_end=new_end)
    assert document.apply([ContentChange(text, range_)]) == (expected,)
    assert document.lines == after


def test_halves_of_a_pair_that_meet_are_one_character() -> None:
    document = open_document("\ud83d\n")
    document.apply([ContentChange("\ude00", span(0, 1, 0, 1))])
    assert document.lines == ["😀\n"]


def test_a_backward_range_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    open_document("ab").apply([ContentChange("", span(0, 2, 0, 1))])
    assert "ends before it starts" in caplog.text


@given(texts, st.integers(-1, 40), encodings)
def test_units_are_counted_as_each_character_spells(
    text: str, character: int, encoding: PositionEncoding
) -> None:
    line = whole(text.replace("\r", "").replace("\n", ""))
    assert count_units(line, encoding) == naive_units(line, encoding)
    points = to_code_points(line + "\r\n", character, encoding)
    assert naive_units(line[:points], encoding) <= max(character, 0)
    if points < len(line):
        assert naive_units(line[: points + 1], encoding) > character
    assert to_code_points(line, to_units(line + "\n", points, encoding), encoding) == points


@given(texts, places, encodings)
def test_places_go_to_code_points_and_back(
    text: str, place: ClientPosition, encoding: PositionEncoding
) -> None:
    lines = split_lines(whole(text))
    there = from_client(lines, place, encoding)
    assert from_client(lines, to_client(lines, there, encoding), encoding) == there
    assert there <= end_of(lines)


def test_places_before_the_text_are_its_beginning() -> None:
    assert from_client(["ab"], ClientPosition(-1, 5), UTF_8) == Position(0, 0)
    assert to_client(["ab"], Position(-1, 5), UTF_8) == ClientPosition(0, 0)
    assert to_client(["ab"], Position(4, 5), UTF_8) == ClientPosition(0, 2)
    assert to_client(["ab\n"], Position(4, 5), UTF_8) == ClientPosition(1, 0)
    assert to_client([], Position(-4, 5), UTF_8) == ClientPosition(0, 0)
    assert from_client([], ClientPosition(4, 5), UTF_8) == Position(0, 0)


def test_strange_offers_are_no_encoding() -> None:
    assert choose_encoding([None, {}, [], "utf-32"]) is UTF_32


class TestDocuments:
    def open(self, documents: Documents, uri: str = "file:///a%20b") -> Document:
        return documents.open(uri=uri, version=3, language_id="python", text="a\n")

    def test_are_found_however_their_uri_is_encoded(self) -> None:
        documents = Documents(UTF_8)
        document = self.open(documents)
        assert documents.get("file:///a b") is document
        assert documents.get("file:///%61%20b") is document
        assert list(documents) == [document]
        assert (document.version, document.language_id, document.encoding) == (3, "python", UTF_8)

    def test_of_names_that_are_no_utf_8_stay_apart(self) -> None:
        documents = Documents()
        one, two = (self.open(documents, f"file:///{name}") for name in ("%FE", "%FF"))
        assert one is not two
        assert len(documents) == 2

    def test_that_are_opened_again_are_replaced(self, caplog: pytest.LogCaptureFixture) -> None:
        documents = Documents()
        self.open(documents)
        again = self.open(documents)
        assert list(documents) == [again]
        assert "without a close" in caplog.text

    def test_that_are_not_open_change_nothing(self, caplog: pytest.LogCaptureFixture) -> None:
        documents = Documents()
        assert documents.change("file:///a", 2, [ContentChange("b")]) is None
        assert documents.close("file:///a") is None
        assert len(caplog.records) == 2

    @pytest.mark.parametrize("version", [3, 2])
    def test_follow_a_version_that_does_not_grow(
        self, version: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        documents = Documents()
        document = self.open(documents)
        edits = documents.change(document.uri, version, [ContentChange("b")])
        assert edits == (LineEdit(start=0, old_end=1, new_end=1),)
        assert (document.text, document.version) == ("b", version)
        assert "follows version 3" in caplog.text

    def test_are_forgotten_when_closed(self) -> None:
        documents = Documents()
        document = self.open(documents)
        assert documents.change(document.uri, 4, []) == ()
        assert documents.close(document.uri) is document
        assert documents.get(document.uri) is None
