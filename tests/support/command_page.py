"""The tables of docs/commands.md, made from the rows of the programs.

Invariant: a program or subcommand stands in exactly one row, whatever its row says.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from intent_lsp.core.commands import CommandKind, Effect
from intent_lsp.core.program_rows import Form, Operands, Program, Text
from intent_lsp.core.programs import PROGRAMS
from intent_lsp.core.programs_git import GIT
from intent_lsp.core.programs_node import NODE
from intent_lsp.core.programs_own import OWN
from intent_lsp.core.programs_packages import PACKAGES
from intent_lsp.core.programs_reading import READING
from intent_lsp.core.programs_verifying import TASKS, VERIFYING
from intent_lsp.core.programs_wrapping import CHOOSERS, MODULES, WRAPPING
from intent_lsp.core.programs_writing import WRITING

PAGE = Path(__file__).parent.parent.parent / "docs" / "commands.md"
BEGIN, END = "<!-- made from the rows: begin -->", "<!-- made from the rows: end -->"

_VERBS = {
    Effect.WRITE: "writes",
    Effect.CREATE: "makes",
    Effect.DELETE: "deletes",
    Effect.MOVE: "moves",
}


def made() -> str:
    """Give the part of the page that follows from the rows."""
    sections = [
        ("Programs that read", READING),
        ("Programs that verify", VERIFYING),
        ("Programs that write", WRITING),
        ("Package managers and tool chains", {**NODE, **PACKAGES}),
        ("Programs that run others, and interpreters", WRAPPING),
        ("git", {"git": GIT}),
        ("This program", OWN),
    ]
    assert {name for _, rows in sections for name in rows} == set(PROGRAMS)
    parts = [f"### {title}\n\n{_table(rows)}" for title, rows in sections]
    parts += [
        f"### Subcommands\n\n{_subcommands()}",
        f"### Tasks that verify by their name\n\n{_spans(TASKS.split())}",
        f"### Modules that `python -m` runs as the programs of their name\n\n{_spans(MODULES)}",
        f"### Variables that may decide which program runs\n\n{_spans(CHOOSERS)}",
    ]
    return "\n\n".join(parts)


def _table(rows: Mapping[str, Program]) -> str:
    groups: dict[str, list[str]] = {}
    for name, row in rows.items():
        groups.setdefault(_told(row), []).append(name)
    lines = [f"| {_spans(names, sort=True)} | {told} |" for told, names in groups.items()]
    return "\n".join(["| programs | what they do |", "| --- | --- |", *lines])


def _subcommands() -> str:
    groups: dict[tuple[str, str], list[str]] = {}
    for names, told, above in _below(PROGRAMS, ""):
        groups.setdefault((" ".join(names), told), []).append(above)
    by_program: dict[tuple[str, str, str], None] = {}
    for (names_text, told), aboves in groups.items():
        by_program[_spans(aboves, sort=True), _spans(names_text.split()), told] = None
    lines = [f"| {above} | {names} | {told} |" for above, names, told in by_program]
    return "\n".join(["| of | subcommands | what they do |", "| --- | --- | --- |", *lines])


def _below(rows: Mapping[str, Program], above: str) -> Iterator[tuple[list[str], str, str]]:
    for name, row in rows.items():
        groups: dict[str, list[str]] = {}
        for subcommand, its in row.subcommands.items():
            groups.setdefault(_told(its), []).append(subcommand)
        yield from ((sorted(names), told, above + name) for told, names in groups.items())
        yield from _below(row.subcommands, f"{above}{name} ")


def _told(row: Program) -> str:
    parts = [_form(form) for form in row.forms]
    if row.writes:
        parts.append(f"writes the value of {_spans(row.writes)}")
    if row.risky:
        parts.append(f"unknown with {_spans(row.risky)}")
    if row.script:
        parts.append("unknown unless its script only prints")
    if row.texts:
        parts.append(f"reads the value of {_spans(row.texts)} as shell")
    if row.moves:
        parts.append("what follows works in another directory")
    if row.subcommands:
        parts.append("see its subcommands")
    parts += _wrapping(row)
    return "; ".join(parts)


def _wrapping(row: Program) -> Iterator[str]:
    wraps = row.wraps
    if wraps is None:
        return
    needs = f" with {_spans(wraps.needs)}" if wraps.needs else ""
    if wraps.execs:
        yield f"runs what follows {_spans(wraps.execs)}"
    elif wraps.text is Text.NONE:
        yield f"runs what follows{needs}" + (", with operands of its input" * wraps.appends)
    else:
        yield f"reads {wraps.text} as shell{needs}"


def _form(form: Form) -> str:
    conditions = [
        f"with {_spans(form.needs)}" if form.needs else "",
        "alone" if form.bare else "",
        f"first {_spans(form.first)}" if form.first and form.first != set(TASKS.split()) else "",
        "for a task that verifies" if set(TASKS.split()) <= form.first | form.every else "",
        f"only {_spans(form.every - set(TASKS.split()))}"
        if form.every - set(TASKS.split())
        else "",
    ]
    said = " ".join(condition for condition in conditions if condition)
    return f"{said}: {_outcome(form)}" if said else _outcome(form)


def _outcome(form: Form) -> str:
    if form.kind is not CommandKind.DESTRUCTIVE:
        return {"read-only": "reads", "verification": "verifies"}[form.kind.value]
    if form.plans or form.unknown:
        return form.unknown or "writes the intents of the root"
    if form.writes:
        return f"writes the value of {_spans(form.writes)}"
    match form.operands:
        case Operands.MOVE:
            return "moves its operands to the last"
        case Operands.BELOW:
            return "writes the files that it is given"
        case operands:
            return f"{_VERBS[form.effect]} operands: {operands}"


def _spans(names: Iterable[str], *, sort: bool = False) -> str:
    ordered = sorted(names) if sort or isinstance(names, frozenset) else names
    return " ".join(f"`{name}`" for name in ordered)


def main() -> None:
    """Write the page's tables anew."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n\n{made()}\n\n{END}{rest.partition(END)[2]}", "utf-8")


if __name__ == "__main__":
    main()
