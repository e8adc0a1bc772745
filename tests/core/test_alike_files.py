"""Files that are out of bounds alike: the first of a folder is shown for all (disk section 3)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.alike_files import SHOWN_A_FOLDER, OutOfBounds, shown_in_folder
from intent_lsp.core.paths import WorkspacePath

OUT = "SCOPE_VIOLATION"


def some(
    numbers: Sequence[int], record_id: str | None = "one", code: str = OUT, *, opened: bool = False
) -> list[OutOfBounds]:
    """Give files of one folder, named by numbers of three digits."""
    return [
        OutOfBounds(
            path=WorkspacePath(f"lib/{number:03}.py"),
            code=code,
            record_id=record_id,
            opened=opened,
        )
        for number in numbers
    ]


def test_up_to_fifty_files_of_a_record_show_their_own() -> None:
    files = some(range(SHOWN_A_FOLDER))
    assert shown_in_folder(files) == {file.path: 0 for file in files}


@pytest.mark.parametrize("record_id", ["one", None])
def test_above_fifty_the_first_by_name_is_shown_for_all(record_id: str | None) -> None:
    files = some(range(SHOWN_A_FOLDER, -1, -1), record_id)
    assert shown_in_folder(files) == {"lib/000.py": 50}


def test_files_of_another_record_or_another_code_show_their_own() -> None:
    files = [
        *some(range(60)),
        *some(range(100, 150), "two"),
        *some(range(200, 250), code="OUTSIDE_WORKSPACE"),
        *some(range(300, 350), None),
    ]
    shown = shown_in_folder(files)
    assert shown[WorkspacePath("lib/000.py")] == 59
    assert len(shown) == 1 + 50 + 50 + 50
    assert sum(shown.values()) == 59


def test_an_open_file_is_shown_for_itself_and_lets_no_other_appear() -> None:
    files = [*some([0, 7], opened=True), *some([n for n in range(1, 51) if n != 7])]
    assert shown_in_folder(files) == {"lib/000.py": 0, "lib/007.py": 0, "lib/001.py": 48}
    opened = some(range(51), opened=True)
    assert shown_in_folder(opened) == {file.path: 0 for file in opened}
    assert shown_in_folder([*opened, *some([51])])[WorkspacePath("lib/051.py")] == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 999), st.sampled_from(["one", "two", None]), st.booleans()),
        max_size=200,
        unique_by=lambda each: each[0],
    )
)
def test_every_file_shows_its_own_or_is_counted_once(
    given_files: list[tuple[int, str | None, bool]],
) -> None:
    files = [
        file
        for number, record_id, opened in given_files
        for file in some([number], record_id, opened=opened)
    ]
    shown = shown_in_folder(files)
    assert sum(1 + others for others in shown.values()) == len(files)
    assert shown.keys() >= {file.path for file in files if file.opened}
    assert shown == shown_in_folder(files[::-1])
