"""Checkpoints as trailers and as the bodies of notes."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import hash_content
from intent_lsp.core.ledger.verification import HEADS_AT_MOST, Checkpoint
from intent_lsp.formats.ledger.signed_note import (
    Rejected,
    note_text,
    read_note_text,
    read_trailer,
    trailer,
    trailers,
)

A, B = hash_content(b"a"), hash_content(b"b")
ONE = Checkpoint(origin=A, count=4711, heads=(B,))
DIGITS_A, DIGITS_B = (each.removeprefix("sha256:") for each in (A, B))

hashes = st.binary(max_size=3).map(hash_content)
checkpoints = st.builds(
    Checkpoint,
    origin=hashes,
    count=st.integers(1, 10**15 - 1),
    heads=st.lists(hashes, min_size=1, max_size=HEADS_AT_MOST, unique=True).map(tuple),
)


@given(checkpoints)
def test_what_is_spelled_is_read_back(checkpoint: Checkpoint) -> None:
    assert read_trailer(trailer(checkpoint)) == checkpoint
    assert read_note_text(note_text(checkpoint)) == checkpoint


@given(st.text())
def test_any_text_is_a_checkpoint_or_told_why_not(text: str) -> None:
    for read, spell in ((read_trailer, trailer), (read_note_text, note_text)):
        found = read(text)
        if isinstance(found, Checkpoint):
            assert read(spell(found)) == found
        else:
            assert found.problem


@given(checkpoints, st.data())
def test_a_changed_character_is_never_the_same_checkpoint(
    checkpoint: Checkpoint, data: st.DataObject
) -> None:
    text = note_text(checkpoint)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(codec="ascii").filter(lambda drawn: drawn != text[place]))
    assert read_note_text(text[:place] + other + text[place + 1 :]) != checkpoint


def test_a_trailer_is_one_line_that_git_takes_for_one() -> None:
    line = trailer(ONE)
    assert line == f"Intent-Ledger: v1 {DIGITS_A} 4711 {DIGITS_B}"
    message = f"Work\n\nDone.\n\nSigned-off-by: A <a@example.org>\n{line}\n"
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        input=message,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert trailers(parsed) == trailers(message) == (ONE,)


def test_the_body_of_a_note_is_a_line_for_each_field() -> None:
    origin, count, head, rest = note_text(ONE).split("\n")
    assert origin == f"intent-lsp/ledger/{DIGITS_A}"
    assert (count, rest) == ("4711", "")
    assert len(head) == 44


def test_every_checkpoint_of_a_text_is_read_in_order() -> None:
    two = Checkpoint(origin=A, count=2, heads=(A, B))
    text = f"commit 1\n\n    {trailer(ONE)}\r\nother: v1\n\tintent-ledger :v2 x\n{trailer(two)}"
    assert trailers(text) == (ONE, Rejected("the checkpoint's version is not v1"), two)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "must begin with"),
        ("Signed-off-by: A", "must begin with"),
        ("Intent-Ledger:", "version is not v1"),
        ("Intent-Ledger: v2 a 1 b", "version is not v1"),
        (f"Intent-Ledger: v1 {DIGITS_A} 1", "does not have the form `<version>"),
        (f"Intent-Ledger: v1 {DIGITS_A} 1 {DIGITS_B} x", "does not have the form `<version>"),
        (f"Intent-Ledger: v1 {DIGITS_A[:-1]} 1 {DIGITS_B}", "origin"),
        (f"Intent-Ledger: v1 {DIGITS_A.upper()} 1 {DIGITS_B}", "origin"),
        (f"Intent-Ledger: v1 {DIGITS_A} 0 {DIGITS_B}", "count"),
        (f"Intent-Ledger: v1 {DIGITS_A} 01 {DIGITS_B}", "count"),
        (f"Intent-Ledger: v1 {DIGITS_A} \u0661 {DIGITS_B}", "count"),
        (f"Intent-Ledger: v1 {DIGITS_A} {'9' * 16} {DIGITS_B}", "count"),
        (f"Intent-Ledger: v1 {DIGITS_A} 1 {DIGITS_B},", "head"),
        (f"Intent-Ledger: v1 {DIGITS_A} 1 {A}", "head"),
        (f"Intent-Ledger: v1 {DIGITS_A} 2 {DIGITS_B},{DIGITS_B}", "twice"),
    ],
)
def test_what_is_no_trailer_is_told_why(line: str, problem: str) -> None:
    found = read_trailer(line)
    assert isinstance(found, Rejected)
    assert problem in found.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not have its lines"),
        (note_text(ONE)[:-1], "does not have its lines"),
        (f"intent-lsp/ledger/{DIGITS_A}\n1\n", "does not have its lines"),
        (note_text(ONE).replace("intent-lsp", "other"), "does not begin with"),
        (note_text(ONE).replace("4711", "4711 "), "count"),
        (note_text(ONE) + "\n", "head"),
        (note_text(ONE) + "extension\n", "head"),
        (note_text(ONE) + "\u00e9\n", "head"),
        (note_text(ONE) + "YQ==\n", "head"),
        (note_text(ONE) + note_text(ONE).split("\n")[2] + "\n", "twice"),
        (note_text(ONE).replace("=\n", "\n"), "head"),
    ],
)
def test_what_is_no_note_of_ours_is_told_why(text: str, problem: str) -> None:
    found = read_note_text(text)
    assert isinstance(found, Rejected)
    assert problem in found.problem


def test_base_64_has_one_spelling() -> None:
    # The last digit but the sign holds two bits that decode to nothing.
    text = note_text(ONE)
    place = len(text) - 3
    follower = chr(ord(text[place]) + 1)
    assert isinstance(read_note_text(text[:place] + follower + text[place + 1 :]), Rejected)


def test_more_heads_than_a_checkpoint_may_name_are_refused() -> None:
    many = tuple(hash_content(bytes([n])) for n in range(HEADS_AT_MOST + 1))
    found = read_trailer(trailer(Checkpoint(origin=A, count=99, heads=many)))
    assert isinstance(found, Rejected)
