"""A newcomer watches a real server govern a real repository: `make demo`.

Invariant: every step checks what it tells; the first that did not happen ends the demo with 1.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from editor import Editor, NotAsToldError, check
from first_act import play_first
from rich.console import Console
from rich.text import Text
from second_act import play_second
from shop import LEDGER, found
from story import Story


def play(story: Story) -> None:
    """Tell it from the beginning to the end, with one server for both acts."""
    story.act("First act: a person and an editor")
    found(story)
    editor = Editor(story.folder)
    try:
        play_first(story, editor)
        story.act("Second act: two agents at the same time")
        play_second(story, editor)
        check(editor.stop() == 0, "the server ends with status 0")
    finally:
        editor.kill()
    story.act("At last: a forger")
    forgery(story)
    story.console.print("\n[bold green]Everything happened as told.[/]")


def forgery(story: Story) -> None:
    """Change the ledger by hand."""
    story.step("Somebody changes one digit of the ledger, to blame another intent")
    ledger = story.folder / LEDGER
    ledger.write_bytes(ledger.read_bytes().replace(b'"INT-001"', b'"INT-009"', 1))
    status, said = story.command("trace", "verify")
    check(status == 1 and f"{LEDGER}:1" in said, "verify names the changed line")
    check("BAD_HASH" in said, "verify says that it was changed")


def main() -> int:
    """Play the demo in a temporary repository; give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true", help="without colours")
    plain = parser.parse_args().plain
    console = Console(color_system=None if plain else "auto", highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="intent-lsp-demo-") as folder:
        try:
            play(Story(console, Path(folder).resolve() / "shop"))
        except (NotAsToldError, OSError, subprocess.SubprocessError) as error:
            console.print(Text(f"\nNot as told: {error}", style="bold red"))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
