"""Runs a command line: finds the command, parses its arguments and returns its exit status.

Invariant: an error that can be expected is one line on standard error, never a traceback.
Invariant: a closed pipe and Ctrl-C end a command without a message.
Invariant: a module of commands is imported only when one of them is called or its help is asked
for. So starting a server imports no command but `serve`, `mcp` and `hook`.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.doors.cli.command import PROGRAM, Call, Command, OtherDoors, nearest
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.terminal.output import Output

_HELP: Final = ("-h", "--help")
_VERSION: Final = ("-V", "--version")
_DEFAULT: Final = "serve"
_HEAD: Final = """
Knows which intent each edit serves, and keeps the proof: edits outside the selected intent show
up in the editor, and every save becomes a record in a ledger that lives in the repository.

usage: intent-lsp [COMMAND] [OPTIONS]

commands:
"""
_TAIL: Final = """
  intent-lsp COMMAND --help   what it is for, its options, examples
  intent-lsp --version        its name and version
  intent-lsp --help           this page

To begin:
  intent-lsp init             in the project's top directory; it says what comes next
  intent-lsp intents list     what is being worked on
  intent-lsp explain FILE     whether an edit of it may happen, and why
  intent-lsp trace list       what was edited, and for which intent
  intent-lsp trace verify     whether anything in the ledger was changed afterwards

Alone, `intent-lsp` is the server that an editor starts. Exit status: 0 fine, 1 something is
wrong, such as a broken ledger or an edit that the gate refuses, 2 wrong usage or unreadable input.
"""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command of the command line and its one-line summary for the help pages.

    `module` is the name of its module, relative to `intent_lsp.doors.cli`.
    """

    name: str
    summary: str
    module: str

    @property
    def line(self) -> str:
        """The start of the command's usage line, such as `intent-lsp trace list`."""
        return f"{PROGRAM} {self.name}"

    def load(self) -> Command:
        """Import the command's module and return its command."""
        module = import_module(f"intent_lsp.doors.cli.{self.module}")
        command: Command = getattr(module, self.name.replace(" ", "_"))
        return command


COMMANDS: Final = (
    CommandEntry("serve", "the language server; what an editor starts", "other_doors"),
    CommandEntry("mcp", "the MCP server; what an agent's host starts", "other_doors"),
    CommandEntry(
        "init", "make a project governed: create the files, with commented examples", "init"
    ),
    CommandEntry(
        "status",
        "what governs here, who is at work for which intent, what is out of bounds",
        "status",
    ),
    CommandEntry("intents list", "what is being worked on", "intents.list_intents"),
    CommandEntry("intents show", "all about one intent", "intents.show"),
    CommandEntry("intents add", "write a new intent into the intents file", "intents.file_edits"),
    CommandEntry("intents rename", "give an intent another id", "intents.file_edits"),
    CommandEntry(
        "intents select",
        "work for an intent from now on, and be told what it asks",
        "intents.selection",
    ),
    CommandEntry("intents complete", "set an intent COMPLETED", "intents.selection"),
    CommandEntry("intents owners", "which intents own a file", "intents.owners"),
    CommandEntry(
        "intents coverage",
        "which files no open intent owns, and which several do",
        "intents.owners",
    ),
    CommandEntry("intents fix", "bring the intents file into its normal form", "intents.fix"),
    CommandEntry(
        "intents import",
        "propose intents from a plan, or take over those of another file",
        "intents.import_intents",
    ),
    CommandEntry("hook", "answer one event of an agent host; what its hooks run", "other_doors"),
    CommandEntry("explain", "may this edit happen, and why", "explain"),
    CommandEntry(
        "check", "judge commits, the index or the work tree, for a hook or for CI", "check"
    ),
    CommandEntry(
        "agents install",
        "register hooks and the MCP server with the agents found here",
        "agents.install",
    ),
    CommandEntry("agents uninstall", "take these registrations out again", "agents.install"),
    CommandEntry(
        "agents status", "which agents are found, and which are registered", "agents.status"
    ),
    CommandEntry("doctor", "try every registered hook, and say which agents are blind", "doctor"),
    CommandEntry("agents instructions", "what an agent has to know", "agents.instructions"),
    CommandEntry("schema", "the JSON Schema of the intents file, the policy or a record", "schema"),
    CommandEntry("trace list", "which edits happened, newest first", "ledger.records"),
    CommandEntry("trace show", "all about one edit", "ledger.records"),
    CommandEntry("trace blame", "which edit each line of a file comes from", "ledger.blame"),
    CommandEntry("trace lines", "which lines come from an intent", "ledger.lines"),
    CommandEntry("trace stats", "how much happened: edits, lines, violations", "ledger.stats"),
    CommandEntry(
        "trace map", "which intent touched which files and definitions, as Markdown", "ledger.lines"
    ),
    CommandEntry("trace report", "the ledger as one page of HTML, to hand on", "ledger.report"),
    CommandEntry("trace export", "records in a form that other tools read", "ledger.export"),
    CommandEntry("trace import", "take over records of other tools", "ledger.import_records"),
    CommandEntry(
        "trace flush",
        "record now what editors have saved automatically; for a hook before a commit",
        "ledger.flush",
    ),
    CommandEntry("trace verify", "check that nothing in the ledger was changed", "ledger.verify"),
    CommandEntry(
        "trace seal",
        "say in one line what the ledger is, to be written down elsewhere",
        "ledger.seal",
    ),
    CommandEntry("trace merge", "join two ledgers that branched", "ledger.merge"),
    CommandEntry("trace archive", "move old records into a file of their own", "ledger.archive"),
    CommandEntry(
        "trace recover",
        "append again what a reset or a stash took out of the ledger",
        "ledger.recover",
    ),
)


