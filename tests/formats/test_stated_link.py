"""What a line states of its own place in the chain."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import hash_content
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.formats.ledger.stated_link import StatedLink, stated_link
from tests.support.sealed_lines import after, chain


def test_a_line_states_what_it_is_and_what_it_names() -> None:
    first, second = chain(2).hashes
    record, line = after(first, second)
    assert stated_link(line) == StatedLink(record.integrity.record_hash, (second, first))
    assert stated_link(line[:-1]) == stated_link(line)


def test_what_is_stated_is_what_is_recomputed_of_a_sound_line() -> None:
    for line in chain(3).lines:
        stated, found = stated_link(line), examine(line)
        assert stated is not None
        assert (stated.hash, stated.named) == (found.hash, (found.prev,) if found.prev else ())


def test_a_changed_line_states_what_it_did_before() -> None:
    _, line = after()
    assert stated_link(line.replace(b"s1", b"s2")) == stated_link(line)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b'{"integrity":3}',
        b'{"integrity":{"record_hash":3}}',
        b'{"integrity":{"record_hash":"sha256:no"}}',
        b"[" * 100_000,
        b'{"integrity":{"record_hash":"\xff"}}',
    ],
)
def test_a_line_without_a_place_states_nothing(line: bytes) -> None:
    assert stated_link(line) is None


@given(st.binary())
def test_any_bytes_can_be_asked(line: bytes) -> None:
    found = stated_link(line)
    assert found is None or found.hash == examine(line).hash


def test_a_hash_that_is_no_hash_is_not_named() -> None:
    good = hash_content(b"x")
    place = f'"record_hash":"{good}","prev_record_hash":"x","merges":["{good}","y"]'
    found = stated_link(f'{{"integrity":{{{place}}}}}'.encode())
    assert found == StatedLink(good, (good,))


def test_a_line_that_states_nothing_is_hashed_where_it_is_a_record() -> None:
    line = (
        b'{"id":"7","timestamp":"2026-01-01T00:00:00.000Z","vcs":{"revision_id":"x"},"files":[]}\n'
    )
    found, hashed = stated_link(line), examine(line).hash
    assert (found is not None) == bool(hashed)
    if found is not None:
        assert found.hash == hashed == "sha256:" + hashlib.sha256(line[:-1]).hexdigest()
        assert found.bare
