"""Names of ours are URIs wherever a form takes nothing else, and are read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.ledger.foreign.urns import (
    is_uri,
    related_uri,
    related_value,
    talk_uri,
    talk_url,
)

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(names, names)
def test_a_name_is_a_uri_and_is_read_back(kind: str, name: str) -> None:
    assert is_uri(talk_uri(name))
    assert talk_url(talk_uri(name)) == name
    assert is_uri(related_uri(kind, name))
    assert related_value(kind, related_uri(kind, name)) == name


@pytest.mark.parametrize(
    "uri", ["https://example.org/a?b#c", "urn:x:y", "mailto:a@example.org", "vscode://file/a%20b"]
)
def test_a_uri_stays_as_it_is(uri: str) -> None:
    assert talk_uri(uri) == related_uri("specification", uri) == uri
    assert talk_url(uri) == related_value("specification", uri) == uri


@pytest.mark.parametrize(
    "text", ["", "a", "C:/x", "c:x", "a b:c", "https://a b", "1a:b", "a:", "http://é", "%41:b"]
)
def test_other_texts_are_no_uris(text: str) -> None:
    assert not is_uri(text)


def test_names_that_no_uri_can_hold_are_replaced() -> None:
    assert talk_uri("") == "urn:intent-lsp:session:-"
    assert talk_uri("\ud800") == "urn:intent-lsp:session:%3F"
    assert talk_url("urn:intent-lsp:session:") == "urn:intent-lsp:session:"
