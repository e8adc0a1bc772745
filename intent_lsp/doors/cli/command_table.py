"""The table of commands: name, summary for the help pages, and module.

Invariant: a command's module is imported only when it is called or its help is asked for.
"""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Final

from intent_lsp.doors.cli.command import PROGRAM, Command


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command as the help pages list it. `module` is relative to `intent_lsp.doors.cli`."""

    name: str
    summary: str
    module: str

    @property
    def line(self) -> str:
        """The start of its command line, such as `intent-lsp trace list`."""
        return f"{PROGRAM} {self.name}"

    def load(self) -> Command:
        """Import the command's module and return the command."""
        command: Command = import_module(f"intent_lsp.doors.cli.{self.module}").COMMAND
        return replace(command, name=self.name)


COMMANDS: Final = (
    CommandEntry("serve", "the language server; what an editor starts", "serve"),
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
    CommandEntry("intents add", "write a new intent into the intents file", "intents.add"),
    CommandEntry(
        "intents select",
        "work for an intent from now on, and be told what it asks",
        "intents.select_intent",
    ),
    CommandEntry("intents complete", "set an intent COMPLETED", "intents.complete"),
    CommandEntry("intents owners", "which intents own a file", "intents.owners"),
    CommandEntry(
        "intents coverage",
        "which files no open intent owns, and which several do",
        "intents.coverage",
    ),
    CommandEntry(
        "intents import", "take over the intents of another file", "intents.import_intents"
    ),
    CommandEntry("explain", "may this edit happen, and why", "explain"),
    CommandEntry("trace list", "which edits happened, newest first", "ledger.list_records"),
    CommandEntry("trace show", "all about one edit", "ledger.show"),
    CommandEntry("trace blame", "which edit each line of a file comes from", "ledger.blame"),
    CommandEntry("trace lines", "which lines come from an intent", "ledger.lines"),
    CommandEntry("trace stats", "how much happened: edits, lines, violations", "ledger.stats"),
    CommandEntry(
        "trace map",
        "which intent touched which files and definitions, as Markdown",
        "ledger.intent_map",
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
