"""The rows of the programs, and the page that tells people of them."""

import re

import pytest

from intent_lsp.core.program_rows import Program
from intent_lsp.core.programs import PROGRAMS, every_name, find_program, is_installed
from intent_lsp.core.programs_node import NODE
from intent_lsp.core.programs_own import OWN
from intent_lsp.core.programs_packages import PACKAGES
from intent_lsp.core.programs_reading import READING
from intent_lsp.core.programs_verifying import VERIFYING
from intent_lsp.core.programs_wrapping import MODULES, WRAPPING
from intent_lsp.core.programs_writing import WRITING
from tests.support import command_page

TEXT = command_page.PAGE.read_text("utf-8")


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def told_names() -> set[str]:
    """Give what the page's tables name, subcommands behind their program."""
    tables = TEXT.partition(command_page.BEGIN)[2].partition(command_page.END)[0]
    names = set()
    for line in tables.splitlines():
        cells = line.split(" | ")
        if line.startswith("| `") and len(cells) == 2:
            names.update(spans(cells[0]))
        elif line.startswith("| `"):
            names.update(f"{above} {name}" for above in spans(cells[0]) for name in spans(cells[1]))
    return names


def test_the_page_names_every_program_and_no_other() -> None:
    assert told_names() == set(every_name())


def test_the_page_says_what_the_rows_say() -> None:
    made = TEXT.partition(command_page.BEGIN)[2].partition(command_page.END)[0]
    assert made.strip() == command_page.made()


def test_a_name_has_one_row() -> None:
    parts = [READING, VERIFYING, WRITING, NODE, PACKAGES, WRAPPING, OWN]
    assert sum(map(len, parts)) + len({"git"}) == len(PROGRAMS)


def test_a_module_that_python_may_run_has_a_row() -> None:
    assert set(PROGRAMS) >= MODULES


def rows(programs: dict[str, Program]) -> list[Program]:
    found = list(programs.values())
    for row in found:
        found.extend(row.subcommands.values())
    return found


def test_every_row_leads_somewhere_and_spells_options_with_dashes() -> None:
    for row in rows(dict(PROGRAMS)):
        assert row.forms or row.subcommands or row.wraps or row.texts or row.moves
        bad = [name for name in row.named if not name.startswith("-")]
        assert bad in ([], ["of"])
        assert not row.attached & row.taking


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("rm", "rm"),
        ("/bin/rm", "rm"),
        (".venv/bin/pytest", "pytest"),
        ("node_modules/.bin/eslint", "eslint"),
        ("/usr/sbin/ls", "ls"),
        ("./gradlew", "gradle"),
        ("./rm", None),
        ("cabin/rm", None),
        ("rm/", None),
        ("", None),
        ("src/bin/rm", "rm"),
    ],
)
def test_a_program_is_known_by_its_name_or_where_programs_are_kept(
    name: str, known: str | None
) -> None:
    assert find_program(name) is (None if known is None else PROGRAMS[known])


@pytest.mark.parametrize(
    ("name", "place", "installed"),
    [
        ("rm", None, True),
        ("./gradlew", "d", True),
        ("/bin/rm", None, True),
        ("/usr/local/sbin/rm", "", True),
        ("bin/rm", "", False),
        ("/r/bin/rm", "", False),
        ("//bin/rm", "", False),
        (".venv/bin/pytest", "", True),
        (".venv/bin/python", "", True),
        ("node_modules/.bin/npm", "", True),
        (".venv/bin/rm", "", False),
        (".venv/bin/git", "", False),
        (".venv/bin/pytest", "d", False),
        ("../.venv/bin/pytest", "d", True),
        ("../.venv/bin/pytest", "", False),
        (".venv/bin/pytest", None, False),
        ("/r/.venv/bin/pytest", None, True),
        ("/r/my.venv/bin/pytest", None, False),
    ],
)
def test_a_program_is_believed_where_package_managers_put_it(
    name: str, place: str | None, *, installed: bool
) -> None:
    assert is_installed(name, place) is installed
