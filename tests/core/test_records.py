"""Names that are not text."""

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import RecordFile, spelled
from tests.support.ledgers import HASH

names = st.binary(min_size=1, max_size=12).map(lambda raw: raw.decode("utf-8", "surrogateescape"))


def file_named(path: str, previous: str | None = None) -> RecordFile:
    return RecordFile(relative_path=path, previous_path=previous, pre_hash=None, post_hash=HASH)


@given(names, st.none() | names)
def test_every_name_of_the_disk_is_spelled_as_text_and_found_again(
    path: str, previous: str | None
) -> None:
    file = spelled(file_named(path, previous))
    file.relative_path.encode()
    assert (file.path, file.previous) == (path, previous)
    assert spelled(file) == file


def test_a_name_that_is_text_is_not_touched() -> None:
    file = file_named("src/100%/é.py")
    assert spelled(file) is file


def test_a_byte_that_is_no_text_is_percent_encoded_and_a_percent_sign_with_it() -> None:
    file = spelled(file_named("50%/\udcff", "old%"))
    assert file.relative_path == "50%25/%FF"
    assert file.previous_path == "old%25"
    assert file.path_encoding == "percent"
    assert file.path == WorkspacePath("50%/\udcff")
