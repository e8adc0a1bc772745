"""The attributes of many files at once, the same as the git program's."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.store.git.conversion import NAMES, attributes_of, read_attributes
from tests.support.repository import Repository

ODD = "sub dir/b\udcffd\nname [1] é.txt"


def test_each_attribute_of_each_file_is_told(repository: Repository) -> None:
    repository.write(".gitattributes", "*.txt text eol=crlf -ident\n*.bin binary filter=x=y\n")
    said = attributes_of(repository.root, (ODD, "a.bin", "-x", "none"))
    assert said is not None
    nothing = dict.fromkeys(NAMES)
    assert said == {
        ODD: nothing | {"text": True, "eol": "crlf", "ident": False},
        "a.bin": nothing | {"text": False, "filter": "x=y"},
        "-x": nothing,
        "none": nothing,
    }
    assert attributes_of(repository.root, ()) == {}


def test_no_answer_is_none(tmp_path: Path, repository: Repository) -> None:
    assert attributes_of(tmp_path / "nowhere", ("a",)) is None
    # The first of them is all that git makes of it.
    assert attributes_of(repository.root, ("a\0b", "c")) is None


@pytest.mark.parametrize("printed", [b"", b"a", b"a\0text", b"a\0text\0set"])
def test_half_an_answer_tells_nothing(printed: bytes) -> None:
    assert read_attributes(printed) == {}


@given(st.binary() | st.lists(st.binary(max_size=9)).map(b"\0".join))
def test_whatever_is_printed_is_read(printed: bytes) -> None:
    said = read_attributes(printed)
    assert sum(map(len, said.values())) <= printed.count(b"\0") // 3
