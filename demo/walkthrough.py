"""A story told on a console, step by step, in one folder.

Invariant: what a command said is shown as it was said.
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
    """The teller: numbers the steps, and runs commands where the story takes place."""

    def __init__(self, console: Console, folder: Path) -> None:
        self.console = console
        self.folder = folder
        self._steps = 0

    def part(self, title: str) -> None:
        """Begin an act; its steps are counted on."""
        self.console.print(Text(f"\n== {title} ==", style="bold magenta"))

    def step(self, told: str) -> None:
        """Begin the next step of the demo."""
        self._steps += 1
        self.console.print(Text(f"\n{self._steps}. {told}", style="bold blue"))

    def say(self, told: str, style: str = "") -> None:
        """Tell what happened."""
        self.console.print(Text(told, style=style))

    def code(self, text: str, language: str) -> None:
        """Show a text in a language."""
        background = "default"
        self.console.print(Syntax(text.rstrip(), language, background_color=background))

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show a table; a cell is text, never markup."""
        drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for heading in headings:
            drawn.add_column(heading, no_wrap=True)
        for row in rows:
            drawn.add_row(*map(Text, row))
        self.console.print(drawn)

    def command(self, *words: str) -> tuple[int, str]:
        """Run a command of ours in the repository; show it, return its status and what it said."""
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
        """Run git in the repository."""
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *person, *words], cwd=self.folder, check=True)
