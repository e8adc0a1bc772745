"""Which commands of git would remove our memory, and which spare it."""

import pytest

from intent_lsp.core.commands.arguments import Word
from intent_lsp.core.commands.git import puts_back, removed_by
from intent_lsp.core.commands.reading import START
from intent_lsp.core.paths import LOCAL_ROOM


def removes(command: str) -> bool:
    program, *words = command.split()
    assert program == "git"
    found = removed_by([Word(text) for text in words], START)
    return [each.path for each in found] == [LOCAL_ROOM]


@pytest.mark.parametrize(
    "command",
    [
        "git clean -fdx",
        "git clean -xdf",
        "git clean -x -d -f .",
        "git clean -fdX",
        "git -c a.b=c clean -ffdx",
        "git clean -fdx src/..",
        "git stash push --al",
        "git clean -fdx -e node_modules",
        "git clean -fdX -e .orchestration",
        "git clean -fdxe node_modules",
        "git clean -fdx -- *",
        "git clean -fdx .orchestration",
        "git clean -fx .",
        "git clean -fX .orchestration/.local",
        "git stash save -a -- src",
        "git stash -a",
        "git stash --all",
        "git stash push -a",
        "git stash push --all -m work",
        "git stash -ka",
    ],
)
def test_these_would_remove_it(command: str) -> None:
    assert removes(command)


@pytest.mark.parametrize(
    "command",
    [
        "git clean -fd",
        "git clean -fx",
        "git clean -ndx",
        "git clean -dx --dry-run",
        "git clean -fdx -e .orchestration",
        "git clean -fdx -e.local",
        "git clean -fdx --exclude=.orchestration/.local",
        "git clean -fdX -e !.orchestration/.local",
        "git clean -fdx build dist/",
        "git clean -fx src",
        "git stash push -a src",
        "git -C packages/x clean -fdx",
        "git --work-tree=/elsewhere clean -fdx",
        "git --work-tree /elsewhere clean -fdx",
        "git --git-dir=/elsewhere/.git clean -fdx",
        "git stash",
        "git stash -u",
        "git stash push -m all",
        "git stash push --all -- src",
        "git stash push -ma",
        "git stash push -m -a",
        "git stash list -a",
        "git status",
        "git",
    ],
)
def test_these_spare_it(command: str) -> None:
    assert not removes(command)


def test_what_is_not_known_is_no_sign() -> None:
    assert removed_by([], START) == ()
    assert removed_by([Word("$how", "it may be anything")], START) == ()
    unknown = Word("$BUILD", "it may be anything")
    assert removed_by([Word("clean"), Word("-fdx"), unknown], START) == ()
    assert removed_by([Word("clean"), Word("-fdx")], None) == ()


@pytest.mark.parametrize(
    ("command", "restores"),
    [
        ("restore f", True),
        ("restore -SW f", True),
        ("restore -s HEAD -SW -- f", True),
        ("restore --source=HEAD f", True),
        ("restore -sHEAD~1 f", False),
        ("restore -s HEAD~1 f", False),
        ("restore --source=HEAD~1 f", False),
        ("restore --sour=x f", False),
        ("restore --sour HEAD f", True),
        ("restore -- -s", True),
        ("checkout -- f", True),
        ("checkout HEAD -- f", True),
        ("checkout -q -- f", True),
        ("checkout HEAD~1 -- f", False),
        ("checkout f", False),
        ("clean -f", False),
    ],
)
def test_only_what_head_has_puts_a_file_back(command: str, restores: bool) -> None:  # noqa: FBT001 - a row of the table
    assert puts_back([Word(text) for text in command.split()]) is restores
