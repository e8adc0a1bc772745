"""The demo's output: numbered steps on a console, and the commands that it runs in its folder.

Invariant: the output of a command is printed unchanged.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text


class Walkthrough:
    """A console on which steps are numbered, and the folder in which commands run."""

    def __init__(self, console: Console, folder: Path) -> None:
        self.console = console
        self.folder = folder
        self._steps = 0

    def part(self, title: str) -> None:
        """Print the heading of a part; the numbers of the steps go on."""
        self.console.print(Text(f"\n== {title} ==", style="bold magenta"))

    def step(self, text: str) -> None:
        """Print the heading of the next step."""
        self._steps += 1
        self.console.print(Text(f"\n{self._steps}. {text}", style="bold blue"))

    def say(self, text: str, style: str = "") -> None:
        """Print what happened."""
        self.console.print(Text(text, style=style))

    def code(self, text: str, language: str) -> None:
        """Print a text with the syntax colours of a language."""
        background = "default"
        self.console.print(Syntax(text.rstrip(), language, background_color=background))

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table; a cell is text, never markup."""
        drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for heading in headings:
            drawn.add_column(heading, no_wrap=True)
        for row in rows:
            drawn.add_row(*map(Text, row))
        self.console.print(drawn)

    def command(self, *words: str) -> tuple[int, str]:
        """Run an `intent-lsp` command in the folder, print it; return its status and output."""
        self.say("$ intent-lsp " + " ".join(words), "bold")
        done = subprocess.run(
            [sys.executable, "-m", "intent_lsp", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        self.say(said.rstrip(), "red" if done.returncode else "")
        return done.returncode, said

    def git(self, *words: str) -> None:
        """Run git in the folder."""
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *person, *words], cwd=self.folder, check=True)
