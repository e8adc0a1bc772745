"""Files that are out of bounds alike: the first is shown for all (disk section 3)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.gate.violations import ALONE, SHOWN_ALIKE, Others, OutOfBounds, shown_of
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
    files = some(range(SHOWN_ALIKE))
    assert shown_of(files) == {file.path: ALONE for file in files}


@pytest.mark.parametrize("record_id", ["one", None])
def test_above_fifty_the_first_by_name_is_shown_for_all(record_id: str | None) -> None:
    files = some(range(SHOWN_ALIKE, -1, -1), record_id)
    assert shown_of(files) == {"lib/000.py": Others(50, "lib")}


def test_files_of_another_record_or_another_code_show_their_own() -> None:
    files = [
        *some(range(60)),
        *some(range(100, 150), "two"),
        *some(range(200, 250), code="OUTSIDE_WORKSPACE"),
        *some(range(300, 350), None),
    ]
    shown = shown_of(files)
    assert shown[WorkspacePath("lib/000.py")] == Others(59, "lib")
    assert len(shown) == 1 + 50 + 50 + 50
    assert sum(others.count for others in shown.values()) == 59


def test_an_open_file_is_shown_for_itself_and_lets_no_other_appear() -> None:
    files = [*some([0, 7], opened=True), *some([n for n in range(1, 51) if n != 7])]
    assert shown_of(files) == {
        "lib/000.py": ALONE,
        "lib/007.py": ALONE,
        "lib/001.py": Others(48, "lib"),
    }
    opened = some(range(51), opened=True)
    assert shown_of(opened) == {file.path: ALONE for file in opened}
    assert shown_of([*opened, *some([51])])[WorkspacePath("lib/051.py")].count == 0


def out_of_bounds(path: str, renamed_to: str | None = None, *, opened: bool = False) -> OutOfBounds:
    """Give a file of one record."""
    new = None if renamed_to is None else WorkspacePath(renamed_to)
    return OutOfBounds(
        path=WorkspacePath(path), code=OUT, record_id="one", opened=opened, renamed_to=new
    )


@pytest.mark.parametrize(
    ("folders", "common"),
    [
        (["lib/a", "lib/b"], "lib"),
        (["lib/a", "lib/a/deep"], "lib/a"),
        (["lib/a", "lib/ab"], "lib"),
        (["lib", "src"], ""),
        (["", "lib"], ""),
    ],
)
def test_the_folder_of_all_is_told(folders: Sequence[str], common: str) -> None:
    files = [out_of_bounds(f"{folder}/{n}.py".lstrip("/")) for folder in folders for n in range(30)]
    (others,) = shown_of(files).values()
    assert others == Others(59, common)


def test_a_renamed_file_is_shown_under_its_new_name_alone() -> None:
    files = [
        each
        for number in range(51)
        for each in (
            out_of_bounds(f"lib/{number:02}.py", f"new/{number:02}.py"),
            out_of_bounds(f"new/{number:02}.py"),
        )
    ]
    assert shown_of(files) == {"new/00.py": Others(50, "new")}
    assert shown_of(files[:4]) == {"new/00.py": ALONE, "new/01.py": ALONE}
    # Where its new name is in bounds, or its old one is open, that is shown.
    assert shown_of(files[:1]) == {"lib/00.py": ALONE}
    opened = [out_of_bounds("lib/00.py", "new/00.py", opened=True), files[1]]
    assert shown_of(opened) == {"lib/00.py": ALONE, "new/00.py": ALONE}


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
    shown = shown_of(files)
    assert sum(1 + others.count for others in shown.values()) == len(files)
    assert shown.keys() >= {file.path for file in files if file.opened}
    assert shown == shown_of(files[::-1])
