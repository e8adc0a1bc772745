r"""Content: hashes of bytes, texts of bytes, lines of texts."""

import codecs
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import (
    EMPTY_HASH,
    decode,
    hash_content,
    line_body,
    parse_hash,
    split_lines,
)

# What `str.splitlines` also takes for the end of a line.
_NO_ENDS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
TEXTS = st.text(st.one_of(st.sampled_from("\r\n" + _NO_ENDS + "ab"), st.characters()))
# A lone surrogate is legal in JSON, so that a buffer may hold one.
BUFFERS = st.text(st.one_of(st.sampled_from("\r\nab\ud800"), st.characters()))


@given(BUFFERS)
def test_lines_joined_are_the_text_again(text: str) -> None:
    assert "".join(split_lines(text)) == text


@given(BUFFERS)
def test_a_line_ends_at_its_terminator_and_nowhere_else(text: str) -> None:
    lines = split_lines(text)
    assert all(re.fullmatch(r"[^\r\n]*(\r\n|\n|\r)", line) for line in lines[:-1])
    assert all(re.fullmatch(r"[^\r\n]*(\r\n|\n|\r)|[^\r\n]+", line) for line in lines[-1:])
    assert not any(a.endswith("\r") and b.startswith("\n") for a, b in zip(lines, lines[1:]))  # noqa: B905, RUF007 - one shorter


@given(BUFFERS)
def test_a_line_is_its_body_and_a_terminator(text: str) -> None:
    for line in split_lines(text):
        body = line_body(line)
        assert not set(body) & {"\r", "\n"}
        assert line[len(body) :] in ("\r\n", "\n", "\r", "")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("\n", ["\n"]),
        ("a\nb", ["a\n", "b"]),
        ("a\n", ["a\n"]),
        ("a\r\nb\rc\n", ["a\r\n", "b\r", "c\n"]),
        ("\r\r\n\n", ["\r", "\r\n", "\n"]),
        ("a\fb\u2028c\x85d\n", ["a\fb\u2028c\x85d\n"]),
    ],
)
def test_text_is_split_at_its_terminators(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"a\xc3\xa9", "aé", "utf-8"),
        (codecs.BOM_UTF8 + b"a", "a", "utf-8"),
        (codecs.BOM_UTF8 + codecs.BOM_UTF8, "\ufeff", "utf-8"),
        (codecs.BOM_UTF16_LE + b"a\0\n\0", "a\n", "utf-16-le"),
        (codecs.BOM_UTF16_BE + b"\0a", "a", "utf-16-be"),
    ],
)
def test_bytes_are_decoded_without_their_mark(data: bytes, text: str, encoding: str) -> None:
    decoded = decode(data)
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decoded.encode(text) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"\xc3",
        b"a\0b",
        codecs.BOM_UTF8 + b"\0",
        b"\xed\xa0\x80",
        codecs.BOM_UTF16_LE + b"a",
        codecs.BOM_UTF16_BE + b"\xd8\0",
    ],
)
def test_what_is_no_text_is_not_decoded(data: bytes) -> None:
    assert decode(data) is None


@given(st.binary())
def test_decoding_is_total_and_loses_no_byte(data: bytes) -> None:
    decoded = decode(data)
    assert decoded is None or decoded.encode(decoded.text) == data


@given(st.binary())
def test_a_hash_is_of_the_raw_bytes_and_reads_as_itself(data: bytes) -> None:
    found = hash_content(data)
    assert found == "sha256:" + hashlib.sha256(data).hexdigest()
    assert parse_hash(found) == parse_hash(found.removeprefix("sha256:")) == found
    assert parse_hash(found.upper()) == found


@pytest.mark.parametrize("text", ["", "sha256:", "sha256:" + "0" * 63, "md5:" + "0" * 64, "0" * 65])
def test_what_is_no_hash_is_not_read(text: str) -> None:
    assert parse_hash(text) is None


def test_the_hash_of_nothing_is_known() -> None:
    assert hash_content(b"") == EMPTY_HASH
