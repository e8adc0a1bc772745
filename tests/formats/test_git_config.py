"""What a git configuration says beside its branches (requirements section 6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.git_config import without_branches

CORE = b"[core]\n\tbare = false\n"
BRANCH = b'[branch "a/b"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n'


@pytest.mark.parametrize(
    "config", [CORE + BRANCH, BRANCH + CORE, CORE + BRANCH + BRANCH, BRANCH.upper() + CORE]
)
def test_where_a_branch_is_pulled_from_is_left_out(config: bytes) -> None:
    assert without_branches(config) == CORE


@pytest.mark.parametrize(
    "config",
    [
        b"",
        CORE,
        b'[branch "a"] [core]\n\thooksPath = x\n',
        b'[branch "a"]\n\thooksPath = x\n',
        b'[alias]\n\tx = a \\\n[branch "a"]\n\tremote = origin\n',
        b'[alias]\r\n\tx = a \\\r\n[branch "a"]\r\n\tremote = origin\r\n',
        b'[branch "a"]\n\tremote = "!x"\n',
        b'[remote "origin"]\n\turl = x\n',
        b'[branch "a\\"]\n',
    ],
)
def test_what_could_mean_something_else_is_kept(config: bytes) -> None:
    assert without_branches(config) == config


def test_what_stands_behind_a_branch_is_not_read_as_of_the_section_above_it() -> None:
    dropped = CORE + BRANCH + b"\thooksPath = x\n"
    assert without_branches(dropped) != without_branches(CORE + b"\thooksPath = x\n")
    assert b"hooksPath" in without_branches(dropped)


@given(st.lists(st.sampled_from([CORE, BRANCH, b"\tx = y\n", b"[a]\n", b"\\\n", b"\r"])))
def test_it_is_done_once_for_all(parts: list[bytes]) -> None:
    once = without_branches(b"".join(parts))
    assert BRANCH not in without_branches(once) or b"\\\n" in once
    assert without_branches(b"".join([*parts, CORE])).endswith(CORE)