def run(words: Sequence[str], *, product_line: str, doors: OtherDoors) -> int:
    """Run the command that `words` name, and return the exit status (protocol section 5).

    `product_line` is what --version prints. `doors` is what other doors do for commands. An
    IntentLspError or OSError is not raised, but printed as one line on standard error. If the
    reader has closed the pipe, nothing is printed.
    """
    page = Output(sys.stdout, sys.stderr)
    try:
        status = _obey(list(words), page, product_line, doors)
        page.flush()
    except IntentLspError as error:
        return _complain(page, str(error), error.cure)
    except BrokenPipeError:
        page.give_up()
        return Exit.NOBODY_READS
    except OSError as error:
        page.give_up()
        return _complain(page, _problem(error), "")
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    return status


def _obey(words: list[str], page: Output, product_line: str, doors: OtherDoors) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if words[:1] and words[0] in _VERSION:
        page.line(product_line)
        return Exit.FINE
    helped = any(word in _HELP for word in words)
    if helped and words[0] in _HELP:
        page.text(program_page(product_line, COMMANDS))
        return Exit.FINE
    found = _find(words)
    if not isinstance(found, CommandEntry):
        if not helped:
            lines = ", ".join(each.line for each in found)
            problem = f"{PROGRAM} {words[0]} needs a command"
            raise WrongUsageError(problem, cure=f"one of: {lines}")
        page.text(family_page(words[0], found))
        return Exit.FINE
    command = found.load()
    if helped:
        page.text(command.help())
        return Exit.FINE
    rest = words[len(found.name.split()) :] if words and not words[0].startswith("-") else words
    options = command.read(rest)
    status = command.answer(Call(options=options, page=page, doors=doors))
    return Exit.FINE if status is None else status


def _find(words: list[str]) -> CommandEntry | list[CommandEntry]:
    """Return the command with which `words` begins, or `serve` if an option or nothing comes first.

    If the only word before options is the name of a family, such as `trace`, return the commands of
    that family. Raise WrongUsageError if there is no such command.
    """
    if not words or words[0].startswith("-"):
        words = [_DEFAULT]
    for command in COMMANDS:
        if command.name.split() == words[: len(command.name.split())]:
            return command
    family = [command for command in COMMANDS if command.name.startswith(f"{words[0]} ")]
    if family and (len(words) == 1 or words[1].startswith("-")):
        return family
    if family:
        words, meant = words[:2], {command.name.split()[1]: command.name for command in family}
    else:
        words, meant = words[:1], _guesses(COMMANDS)
    found = nearest(words[-1], meant)
    guess = "" if found is None else f"; did you mean `{PROGRAM} {meant[found]}`?"
    raise WrongUsageError(
        f"{' '.join(words)} is not a command{guess}", cure=f"see `{PROGRAM} --help`"
    )


def _guesses(commands: Sequence[CommandEntry]) -> dict[str, str]:
    """Return what to suggest for a misspelled word, by the word that may have been meant.

    For the last word of a command, that is the command; for the first word of a command, the word
    itself.
    """
    names = [command.name for command in commands]
    return {name.split()[-1]: name for name in names} | {
        name.split()[0]: name.split()[0] for name in names
    }


def _problem(error: OSError) -> str:
    said = error.strerror or str(error)
    return said if error.filename is None else f"{error.filename}: {said}"


def _complain(page: Output, problem: str, cure: str) -> int:
    page.remark(f"{PROGRAM}: {problem}" + (f"; {cure}" if cure else ""))
    return Exit.WRONG_USAGE


def program_page(product_line: str, commands: Sequence[CommandEntry]) -> str:
    """Return the text of `intent-lsp --help`, the help page of the whole program."""
    return f"{product_line}\n{_HEAD}{_listed(commands)}{_TAIL}"


def family_page(family: str, commands: Sequence[CommandEntry]) -> str:
    """Return the text of `intent-lsp FAMILY --help`.

    A family is the first word of some commands.
    """
    return (
        f"usage: {PROGRAM} {family} COMMAND [OPTIONS]\n\ncommands:\n{_listed(commands)}\n"
        f"  {PROGRAM} {family} COMMAND --help   what it is for, its options, examples\n"
    )


def _listed(commands: Sequence[CommandEntry]) -> str:
    longest = max(len(command.name) for command in commands)
    return "".join(f"  {c.name:{longest}}  {c.summary}\n" for c in commands)
