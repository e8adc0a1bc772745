"""JSON is read and spelled as JavaScript does it, to the last digit."""

import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.ledger.foreign.javascript_json import number, parse, stringify

GOLDEN = json.loads((Path(__file__).parent / "data/javascript_json.json").read_text())

_texts = st.text(st.characters(exclude_categories=[]), max_size=8)
_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(("text", "spelled"), GOLDEN)
def test_a_text_is_spelled_again_as_javascript_did(text: str, spelled: str) -> None:
    assert stringify(parse(text)) == spelled


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_spelled_as_the_reference_package_does(value: float) -> None:
    assert number(value) == rfc8785.dumps(value).decode()


@given(_values)
def test_what_is_spelled_is_read_back(value: Any) -> None:
    assert parse(stringify(value)) == value


@given(_values)
def test_keys_stay_where_they_stand_and_no_blank_is_left(value: Any) -> None:
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    halves = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "\ufffd" not in halves:
        assert stringify(value) == plain


@pytest.mark.parametrize(
    "text", ["", "NaN", "Infinity", "[1,]", "'a'", "\ufeff{}", "[" * 100_000, '"\n"', "01"]
)
def test_what_javascript_refuses_is_refused(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)):
        parse(text)
