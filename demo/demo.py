"""A newcomer watches a real server govern a real repository: `make demo`.

Invariant: every step checks what it tells; the first that did not happen ends the demo with 1.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from editor import Editor, Message, NotAsToldError, check
from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
INTENTS, POLICY = ".orchestration/active_intents.yaml", ".orchestration/constraints.sidecar.yaml"
LEDGER = ".orchestration/agent_trace.jsonl"

LOGIN_TEXT = """\
def login(name, password):
    user = find(name)
    return user.check(password)
"""
INVOICE_TEXT = """\
class Invoice:
    def total(self):
        return self.net
"""
INTENTS_TEXT = """\
active_intents:
  - id: INT-001
    name: Lock accounts after three wrong passwords
    status: PLANNED
    owned_scope: ["src/auth/**"]
    constraints: ["No new dependency"]
  - id: INT-002
    name: Invoices with tax
    status: PLANNED
    owned_scope: ["src/billing/**"]
"""


class Demo:
    """The story, told step by step on a console."""

    def __init__(self, console: Console, folder: Path) -> None:
        self.console = console
        self.folder = folder
        self._steps = 0

    def play(self) -> None:
        """Tell it from the beginning to the end."""
        self.repository()
        editor = Editor(self.folder)
        try:
            self.attach(editor)
            self.inside_the_scope(editor)
            self.outside_the_scope(editor)
            self.refused_save(editor)
            self.another_intent(editor)
            check(editor.stop() == 0, "the server ends with status 0")
        finally:
            editor.kill()
        self.ledger()
        self.forgery()
        self.console.print("\n[bold green]Everything happened as told.[/]")

    def repository(self) -> None:
        """Make a repository, govern it, write two intents."""
        self.step("A repository, and one command")
        for name, text in ((LOGIN, LOGIN_TEXT), (INVOICE, INVOICE_TEXT)):
            (self.folder / name).parent.mkdir(parents=True)
            (self.folder / name).write_text(text)
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Before intents")
        status, said = self.command("init")
        check(status == 0 and INTENTS in said, "init creates the intents file")
        self.step(
            "The team writes down what is being worked on, and which files each work may touch"
        )
        (self.folder / INTENTS).write_text(INTENTS_TEXT)
        self.code(INTENTS_TEXT, "yaml")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Write down two intents")

    def attach(self, editor: Editor) -> None:
        """Open an editor and select an intent."""
        self.step("An editor starts the server, and opens a file")
        server = editor.start()["serverInfo"]
        check(server["name"] == "intent-lsp", "the server says its name")
        editor.open(LOGIN)
        self.say(f"{server['name']} {server['version']} is attached to {LOGIN}")
        self.step("The person says what they are working on: INT-001")
        chosen = editor.ask("intent/select", {"intentId": "INT-001"})
        check(chosen["intent"]["status"] == "IN_PROGRESS", "selecting starts the intent")
        written = (self.folder / INTENTS).read_text()
        check(written.count("IN_PROGRESS") == 1, "the status is changed where it stands")
        self.say("INT-001 is selected; in the intents file PLANNED became IN_PROGRESS")

    def inside_the_scope(self, editor: Editor) -> None:
        """Edit a file that the intent owns."""
        self.step(f"They edit {LOGIN}, which INT-001 owns, and save")
        editor.type(LOGIN, "    user = find(name)\n", "    user = find(name)\n    user.count()\n")
        editor.save(LOGIN)
        record = self.recorded(editor, 1)
        check(not editor.shown(LOGIN), "nothing is said about an edit inside the scope")
        check(record["scope_validation"] == "PASS", "the record's verdict is PASS")
        check(record["intent_id"] == "INT-001", "the record names the intent")
        self.say("No diagnostic. The ledger has a record of it:")
        names = ("timestamp", "intent_id", "tool_name", "mutation_class", "scope_validation")
        file = record["files"][0]
        (lines,) = file["conversations"][0]["ranges"]
        check((lines["start_line"], lines["end_line"]) == (3, 3), "it names the new line")
        told = {name: record[name] for name in names}
        told |= {"file": file["relative_path"], "new line": lines["start_line"]}
        self.code(json.dumps(told, indent=1), "json")

    def outside_the_scope(self, editor: Editor) -> None:
        """Edit a file that the intent does not own."""
        self.step(f"They edit {INVOICE}, which INT-001 does not own; nothing is saved yet")
        editor.open(INVOICE)
        editor.type(INVOICE, "return self.net", "return self.net + self.tax")
        (shown,) = editor.wait(lambda: editor.shown(INVOICE), "a diagnostic")
        check(shown["code"] == "SCOPE_VIOLATION", "the diagnostic is a SCOPE_VIOLATION")
        check(shown["range"]["start"]["line"] == 2, "it stands on the changed line")
        self.draw(editor, INVOICE, shown)
        titles = editor.actions(INVOICE, shown)
        check(any("INT-002" in title for title in titles), "the owner is offered")
        self.say("The editor offers: " + " · ".join(titles))

    def refused_save(self, editor: Editor) -> None:
        """Turn on blocking, and save out of scope."""
        self.step("The team turns on `enforcement: block`, and the person saves all the same")
        policy = self.folder / POLICY
        policy.write_text(policy.read_text().replace("# enforcement: warn ", "enforcement: block "))
        changes = [{"uri": editor.uri(POLICY), "type": 2}]
        editor.tell("workspace/didChangeWatchedFiles", {"changes": changes})
        typed = editor.texts[editor.uri(INVOICE)]
        editor.save(INVOICE)
        check((self.folder / INVOICE).read_text() == INVOICE_TEXT, "the disk keeps its bytes")
        (question,) = editor.wait(lambda: editor.questions, "a message about the refused save")
        asked = question["params"]
        (draft,) = editor.ask("intent/drafts", {"path": INVOICE})["drafts"]
        check("refused" in asked["message"], "the person is told of the refusal")
        self.say(f"The file on disk is unchanged. What was typed is draft {draft['id']}.")
        self.say(asked["message"], "yellow")
        self.say("  " + "   ".join(f"[{action['title']}]" for action in asked["actions"]))
        self.step("They click [Select INT-002], the intent that owns invoices")
        uri = editor.uri(INVOICE)
        editor.click("Select INT-002")
        editor.wait(lambda: editor.texts[uri] == typed, "the text to come back")
        editor.wait(lambda: not editor.shown(INVOICE), "the diagnostic to go")
        self.say("The text is back in the editor, and the diagnostic is gone.")

    def another_intent(self, editor: Editor) -> None:
        """Save under the owning intent."""
        self.step("They save again, for INT-002 now")
        editor.save(INVOICE)
        record = self.recorded(editor, 2)
        check("self.tax" in (self.folder / INVOICE).read_text(), "the save reaches the disk")
        check(record["intent_id"] == "INT-002", "the record names the other intent")
        check(record["scope_validation"] == "PASS", "the record's verdict is PASS")
        self.say("Saved and recorded: PASS, for INT-002.")

    def ledger(self) -> None:
        """Ask the ledger."""
        self.step("Later, on the command line")
        status, said = self.command("trace", "list")
        check(status == 0 and LOGIN in said and INVOICE in said, "both saves are listed")
        status, said = self.command("trace", "verify")
        check(status == 0 and "consistent" in said, "the ledger verifies")

    def forgery(self) -> None:
        """Change the ledger by hand."""
        self.step("Somebody changes one digit of the ledger, to blame another intent")
        ledger = self.folder / LEDGER
        ledger.write_bytes(ledger.read_bytes().replace(b'"INT-001"', b'"INT-009"', 1))
        status, said = self.command("trace", "verify")
        check(status == 1 and f"{LEDGER}:1" in said, "verify names the changed line")
        check("BAD_HASH" in said, "verify says that it was changed")

    def recorded(self, editor: Editor, count: int) -> Message:
        """Wait for a record, and read it back."""
        editor.wait(lambda: len(editor.told("intent/didTrace")) == count, f"record {count}")
        newest: Message = editor.ask("intent/trace", {"limit": 1})["records"][0]
        check(newest["id"] == editor.told("intent/didTrace")[-1]["recordId"], "it is the newest")
        return newest

    def draw(self, editor: Editor, name: str, shown: Message) -> None:
        """Draw a diagnostic as an editor would."""
        first = shown["range"]["start"]["line"]
        lines = editor.texts[editor.uri(name)].splitlines()
        self.say(f"  {name}", "bold")
        for number, line in enumerate(lines):
            marked = number == first
            self.say(f"  {'E' if marked else ' '} {number + 1:2}  {line}", "red" if marked else "")
            if marked:
                indent = len(line) - len(line.lstrip())
                self.say(f"       {' ' * indent}{'~' * (len(line) - indent)}", "red")
                self.say(f"       {shown['message']}", "red")
        for related in shown["relatedInformation"]:
            place = related["location"]
            where = Path(place["uri"]).name, place["range"]["start"]["line"] + 1
            self.say(f"       {where[0]}:{where[1]}: {related['message']}", "cyan")

    def step(self, told: str) -> None:
        """Begin the next step of the story."""
        self._steps += 1
        self.console.print(Text(f"\n{self._steps}. {told}", style="bold blue"))

    def say(self, told: str, style: str = "") -> None:
        """Tell what happened."""
        self.console.print(Text(told, style=style))

    def code(self, text: str, language: str) -> None:
        """Show a text in a language."""
        background = "default"
        self.console.print(Syntax(text.rstrip(), language, background_color=background))

    def command(self, *words: str) -> tuple[int, str]:
        """Run a command of ours in the repository; show it, give its status and what it said."""
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


def main() -> int:
    """Play the demo in a temporary repository; give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true", help="without colours")
    plain = parser.parse_args().plain
    console = Console(color_system=None if plain else "auto", highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="intent-lsp-demo-") as folder:
        try:
            Demo(console, Path(folder).resolve() / "shop").play()
        except (NotAsToldError, OSError, subprocess.SubprocessError) as error:
            console.print(Text(f"\nNot as told: {error}", style="bold red"))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
