"""Part 1: a person at an editor selects an intent, edits, is refused a save, and reads the ledger.

Invariant: every step checks that what it prints has happened.
"""

import json
from pathlib import Path

from editor import Editor, Message, check
from sample_repository import INTENTS, INVOICE, INVOICE_TEXT, LOGIN, POLICY
from walkthrough import Walkthrough


def run_person_part(demo: Walkthrough, editor: Editor) -> None:
    """Run part 1; the editor starts its server, and leaves it running."""
    _attach(demo, editor)
    _inside_the_scope(demo, editor)
    _outside_the_scope(demo, editor)
    _refused_save(demo, editor)
    _another_intent(demo, editor)
    _ledger(demo)


def _attach(demo: Walkthrough, editor: Editor) -> None:
    """Open an editor and select an intent."""
    demo.step("An editor starts the server, and opens a file")
    server = editor.start()["serverInfo"]
    check(server["name"] == "intent-lsp", "the server says its name")
    editor.open(LOGIN)
    demo.say(f"{server['name']} {server['version']} is attached to {LOGIN}")
    demo.step("The person says what they are working on: INT-001")
    chosen = editor.ask("intent/select", {"intentId": "INT-001"})
    check(chosen["intent"]["status"] == "IN_PROGRESS", "selecting starts the intent")
    written = (demo.folder / INTENTS).read_text()
    check(written.count("IN_PROGRESS") == 1, "the status is changed where it stands")
    demo.say("INT-001 is selected; in the intents file PLANNED became IN_PROGRESS")


def _inside_the_scope(demo: Walkthrough, editor: Editor) -> None:
    """Edit a file that the intent owns."""
    demo.step(f"They edit {LOGIN}, which INT-001 owns, and save")
    editor.type(LOGIN, "    user = find(name)\n", "    user = find(name)\n    user.count()\n")
    editor.save(LOGIN)
    record = _recorded(editor, 1)
    check(not editor.shown(LOGIN), "nothing is said about an edit inside the scope")
    check(record["scope_validation"] == "PASS", "the record's verdict is PASS")
    check(record["intent_id"] == "INT-001", "the record names the intent")
    demo.say("No diagnostic. The ledger has a record of it:")
    names = ("timestamp", "intent_id", "tool_name", "mutation_class", "scope_validation")
    file = record["files"][0]
    (lines,) = file["conversations"][0]["ranges"]
    check((lines["start_line"], lines["end_line"]) == (3, 3), "it names the new line")
    shown = {name: record[name] for name in names}
    shown |= {"file": file["relative_path"], "new line": lines["start_line"]}
    demo.code(json.dumps(shown, indent=1), "json")


def _outside_the_scope(demo: Walkthrough, editor: Editor) -> None:
    """Edit a file that the intent does not own."""
    demo.step(f"They edit {INVOICE}, which INT-001 does not own; nothing is saved yet")
    editor.open(INVOICE)
    editor.type(INVOICE, "return self.net", "return self.net + self.tax")
    (shown,) = editor.wait(lambda: editor.shown(INVOICE), "a diagnostic")
    check(shown["code"] == "SCOPE_VIOLATION", "the diagnostic is a SCOPE_VIOLATION")
    check(shown["range"]["start"]["line"] == 2, "it stands on the changed line")
    _draw(demo, editor, INVOICE, shown)
    titles = editor.actions(INVOICE, shown)
    check(any("INT-002" in title for title in titles), "the owner is offered")
    demo.say("The editor offers: " + " · ".join(titles))


def _refused_save(demo: Walkthrough, editor: Editor) -> None:
    """Turn on blocking, and save out of scope."""
    demo.step("The team turns on `enforcement: block`, and the person saves all the same")
    policy = demo.folder / POLICY
    policy.write_text(policy.read_text().replace("# enforcement: warn ", "enforcement: block "))
    # A policy is committed, as code is.
    demo.git("commit", "--quiet", "--message", "Turn saves back", "--", POLICY)
    changes = [{"uri": editor.uri(POLICY), "type": 2}]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    # No save announced this change: the server finds it on the disk, and records it a little later.
    noticed = _recorded(editor, 2)
    check(noticed["files"][0]["relative_path"] == POLICY, "the policy's change is noticed")
    typed = editor.texts[editor.uri(INVOICE)]
    editor.save(INVOICE)
    check((demo.folder / INVOICE).read_text() == INVOICE_TEXT, "the disk keeps its bytes")
    (question,) = editor.wait(lambda: editor.questions, "a message about the refused save")
    asked = question["params"]
    (draft,) = editor.ask("intent/drafts", {"path": INVOICE})["drafts"]
    check("refused" in asked["message"], "the person is told of the refusal")
    demo.say(f"The file on disk is unchanged. What was typed is draft {draft['id']}.")
    demo.say(asked["message"], "yellow")
    demo.say("  " + "   ".join(f"[{action['title']}]" for action in asked["actions"]))
    demo.step("They click [Select INT-002], the intent that owns invoices")
    uri = editor.uri(INVOICE)
    editor.click("Select INT-002")
    editor.wait(lambda: editor.texts[uri] == typed, "the text to come back")
    editor.wait(lambda: not editor.shown(INVOICE), "the diagnostic to go")
    demo.say("The text is back in the editor, and the diagnostic is gone.")


def _another_intent(demo: Walkthrough, editor: Editor) -> None:
    """Save under the owning intent."""
    demo.step("They save again, for INT-002 now")
    editor.save(INVOICE)
    record = _recorded(editor, 3)
    check("self.tax" in (demo.folder / INVOICE).read_text(), "the save reaches the disk")
    check(record["intent_id"] == "INT-002", "the record names the other intent")
    check(record["scope_validation"] == "PASS", "the record's verdict is PASS")
    demo.say("Saved and recorded: PASS, for INT-002.")


def _ledger(demo: Walkthrough) -> None:
    """Read and verify the ledger on the command line."""
    demo.step("Later, on the command line")
    status, said = demo.command("trace", "list")
    check(status == 0 and LOGIN in said and INVOICE in said, "both saves are listed")
    status, said = demo.command("trace", "verify")
    check(status == 0 and "Intact" in said, "the ledger verifies")


def _recorded(editor: Editor, count: int) -> Message:
    """Wait until there are `count` records; return the newest."""
    editor.wait(lambda: len(editor.received("intent/didTrace")) == count, f"record {count}")
    newest: Message = editor.ask("intent/trace", {"limit": 1})["records"][0]
    check(newest["id"] == editor.received("intent/didTrace")[-1]["recordId"], "it is the newest")
    return newest


def _draw(demo: Walkthrough, editor: Editor, name: str, shown: Message) -> None:
    """Draw a diagnostic as an editor would."""
    first = shown["range"]["start"]["line"]
    lines = editor.texts[editor.uri(name)].splitlines()
    demo.say(f"  {name}", "bold")
    for number, line in enumerate(lines):
        marked = number == first
        demo.say(f"  {'E' if marked else ' '} {number + 1:2}  {line}", "red" if marked else "")
        if marked:
            indent = len(line) - len(line.lstrip())
            demo.say(f"       {' ' * indent}{'~' * (len(line) - indent)}", "red")
            demo.say(f"       {shown['message']}", "red")
    for related in shown["relatedInformation"]:
        place = related["location"]
        where = Path(place["uri"]).name, place["range"]["start"]["line"] + 1
        demo.say(f"       {where[0]}:{where[1]}: {related['message']}", "cyan")
