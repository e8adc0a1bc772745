"""Every command: its name, what it does in a line, and the module that has the rest.

Invariant: a command's module is loaded when it is called, or when its help is asked for.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from intent_lsp.doors.cli.command import PROGRAM, Command


@dataclass(frozen=True, slots=True)
class Entry:
    """A command as the help pages list it; `module` is below `intent_lsp.doors.cli`."""

    name: str
    summary: str
    module: str

    @property
    def line(self) -> str:
        """How the command is called."""
        return f"{PROGRAM} {self.name}"

    def load(self) -> Command:
        """Load the module of the command."""
        command: Command = import_module(f"intent_lsp.doors.cli.{self.module}").COMMAND
        return command


COMMANDS: Final = (
    Entry("serve", "the language server; what an editor starts", "serve"),
    Entry("init", "make a project governed: create the files, with commented examples", "init"),
    Entry(
        "status",
        "what governs here, who is at work for which intent, what is out of bounds",
        "status",
    ),
    Entry("intents list", "what is being worked on", "intents.list_intents"),
    Entry("intents show", "all about one intent", "intents.show"),
    Entry("intents add", "write a new intent into the intents file", "intents.add"),
    Entry(
        "intents select",
        "work for an intent from now on, and be told what it asks",
        "intents.select_intent",
    ),
    Entry("intents complete", "set an intent COMPLETED", "intents.complete"),
    Entry("intents owners", "which intents own a file", "intents.owners"),
    Entry(
        "intents coverage",
        "which files no open intent owns, and which several do",
        "intents.coverage",
    ),
    Entry("intents import", "take over the intents of another file", "intents.import_intents"),
    Entry("explain", "may this edit happen, and why", "explain"),
    Entry("trace list", "which edits happened, newest first", "ledger.list_records"),
    Entry("trace show", "all about one edit", "ledger.show"),
    Entry("trace blame", "which edit each line of a file comes from", "ledger.blame"),
    Entry("trace lines", "which lines come from an intent", "ledger.lines"),
    Entry("trace stats", "how much happened: edits, lines, violations", "ledger.stats"),
    Entry(
        "trace map",
        "which intent touched which files and definitions, as Markdown",
        "ledger.intent_map",
    ),
    Entry("trace report", "the ledger as one page of HTML, to hand on", "ledger.report"),
    Entry("trace export", "records in a form that other tools read", "ledger.export"),
    Entry("trace import", "take over records of other tools", "ledger.import_records"),
    Entry(
        "trace flush",
        "record now what editors have saved automatically; for a hook before a commit",
        "ledger.flush",
    ),
    Entry("trace verify", "check that nothing in the ledger was changed", "ledger.verify"),
    Entry(
        "trace seal",
        "say in one line what the ledger is, to be written down elsewhere",
        "ledger.seal",
    ),
    Entry("trace merge", "join two ledgers that branched", "ledger.merge"),
    Entry("trace archive", "move old records into a file of their own", "ledger.archive"),
    Entry(
        "trace recover",
        "append again what a reset or a stash took out of the ledger",
        "ledger.recover",
    ),
)
