"""Every program that is known, by the name that a command calls it.

Invariant: a name has one row; a name without a row is destructive.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from intent_lsp.core.program_rows import Program
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


def find_program(name: str) -> Program | None:
    """Give the row of a program by the word that calls it; None: not known.

    A path counts by its last name where programs are kept: below a directory called `bin` or
    `.bin`. Any other path is a file of the project, whatever its name.
    """
    directory, slash, last = name.rpartition("/")
    if slash and directory.rpartition("/")[2] in {"bin", "sbin", ".bin"}:
        return PROGRAMS.get(last)
    return PROGRAMS.get(name)


def every_name(programs: Mapping[str, Program] = PROGRAMS, above: str = "") -> Iterator[str]:
    """Give the name of each program, and of each subcommand behind its program's."""
    for name, row in programs.items():
        yield f"{above}{name}"
        yield from every_name(row.subcommands, f"{above}{name} ")
