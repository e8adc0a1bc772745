"""Which file that came is one that went: only where no other could be."""

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.rename_detection import COMPARED_AT_MOST, renamed

LONG = b"".join(b"a line of its own, number %d\n" % number for number in range(20))
OTHER = b"".join(b"another one, of another file, %d\n" % number for number in range(20))


def renames(gone: dict[str, bytes], came: dict[str, bytes]) -> dict[str, str]:
    return dict(
        renamed(
            {WorkspacePath(path): data for path, data in gone.items()},
            {WorkspacePath(path): data for path, data in came.items()},
        )
    )


def test_an_equal_content_is_a_rename_where_it_is_the_only_one() -> None:
    assert renames({"a": LONG}, {"b": LONG}) == {"b": "a"}
    assert renames({"a": LONG, "c": OTHER}, {"b": LONG, "d": OTHER}) == {"b": "a", "d": "c"}
    assert renames({"a": LONG, "c": LONG}, {"b": LONG}) == {}
    assert renames({"a": LONG}, {"b": LONG, "c": LONG}) == {}


def test_a_similar_content_is_a_rename_too() -> None:
    assert renames({"a": LONG}, {"b": LONG + OTHER[:200]}) == {"b": "a"}
    assert renames({"a": LONG}, {"b": OTHER}) == {}
    # The equal one is it, however many are alike.
    assert renames({"a": LONG}, {"b": LONG, "c": LONG + b"more\n"}) == {"b": "a"}


def test_small_and_empty_contents_say_nothing() -> None:
    assert renames({"a": b""}, {"b": b""}) == {}
    assert renames({"a": b"import os\n"}, {"b": b"import os\n"}) == {}


def test_of_very_many_files_only_equal_ones_are_looked_for() -> None:
    many = {f"gone/{n}": b"%d\n" % n + LONG for n in range(COMPARED_AT_MOST + 1)}
    equal = {path.replace("gone", "came"): data for path, data in many.items()}
    assert len(renames(many, equal)) == len(many)
    assert renames(many, {path: data + b"and more\n" for path, data in equal.items()}) == {}


texts = st.dictionaries(st.sampled_from("abcde"), st.sampled_from([LONG, OTHER, b"", LONG * 2]))


@given(gone=texts, came=texts)
def test_no_file_is_in_two_pairs(gone: dict[str, bytes], came: dict[str, bytes]) -> None:
    found = renames(
        {f"old/{p}": d for p, d in gone.items()}, {f"new/{p}": d for p, d in came.items()}
    )
    assert len(set(found.values())) == len(found)
