"""Which commands of git would remove our memory, and which spare it."""

import pytest

from intent_lsp.core.commands.git import removed_by
from intent_lsp.core.commands.words import Word


def removes(command: str) -> bool:
    program, *words = command.split()
    assert program == "git"
    return bool(removed_by([Word(text) for text in words]))


@pytest.mark.parametrize(
    "command",
    [
        "git clean -fdx",
        "git clean -xdf",
        "git clean -x -d -f .",
        "git clean -fdX",
        "git -c a.b=c clean -ffdx",
        "git -C . clean -fdx",
        "git clean -fdx -e node_modules",
        "git clean -fdX -e .orchestration",
        "git clean -fdxe node_modules",
        "git clean -fdx -- *",
        "git clean -fdx .orchestration",
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
        "git -C packages/x clean -fdx",
        "git stash",
        "git stash -u",
        "git stash push -m all",
        "git stash push --all -- src",
        "git stash list -a",
        "git status",
        "git",
    ],
)
def test_these_spare_it(command: str) -> None:
    assert not removes(command)


def test_what_is_not_known_is_no_sign() -> None:
    assert removed_by([]) == ()
    assert removed_by([Word("git"), Word("$how", "it may be anything")]) == ()
    unknown = Word("$BUILD", "it may be anything")
    assert removed_by([Word("git"), Word("clean"), Word("-fdx"), unknown]) == ()
