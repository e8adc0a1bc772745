"""The demo: a real server governs a real repository, step by step: `make demo`.

Invariant: every step checks that what it prints has happened; the first that has not ends the demo
with status 1.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from agents_part import run_agents_part
from editor import DemoFailedError, Editor, check
from person_part import run_person_part
from rich.console import Console
from rich.text import Text
from sample_repository import LEDGER, create
from walkthrough import Walkthrough


def run(demo: Walkthrough) -> None:
    """Run all parts, the first two with the same server."""
    demo.part("Part 1: a person and an editor")
    create(demo)
    editor = Editor(demo.folder)
    try:
        run_person_part(demo, editor)
        demo.part("Part 2: two agents at the same time")
        run_agents_part(demo, editor)
        check(editor.stop() == 0, "the server ends with status 0")
    finally:
        editor.kill()
    demo.part("Part 3: somebody forges the ledger")
    run_forgery_part(demo)
    demo.console.print("\n[bold green]Everything happened as described.[/]")


def run_forgery_part(demo: Walkthrough) -> None:
    """Change the ledger by hand, and verify it."""
    demo.step("Somebody changes one digit of the ledger, to blame another intent")
    ledger = demo.folder / LEDGER
    ledger.write_bytes(ledger.read_bytes().replace(b'"INT-001"', b'"INT-009"', 1))
    status, said = demo.command("trace", "verify")
    check(status == 1 and f"{LEDGER}:1" in said, "verify names the changed line")
    check("BAD_HASH" in said, "verify says that it was changed")


def main() -> int:
    """Run the demo in a temporary repository; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true", help="without colours")
    plain = parser.parse_args().plain
    console = Console(color_system=None if plain else "auto", highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="intent-lsp-demo-") as folder:
        try:
            run(Walkthrough(console, Path(folder).resolve() / "shop"))
        except (DemoFailedError, OSError, subprocess.SubprocessError) as error:
            console.print(Text(f"\nNot as described: {error}", style="bold red"))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
