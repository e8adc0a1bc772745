"""Every program that is known, by the name that a command calls it.

Invariant: a name has one row; a name without a row is destructive.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from intent_lsp.core.commands import CommandKind, Place, entered
from intent_lsp.core.paths import fold
from intent_lsp.core.program_rows import Program, words
from intent_lsp.core.programs_git import GIT
from intent_lsp.core.programs_node import NODE
from intent_lsp.core.programs_own import OWN
from intent_lsp.core.programs_packages import PACKAGES
from intent_lsp.core.programs_reading import READING
from intent_lsp.core.programs_verifying import VERIFYING
from intent_lsp.core.programs_wrapping import WRAPPING
from intent_lsp.core.programs_writing import WRITING

PROGRAMS: Final[Mapping[str, Program]] = {
    **READING,
    **VERIFYING,
    **WRITING,
    **NODE,
    **PACKAGES,
    **WRAPPING,
    **OWN,
    "git": GIT,
}

SYSTEM: Final = words(
    "/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /opt/homebrew/bin"
)
"""Directories whose programs are what their names say."""

ENVIRONMENTS: Final = words("node_modules/.bin .venv/bin venv/bin")
"""Directories of a project into which package managers put programs that verify."""


def find_program(name: str) -> Program | None:
    """Give the row of a program by the word that calls it; None: not known.

    A path counts by its last name where programs may be kept: below a directory called `bin` or
    `.bin`. Any other path is a file of the project, whatever its name.
    """
    directory, slash, last = name.rpartition("/")
    if slash and directory.rpartition("/")[2] in {"bin", "sbin", ".bin"}:
        return PROGRAMS.get(last)
    return PROGRAMS.get(name)


def is_installed(name: str, place: Place) -> bool:
    """Find out whether a word that has a row can only call the program that the row tells of.

    So it is with a name that is looked up, and with a path into a directory of the system; and for
    programs that verify with one into an environment of the project, which stands where the
    command is run or at an absolute path.
    """
    directory, slash, last = name.rpartition("/")
    if not slash or name in PROGRAMS or directory in SYSTEM:
        return True
    there = entered(place, directory)
    folded = None if there is None else fold(there)
    if folded is None or not _verifies(PROGRAMS[last]):
        return False
    is_far = folded.startswith(("/", "~"))
    return folded in ENVIRONMENTS or (
        is_far and any(folded.endswith(f"/{environment}") for environment in ENVIRONMENTS)
    )


def _verifies(row: Program) -> bool:
    runs_modules = row.wraps is not None and bool(row.wraps.only)
    rows = (row, *row.subcommands.values())
    kinds = {form.kind for each in rows for form in each.forms}
    return runs_modules or CommandKind.VERIFICATION in kinds


def every_name(programs: Mapping[str, Program] = PROGRAMS, above: str = "") -> Iterator[str]:
    """Give the name of each program, and of each subcommand behind its program's."""
    for name, row in programs.items():
        yield f"{above}{name}"
        yield from every_name(row.subcommands, f"{above}{name} ")
